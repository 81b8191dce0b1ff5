// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lines_reference.h"

#include <cstring>

#include "../../kernels/canny/canny_reference.h"
#include "../../kernels/canny/edge_overlay_reference.h"
#include "../../kernels/linedetect/line_mask_reference.h"
#include "../../kernels/linedetect/linedetect_reference.h"
#include "../canny/canny_reference.h"
#include "../images.h"

namespace test {
namespace {

constexpr const char *kMeta = "GstCoalesceLinesMeta";

LineRecord record_of(const coalesce::Line &line) {
  const auto units = [](std::int32_t number) { return static_cast<float>(number / 256.); };
  return {units(line.x0), units(line.y0),    units(line.x1),
          units(line.y1), units(line.width), units(line.strength)};
}

std::string difference_of_lines(const LinesSaid &said, const coalesce::test::FoundLines &expected) {
  if (said.found != expected.count.found || said.count != expected.count.lines)
    return std::to_string(said.count) + " lines of " + std::to_string(said.found) + ", not " +
           std::to_string(expected.count.lines) + " of " + std::to_string(expected.count.found);
  for (std::size_t i = 0; i < said.lines.size(); i++)
    if (said.lines[i] != record_of(expected.lines[i]))
      return "line " + std::to_string(i) + " of " + std::to_string(said.count);
  return {};
}

}  // namespace

LinesSaid lines_of(const GstStructure *structure) {
  LinesSaid said = {};
  GBytes *bytes = nullptr;
  fail_unless(gst_structure_get(structure, "lines", G_TYPE_BYTES, &bytes, "count", G_TYPE_UINT,
                                &said.count, "found", G_TYPE_UINT, &said.found, nullptr));
  gsize size = 0;
  const gconstpointer data = g_bytes_get_data(bytes, &size);
  fail_unless_equals_uint64(size, said.count * sizeof(LineRecord));
  said.lines.resize(said.count);
  if (size > 0) std::memcpy(said.lines.data(), data, size);
  g_bytes_unref(bytes);
  return said;
}

bool has_lines(GstBuffer *buffer) {
  return gst_meta_get_info(kMeta) != nullptr &&
         gst_buffer_get_custom_meta(buffer, kMeta) != nullptr;
}

LinesSaid lines_on(GstBuffer *buffer) {
  fail_unless(has_lines(buffer), "no meta with lines");
  return lines_of(gst_custom_meta_get_structure(gst_buffer_get_custom_meta(buffer, kMeta)));
}

std::string lines_difference(GstBuffer *in, const GstVideoInfo &in_info, GstBuffer *out,
                             const GstVideoInfo &out_info, const LineFilter &filter,
                             bool interlaced) {
  const Mapped from(in, in_info, interlaced), to(out, out_info, interlaced);
  const coalesce::ConstImage grey = {coalesce::pixel_format("GRAY8"),
                                     in_info.width,
                                     in_info.height,
                                     false,
                                     {{nullptr, in_info.width, in_info.height, 0}}};
  const Made edges(grey), drawn(from.image);
  coalesce::test::canny_reference(filter.edges, from.image, edges.image);
  const coalesce::test::FoundLines lines =
      coalesce::test::linedetect_reference(filter.lines, from.image, edges.image);
  if (const std::string text = difference_of_lines(lines_on(out), lines); !text.empty())
    return text;
  if (!(to.image.format == from.image.format)) return "another format";
  coalesce::EdgeColour colour = colour_of(in_info, filter.line_color);
  if (!filter.draw) colour.opacity = 0;
  const Made mask(grey);
  coalesce::test::line_mask_reference(lines.lines, filter.thickness, mask.image.plane[0]);
  coalesce::test::edge_overlay_reference(colour, mask.image, from.image, drawn.image);
  return image_difference(GST_VIDEO_INFO_NAME(&in_info), to.image, drawn.image);
}

}  // namespace test
