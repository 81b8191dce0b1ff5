// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace test {
namespace {

const guint8 &byte_of(const GstVideoFrame &frame, int component, int x, int y) {
  return static_cast<const guint8 *>(GST_VIDEO_FRAME_COMP_DATA(
      &frame, component))[static_cast<gssize>(y) * GST_VIDEO_FRAME_COMP_STRIDE(&frame, component) +
                          static_cast<gssize>(x) * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, component)];
}

class Mapped {
 public:
  Mapped(GstBuffer *buffer, const GstVideoInfo &info) {
    fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
  }
  ~Mapped() { gst_video_frame_unmap(&frame); }
  Mapped(const Mapped &) = delete;
  GstVideoFrame frame;
};

// Caps may hold any number in the place of these enumerations' names.
template <class Enum>
int number_of(const Enum &field) {
  int number;
  std::memcpy(&number, &field, sizeof number);
  return number;
}

// Exact samples. Rows of an interlaced picture are looked at as those of two pictures, its fields.
class Exact {
 public:
  // What caps leave unknown: RGB and grey are full range, matrix and site change above 576 lines.
  Exact(const GstVideoFrame &in, const GstVideoInfo &out, bool interlaced)
      : in_(in),
        out_(out),
        n_fields_(interlaced ? 2 : 1),
        site_(out.chroma_site),
        full_in_(number_of(in.info.colorimetry.range) != GST_VIDEO_COLOR_RANGE_16_235) {
    const bool grey = GST_VIDEO_INFO_IS_GRAY(&out);
    const int range = number_of(out.colorimetry.range), matrix = number_of(out.colorimetry.matrix);
    full_out_ =
        range == GST_VIDEO_COLOR_RANGE_0_255 || (grey && range != GST_VIDEO_COLOR_RANGE_16_235);
    if (matrix > GST_VIDEO_COLOR_MATRIX_BT2020 ||
        !gst_video_color_matrix_get_Kr_Kb(static_cast<GstVideoColorMatrix>(matrix), &kr_, &kb_)) {
      const bool hd = !grey && out.height > 576;
      kr_ = hd ? 0.2126 : 0.299, kb_ = hd ? 0.0722 : 0.114;
    }
    if (site_ == GST_VIDEO_CHROMA_SITE_UNKNOWN && out.height > 576)
      site_ = GST_VIDEO_CHROMA_SITE_H_COSITED;
  }

  double luma(int x, int y) const {
    return full_out_ ? 255 * pixel(x, y).y : 16 + 219 * pixel(x, y).y;
  }

  // component 1 = U, 2 = V; a row of chroma belongs to the field of the same parity.
  double chroma(int component, int cx, int cy) const {
    const int across = GST_VIDEO_FORMAT_INFO_W_SUB(out_.finfo, component);
    const int down = GST_VIDEO_FORMAT_INFO_H_SUB(out_.finfo, component);
    const int n_fields = down ? n_fields_ : 1;
    const int field = cy % n_fields, row = (cy / n_fields) << down;
    double sum = 0;
    for (int i = -1; i <= 1; i++)
      for (int j = -1; j <= 1; j++)
        sum += weight(across, GST_VIDEO_CHROMA_SITE_H_COSITED, i) *
               weight(down, GST_VIDEO_CHROMA_SITE_V_COSITED, j) *
               difference(component, (cx << across) + i, row + j, field, n_fields);
    return 128 + (full_out_ ? 255 : 224) * sum;
  }

 private:
  struct Pixel {
    double r, b, y;
  };

  Pixel pixel(int x, int y) const {
    const auto value = [&](int component) {
      const int sample = byte_of(in_, component, x, y);
      return full_in_ ? sample / 255.0 : (sample - 16) / 219.0;
    };
    const double r = value(0), g = value(1), b = value(2);
    return {r, b, kr_ * r + (1 - kr_ - kb_) * g + kb_ * b};
  }

  double weight(int subsampled, int cosited_flag, int tap) const {
    if (!subsampled) return tap == 0;
    if (site_ & cosited_flag) return tap == 0 ? 0.5 : 0.25;
    return tap < 0 ? 0 : 0.5;
  }

  // The colour difference, -0.5 to 0.5, of a pixel of a field, or of the nearest one.
  double difference(int component, int x, int row, int field, int n_fields) const {
    const int height = in_.info.height;
    const int field_rows = (height - field + n_fields - 1) / n_fields;
    x = std::clamp(x, 0, in_.info.width - 1);
    const int y = field_rows == 0 ? 0 : std::clamp(row, 0, field_rows - 1) * n_fields + field;
    const Pixel p = pixel(x, y);
    return component == 1 ? (p.b - p.y) / (2 * (1 - kb_)) : (p.r - p.y) / (2 * (1 - kr_));
  }

  const GstVideoFrame &in_;
  const GstVideoInfo &out_;
  int n_fields_;
  int site_;
  bool full_in_, full_out_;
  double kr_ = 0, kb_ = 0;
};

// The exact value, rounded; but the weights are 16-bit numbers, so near a half it may go either
// way.
void expect_sample(int got, double exact, const char *what, int x, int y) {
  if (std::abs(got - std::clamp(exact, 0.0, 255.0)) > 0.52)
    ck_abort_msg("%s at (%d, %d) is %d, not %.3f", what, x, y, got, exact);
}

int chroma_rows(const GstVideoInfo &info, bool interlaced) {
  const int down = GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, 1);
  const int rows = (info.height + down) >> down;
  return down && interlaced ? GST_ROUND_UP_2(rows) : rows;
}

void check_alpha(const GstVideoFrame &in, const GstVideoFrame &out) {
  if (!GST_VIDEO_INFO_HAS_ALPHA(&out.info)) return;
  for (int y = 0; y < in.info.height; y++)
    for (int x = 0; x < in.info.width; x++)
      fail_unless_equals_int(byte_of(out, 3, x, y),
                             GST_VIDEO_INFO_HAS_ALPHA(&in.info) ? byte_of(in, 3, x, y) : 255);
}

// The last pair of a row has a luma that no pixel has.
void check_pairs(const GstVideoFrame &out) {
  const bool packed = GST_VIDEO_INFO_FORMAT(&out.info) == GST_VIDEO_FORMAT_YUY2 ||
                      GST_VIDEO_INFO_FORMAT(&out.info) == GST_VIDEO_FORMAT_UYVY;
  for (int y = 0; packed && out.info.width % 2 == 1 && y < out.info.height; y++)
    fail_unless_equals_int(byte_of(out, 0, out.info.width, y),
                           byte_of(out, 0, out.info.width - 1, y));
}

}  // namespace

void check_yuv(GstBuffer *in_buffer, const GstVideoInfo &in_info, GstBuffer *out_buffer,
               const GstVideoInfo &out_info, bool interlaced) {
  const Mapped in(in_buffer, in_info), out(out_buffer, out_info);
  const Exact exact(in.frame, out_info, interlaced);
  const std::string what = std::string(GST_VIDEO_INFO_NAME(&in_info)) + " to " +
                           GST_VIDEO_INFO_NAME(&out_info) + ", " + std::to_string(in_info.width) +
                           "x" + std::to_string(in_info.height) + ", component ";
  const std::string names[] = {what + "Y", what + "U", what + "V"};
  for (int y = 0; y < in_info.height; y++)
    for (int x = 0; x < in_info.width; x++)
      expect_sample(byte_of(out.frame, 0, x, y), exact.luma(x, y), names[0].c_str(), x, y);
  if (GST_VIDEO_INFO_N_COMPONENTS(&out_info) >= 3)
    for (int c = 1; c <= 2; c++)
      for (int y = 0; y < chroma_rows(out_info, interlaced); y++)
        for (int x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH(&out.frame, c); x++)
          expect_sample(byte_of(out.frame, c, x, y), exact.chroma(c, x, y), names[c].c_str(), x, y);
  check_alpha(in.frame, out.frame);
  check_pairs(out.frame);
}

void expect_same_samples(GstBuffer *one, GstBuffer *other, const GstVideoInfo &info) {
  const Mapped a(one, info), b(other, info);
  for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++)
    for (int y = 0; y < rows(info, p); y++) {
      const auto row = [p, y](const GstVideoFrame &frame) {
        return static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)) +
               static_cast<gssize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
      };
      fail_unless(std::equal(row(a.frame), row(a.frame) + row_bytes(info, p), row(b.frame)),
                  "row %d of plane %d", y, p);
    }
}

BufferRef convert_rgb(Harness &harness, const std::string &in_caps, GstBuffer *in) {
  const BufferRef keep(gst_buffer_ref(in));
  fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
  BufferRef out = harness.pull();
  fail_unless(out != nullptr);
  const GstVideoInfo info = video_info(in_caps);
  const bool interlaced = info.interlace_mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED ||
                          (info.interlace_mode == GST_VIDEO_INTERLACE_MODE_MIXED &&
                           GST_BUFFER_FLAG_IS_SET(keep.get(), GST_VIDEO_BUFFER_FLAG_INTERLACED));
  check_yuv(keep.get(), info, out.get(), harness.output_info(), interlaced);
  return out;
}

void start_rgb2yuv(Harness &harness, const std::string &in_caps, const std::string &downstream) {
  harness.accept(downstream);
  fail_unless(harness.set_input(in_caps), "%s to %s", in_caps.c_str(), downstream.c_str());
}

GstBuffer *rgb_frame(const GstVideoInfo &info, Layout layout, guint32 seed) {
  GstBuffer *buffer = random_frame(info, layout, seed);
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READWRITE));
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < info.height; y++)
      for (int x = 0; x < info.width; x++) {
        auto &byte = const_cast<guint8 &>(byte_of(frame, c, x, y));
        const int corner = ((x / 3 + y / 2) % 8) >> c & 1;  // black to white, in blocks
        if (x % 16 < 6) byte = static_cast<guint8>(255 * corner);
        if (x % 16 > 10) byte = static_cast<guint8>(x * (c + 1) + y * (3 - c));
      }
  gst_video_frame_unmap(&frame);
  return buffer;
}

}  // namespace test
