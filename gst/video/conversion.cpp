// SPDX-License-Identifier: LGPL-2.1-or-later
#include "conversion.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "colorimetry.h"
#include "enumnumber.h"
#include "object/owned.h"
#include "picture/formats.h"
#include "pixelformat.h"

namespace coalesce::gst {
namespace {

struct Subsampling {
  int across, down;  // log2
};

Subsampling subsampling_of(const PixelFormat &format) {
  const PixelComponent *u = format.find(Role::u);
  return u != nullptr ? Subsampling{u->log2_width, u->log2_height} : Subsampling{0, 0};
}

// The order of a list of formats, the table's among equals.
auto preference(const PixelFormat &format) {
  const FormatFamily family = family_of(format);
  const auto [across, down] = subsampling_of(format);
  const bool pixels_first = family == kRgb;
  const int planes = std::min<int>(format.planes, 3);
  return std::tuple(family == kGrey, format.component[0].bits, format.is_packed_422(),
                    across + down, pixels_first ? planes : -planes);
}

constexpr std::pair<GstVideoColorMatrix, YuvMatrix> kMatrices[] = {
    {GST_VIDEO_COLOR_MATRIX_FCC, YuvMatrix::fcc},
    {GST_VIDEO_COLOR_MATRIX_BT709, YuvMatrix::bt709},
    {GST_VIDEO_COLOR_MATRIX_SMPTE240M, YuvMatrix::smpte240m},
    {GST_VIDEO_COLOR_MATRIX_BT2020, YuvMatrix::bt2020}};

YuvMatrix matrix_of(const GstVideoInfo &info) {
  const GstVideoColorMatrix matrix = effective_colorimetry(info).matrix;
  for (const auto &[each, ours] : kMatrices)
    if (each == matrix) return ours;
  return YuvMatrix::bt601;
}

SampleRange range_of(const GstVideoInfo &info) {
  return effective_colorimetry(info).range == GST_VIDEO_COLOR_RANGE_16_235 ? SampleRange::limited
                                                                           : SampleRange::full;
}

ChromaSite site_of(const GstVideoInfo &info) {
  const GstVideoChromaSite site = effective_chroma_site(info);
  return {(site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0,
          (site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0};
}

FormatFamily family_of(const GstVideoInfo &info) {
  return gst::family_of(pixel_format(info));
}

constexpr const char *kMatrixNames[] = {"BT.601", "BT.709", "BT.2020", "SMPTE 240M", "FCC"};

const char *site_text(ChromaSite site) {
  if (site.h_cosited) return site.v_cosited ? "in both directions" : "horizontally";
  return site.v_cosited ? "vertically" : "in no direction";
}

void add_names(GstVideoColorimetry colorimetry, std::vector<std::string> *names) {
  const auto add = [names](const std::string &name) {
    if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
  };
  if (const TextRef name(gst_video_colorimetry_to_string(&colorimetry)); name != nullptr)
    add(name.get());
  add(std::to_string(number_of(colorimetry.range)) + ":" +
      std::to_string(number_of(colorimetry.matrix)) + ":" +
      std::to_string(number_of(colorimetry.transfer)) + ":" +
      std::to_string(number_of(colorimetry.primaries)));
}

}  // namespace

FormatFamily family_of(const PixelFormat &format) {
  const Role role = format.component[0].role;
  return role == Role::grey ? kGrey : role == Role::y ? kYuv : kRgb;
}

std::vector<std::string> formats_where(
    const std::function<bool(const PixelFormat &format)> &wanted) {
  std::vector<const NamedFormat *> found;
  for (const NamedFormat &named : named_formats())
    if (wanted(named.format) &&
        gst_video_format_from_string(named.name) != GST_VIDEO_FORMAT_UNKNOWN)
      found.push_back(&named);
  std::stable_sort(found.begin(), found.end(), [](const NamedFormat *a, const NamedFormat *b) {
    return preference(a->format) < preference(b->format);
  });
  std::vector<std::string> names;
  for (const NamedFormat *named : found)
    names.emplace_back(named->name);
  return names;
}

std::vector<std::string> formats_where(
    const std::vector<const char *> &first,
    const std::function<bool(const PixelFormat &format)> &wanted) {
  std::vector<std::string> names;
  for (const char *name : first)
    if (gst_video_format_from_string(name) != GST_VIDEO_FORMAT_UNKNOWN) names.emplace_back(name);
  for (const std::string &name : formats_where(wanted))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::string format_list(const std::vector<std::string> &formats) {
  std::string list;
  for (const std::string &name : formats)
    list += (list.empty() ? "{ " : ", ") + name;
  return list + " }";
}

std::vector<std::string> formats_in(const GstStructure *structure) {
  const GValue *formats = gst_structure_get_value(structure, "format");
  if (formats == nullptr) return formats_where([](const PixelFormat &) { return true; });
  std::vector<std::string> names;
  const auto add = [&names](const GValue *name) {
    const gchar *text = G_VALUE_HOLDS_STRING(name) ? g_value_get_string(name) : nullptr;
    if (text != nullptr && pixel_format(gst_video_format_from_string(text)).planes > 0)
      names.emplace_back(text);
  };
  if (!GST_VALUE_HOLDS_LIST(formats)) add(formats);
  for (guint i = 0; GST_VALUE_HOLDS_LIST(formats) && i < gst_value_list_get_size(formats); i++)
    add(gst_value_list_get_value(formats, i));
  return names;
}

const std::string &formats_of(unsigned families) {
  static const auto lists = [] {
    std::array<std::string, 8> by_families;
    for (unsigned f = 1; f < by_families.size(); f++)
      by_families[f] = format_list(
          formats_where([f](const PixelFormat &format) { return (family_of(format) & f) != 0; }));
    return by_families;
  }();
  return lists[families & 7];
}

int conversion_loss(GstVideoFormat from, GstVideoFormat to) {
  const PixelFormat &in = pixel_format(from), &out = pixel_format(to);
  const Subsampling a = subsampling_of(in), b = subsampling_of(out);
  const bool grey = family_of(in) == kGrey, to_grey = family_of(out) == kGrey;
  const int bits = out.component[0].bits - in.component[0].bits;
  int rows = grey || to_grey ? 0 : b.down - a.down,
      columns = grey || to_grey ? 0 : b.across - a.across;
  bool alpha_lost = in.has(Role::alpha) && !out.has(Role::alpha);
  if (family_of(in) == kRgb) {
    // Encoders have neither alpha nor packed pixels.
    alpha_lost = false;
    if (out.is_packed_422()) rows = 1;
  }
  int loss = to_grey && !grey;
  loss = 4 * loss + std::max(rows, 0);
  loss = 4 * loss + std::max(columns, 0);
  loss = 2 * loss + alpha_lost;
  loss = 16 * loss + std::max(-bits, 0);
  const int added = std::max(bits, 0) + std::max(-rows, 0) + std::max(-columns, 0) +
                    (!in.has(Role::alpha) && out.has(Role::alpha));
  return 2 * (16 * loss + added) + (from != to && family_of(in) == family_of(out));
}

ConvertParams conversion_params(const GstVideoInfo &in, const GstVideoInfo &out) {
  ConvertParams params;
  params.matrix = matrix_of(GST_VIDEO_INFO_IS_RGB(&out) ? in : out);
  params.in_range = range_of(in);
  params.out_range = range_of(out);
  params.in_site = site_of(in);
  params.out_site = site_of(out);
  return params;
}

void set_colour(guint argb, const GstVideoInfo &info, std::uint8_t (&sample)[4]) {
  GstVideoInfo rgb;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGB, 1, 1);
  const FormatFamily family = family_of(pixel_format(info));
  const PixelFormat format = coalesce::pixel_format(family == kGrey  ? "GRAY8"
                                                    : family == kYuv ? "Y444"
                                                                     : "RGB");
  std::uint8_t pixel[] = {std::uint8_t(argb >> 16), std::uint8_t(argb >> 8), std::uint8_t(argb)};
  const ConstImage in = {coalesce::pixel_format("RGB"), 1, 1, false, {{pixel, 3, 1, 3}}};
  Image out = {format, 1, 1, false, {}};
  for (int p = 0; p < format.planes; ++p)
    out.plane[p] = {sample + p, int(row_bytes(format, p, 1)), 1, sizeof sample};
  // (Cannot fail: these formats can be converted.)
  (void)convert(conversion_params(rgb, info), in, out, Queue::cpu());
}

std::string conversion_text(const ConvertParams &params) {
  constexpr const char *kRanges[] = {"full", "limited"};
  return std::string("matrix ") + kMatrixNames[int(params.matrix)] + ", " +
         kRanges[int(params.in_range)] + " range to " + kRanges[int(params.out_range)] +
         " range, chroma cosited " + site_text(params.in_site) + " to " +
         site_text(params.out_site);
}

std::string conversion_problem(const GstVideoInfo &in, const GstVideoInfo &out) {
  const int matrix = number_of(in.colorimetry.matrix);
  if (family_of(in) == kYuv && matrix > GST_VIDEO_COLOR_MATRIX_BT2020)
    return "matrix " + std::to_string(matrix) +
           " of the input's colorimetry is not supported: only FCC, BT.709, BT.601, SMPTE 240M and "
           "BT.2020 of non-constant luminance are (BT.2020 of constant luminance is not)";
  if (family_of(in) == kYuv && family_of(out) == kYuv && matrix_of(in) != matrix_of(out))
    return std::string("the input has the matrix of ") + kMatrixNames[int(matrix_of(in))] +
           ", the output that of " + kMatrixNames[int(matrix_of(out))] +
           "; \"yuv2rgb ! rgb2yuv\" converts matrices";
  return {};
}

bool is_identity(const GstVideoInfo &in, const GstVideoInfo &out) {
  if (GST_VIDEO_INFO_FORMAT(&in) != GST_VIDEO_INFO_FORMAT(&out)) return false;
  const ConvertParams params = conversion_params(in, out);
  const auto [across, down] = subsampling_of(pixel_format(in));
  return params.in_range == params.out_range &&
         (across == 0 || params.in_site.h_cosited == params.out_site.h_cosited) &&
         (down == 0 || params.in_site.v_cosited == params.out_site.v_cosited);
}

std::vector<std::string> colorimetries_like(const GstVideoColorimetry &colorimetry) {
  std::vector<std::string> names;
  GstVideoColorimetry other = colorimetry;
  other.range = number_of(colorimetry.range) == GST_VIDEO_COLOR_RANGE_0_255
                    ? GST_VIDEO_COLOR_RANGE_16_235
                    : GST_VIDEO_COLOR_RANGE_0_255;
  add_names(colorimetry, &names);
  add_names(other, &names);
  for (const char *name :
       {GST_VIDEO_COLORIMETRY_BT601, GST_VIDEO_COLORIMETRY_BT709, GST_VIDEO_COLORIMETRY_SMPTE240M,
        GST_VIDEO_COLORIMETRY_BT2020, GST_VIDEO_COLORIMETRY_BT2020_10,
        GST_VIDEO_COLORIMETRY_BT2100_PQ, GST_VIDEO_COLORIMETRY_BT2100_HLG})
    if (GstVideoColorimetry named;
        gst_video_colorimetry_from_string(&named, name) && named.matrix == colorimetry.matrix)
      add_names(named, &names);
  return names;
}

}  // namespace coalesce::gst
