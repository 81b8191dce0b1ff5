// SPDX-License-Identifier: LGPL-2.1-or-later
#include "conversion_reference.h"

#include <cstring>

#include "kernels/convert/convert_reference.h"
#include "picture/formats.h"

namespace test {
namespace {

using coalesce::ConstImage;
using coalesce::ConvertParams;
using coalesce::PixelComponent;
using coalesce::SampleRange;
using coalesce::YuvMatrix;

// Caps may hold any number in the place of these enumerations' names.
template <class Enum>
int number_of(const Enum &field) {
  int number;
  std::memcpy(&number, &field, sizeof number);
  return number;
}

// What caps leave unknown: RGB and grey are full range, matrix and site change above 576 lines.
YuvMatrix matrix_of(const GstVideoInfo &info) {
  switch (number_of(info.colorimetry.matrix)) {
    case GST_VIDEO_COLOR_MATRIX_FCC:
      return YuvMatrix::fcc;
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return YuvMatrix::bt709;
    case GST_VIDEO_COLOR_MATRIX_BT601:
      return YuvMatrix::bt601;
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return YuvMatrix::smpte240m;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return YuvMatrix::bt2020;
    default:
      if (GST_VIDEO_INFO_IS_YUV(&info) && info.height > 2160) return YuvMatrix::bt2020;
      return GST_VIDEO_INFO_IS_YUV(&info) && info.height > 576 ? YuvMatrix::bt709
                                                               : YuvMatrix::bt601;
  }
}

SampleRange range_of(const GstVideoInfo &info) {
  const int range = number_of(info.colorimetry.range);
  if (range == GST_VIDEO_COLOR_RANGE_16_235) return SampleRange::limited;
  if (range == GST_VIDEO_COLOR_RANGE_0_255) return SampleRange::full;
  return GST_VIDEO_INFO_IS_YUV(&info) ? SampleRange::limited : SampleRange::full;
}

coalesce::ChromaSite site_of(const GstVideoInfo &info) {
  if (!GST_VIDEO_INFO_IS_YUV(&info)) return {};
  int site = info.chroma_site;
  if (site == GST_VIDEO_CHROMA_SITE_UNKNOWN)
    site = info.height > 576 ? GST_VIDEO_CHROMA_SITE_H_COSITED : GST_VIDEO_CHROMA_SITE_NONE;
  return {(site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0,
          (site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0};
}

std::string nick(GstElement *element, const char *property) {
  GValue value = G_VALUE_INIT;
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property);
  g_value_init(&value, spec->value_type);
  g_object_get_property(G_OBJECT(element), property, &value);
  const GEnumValue *found =
      g_enum_get_value(G_PARAM_SPEC_ENUM(spec)->enum_class, g_value_get_enum(&value));
  g_value_unset(&value);
  return found->value_nick;
}

ConvertParams params_of(GstElement *element, const GstVideoInfo &in, const GstVideoInfo &out) {
  ConvertParams params = params_of_caps(in, out);
  if (nick(element, "chroma") == "nearest") params.chroma = coalesce::ChromaFilter::nearest;
  if (nick(element, "dither") == "ordered") params.dither = coalesce::Dither::ordered;
  return params;
}

class Mapped {
 public:
  Mapped(GstBuffer *buffer, const GstVideoInfo &info, bool interlaced) {
    fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
    image.format = coalesce::pixel_format(GST_VIDEO_INFO_NAME(&info));
    image.width = info.width;
    image.height = info.height;
    image.interlaced = interlaced;
    for (int p = 0; p < image.format.planes; p++)
      image.plane[p] = {static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)),
                        row_bytes(info, p), rows_of(info, p, interlaced),
                        static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p))};
  }
  ~Mapped() { gst_video_frame_unmap(&frame); }
  Mapped(const Mapped &) = delete;

  GstVideoFrame frame;
  ConstImage image;

 private:
  // In heights of 4n + 2 the last row of the odd field's chroma is one more, where the memory has
  // it: not every layout of GStreamer's does, nor that of every GstVideoMeta.
  int rows_of(const GstVideoInfo &info, int plane, bool interlaced) const {
    const int usual = rows(info, plane);
    if (!interlaced || info.height % 4 != 2 || usual == info.height) return usual;
    const guint8 *begin = row(plane, usual), *end = begin + row_bytes(info, plane);
    const GstMapInfo &map = frame.map[frame.meta != nullptr ? plane : 0];
    if (end > map.data + map.size) return usual;
    for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++)
      if (p != plane && begin < row(p, rows(info, p)) && end > row(p, 0)) return usual;
    return usual + 1;
  }
  const guint8 *row(int plane, int y) const {
    return static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane)) +
           static_cast<gssize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
  }
};

void check_component(const coalesce::test::ConvertReference &reference, const ConstImage &out,
                     const PixelComponent &c, const std::string &what) {
  const int width = (out.width + (1 << c.log2_width) - 1) >> c.log2_width;
  const int height = c.log2_height == 1 ? out.of(c).height : out.height;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int found = coalesce::test::sample_of(out, c, x, y);
      const int expected = reference.rounded(c, x, y);
      if (found != expected)
        ck_abort_msg("%s: %c(%d, %d) is %d, not %d", what.c_str(),
                     "gyuvrgba"[static_cast<int>(c.role)], x, y, found, expected);
    }
}

}  // namespace

ConvertParams params_of_caps(const GstVideoInfo &in, const GstVideoInfo &out) {
  ConvertParams params;
  params.matrix = matrix_of(GST_VIDEO_INFO_IS_RGB(&out) ? in : out);
  params.in_range = range_of(in);
  params.out_range = range_of(out);
  params.in_site = site_of(in);
  params.out_site = site_of(out);
  return params;
}

void check_conversion(GstElement *element, GstBuffer *in_buffer, const GstVideoInfo &in_info,
                      GstBuffer *out_buffer, const GstVideoInfo &out_info, bool interlaced) {
  const Mapped in(in_buffer, in_info, interlaced), out(out_buffer, out_info, interlaced);
  const ConvertParams params = params_of(element, in_info, out_info);
  const coalesce::test::ConvertReference reference(params, in.image, out.image.format);
  const std::string what = std::string(GST_VIDEO_INFO_NAME(&in_info)) + " to " +
                           GST_VIDEO_INFO_NAME(&out_info) + ", " + std::to_string(in_info.width) +
                           "x" + std::to_string(in_info.height) +
                           (interlaced ? ", interlaced, " : ", ") + coalesce::test::text(params);
  for (int c = 0; c < out.image.format.components; c++)
    check_component(reference, out.image, out.image.format.component[c], what);
}

void start_conversion(Harness &harness, const std::string &in_caps, const std::string &downstream) {
  harness.accept(downstream);
  fail_unless(harness.set_input(in_caps), "%s to %s", in_caps.c_str(), downstream.c_str());
}

BufferRef convert_frame(Harness &harness, const std::string &in_caps, GstBuffer *in) {
  const BufferRef keep(gst_buffer_ref(in));
  fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
  BufferRef out = harness.pull();
  fail_unless(out != nullptr);
  const GstVideoInfo info = video_info(in_caps);
  const bool interlaced = info.interlace_mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED ||
                          (info.interlace_mode == GST_VIDEO_INTERLACE_MODE_MIXED &&
                           GST_BUFFER_FLAG_IS_SET(keep.get(), GST_VIDEO_BUFFER_FLAG_INTERLACED));
  check_conversion(harness.element(), keep.get(), info, out.get(), harness.output_info(),
                   interlaced);
  return out;
}

BufferRef convert_frame(Harness &harness, const std::string &in_caps, guint32 seed) {
  return convert_frame(harness, in_caps, random_frame(video_info(in_caps), {}, seed));
}

std::vector<std::string> template_formats(const char *element, const char *pad) {
  const Owned<GstElement> made(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make(element, nullptr))));
  GstPadTemplate *found = gst_element_get_pad_template(made.get(), pad);
  const CapsRef caps(gst_pad_template_get_caps(found));
  const GValue *list = gst_structure_get_value(gst_caps_get_structure(caps.get(), 0), "format");
  std::vector<std::string> formats;
  for (guint i = 0; i < gst_value_list_get_size(list); i++)
    formats.emplace_back(g_value_get_string(gst_value_list_get_value(list, i)));
  return formats;
}

}  // namespace test
