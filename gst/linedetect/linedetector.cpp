// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linedetector.h"

#include <algorithm>

#include "core/layout.h"
#include "picture/formats.h"
#include "picture/scratch_picture.h"

namespace coalesce::gst {
namespace {

// Where what is in scratch memory is. Behind the edges comes what finds them, and then in the same
// place what finds lines.
struct Places {
  Places(const ConstImage &picture, std::size_t smoothing_bytes, void *memory)
      : edges(picture_of(pixel_format("GRAY8"), picture.width, picture.height)) {
    Layout layout(256, memory);
    void *const first = layout.at<std::uint8_t>(scratch_bytes(edges.plane[0]));
    if (memory != nullptr) put_in_scratch(&edges, first);
    Layout later = layout;
    rest = layout.at<std::uint8_t>(canny_scratch_bytes(picture.width, picture.height));
    smoothing = layout.at<std::uint8_t>(smoothing_bytes);
    later.add<std::uint8_t>(linedetect_scratch_bytes(picture.width, picture.height));
    bytes = std::max(layout.end(), later.end());
  }
  Image edges;
  std::uint8_t *rest, *smoothing;
  std::size_t bytes;
};

}  // namespace

void LineDetector::use(const LineSettings &settings, bool new_format) {
  if (new_format || settings.sigma != settings_.sigma) smoothing_.set_sigma(settings.sigma);
  settings_ = settings;
}

std::size_t LineDetector::scratch_bytes(const ConstImage &picture) const {
  return Places(picture, smoothing_.scratch_bytes(picture), nullptr).bytes;
}

Status LineDetector::find(const ConstImage &picture, const Queue &queue, void *scratch,
                          const LineResult &result) {
  const Places at(picture, smoothing_.scratch_bytes(picture), scratch);
  ConstImage smoothed;
  if (Status s = smoothing_.run(picture, queue, at.smoothing, &smoothed); !s.ok()) return s;
  if (Status s = canny(settings_.edges, smoothed, at.edges, queue, at.rest); !s.ok()) return s;
  return linedetect(settings_.lines, picture, at.edges, result.lines, result.count, queue, at.rest);
}

Status LineDetector::draw(const EdgeColour &colour, int thickness, const ConstImage &picture,
                          const Image &out, const Queue &queue, void *scratch,
                          const LineResult &result) const {
  const Places at(picture, 0, scratch);
  if (Status s = draw_line_mask(result.lines, result.count, settings_.lines.max_lines, thickness,
                                at.edges, queue);
      !s.ok())
    return s;
  return draw_edges(colour, at.edges, picture, out, queue);
}

}  // namespace coalesce::gst
