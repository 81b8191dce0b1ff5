// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linedetector.h"

#include <algorithm>

#include "picture/formats.h"
#include "picture/scratch_picture.h"

namespace coalesce::gst {
namespace {

// Without memory.
Image edges_of(const ConstImage &picture) {
  return picture_of(pixel_format("GRAY8"), picture.width, picture.height);
}

Image edges_in(const ConstImage &picture, void *scratch) {
  Image edges = edges_of(picture);
  put_in_scratch(&edges, scratch);
  return edges;
}

// Behind the edges comes what finds them, and then in the same place what finds lines.
std::size_t edges_bytes(const ConstImage &picture) {
  return aligned_bytes(scratch_picture_bytes(edges_of(picture)));
}

std::size_t canny_bytes(const ConstImage &picture) {
  return aligned_bytes(canny_scratch_bytes(picture.width, picture.height));
}

}  // namespace

void LineDetector::use(const LineSettings &settings, bool new_format) {
  if (new_format || settings.sigma != settings_.sigma) smoothing_.set_sigma(settings.sigma);
  settings_ = settings;
}

std::size_t LineDetector::scratch_bytes(const ConstImage &picture) const {
  return edges_bytes(picture) + std::max(canny_bytes(picture) + smoothing_.scratch_bytes(picture),
                                         linedetect_scratch_bytes(picture.width, picture.height));
}

Status LineDetector::find(const ConstImage &picture, const Queue &queue, void *scratch,
                          const LineResult &result) {
  const Image edges = edges_in(picture, scratch);
  auto *rest = static_cast<std::uint8_t *>(scratch) + edges_bytes(picture);
  ConstImage smoothed;
  if (Status s = smoothing_.run(picture, queue, rest + canny_bytes(picture), &smoothed); !s.ok())
    return s;
  if (Status s = canny(settings_.edges, smoothed, edges, queue, rest); !s.ok()) return s;
  return linedetect(settings_.lines, picture, edges, result.lines, result.count, queue, rest);
}

Status LineDetector::draw(const EdgeColour &colour, int thickness, const ConstImage &picture,
                          const Image &out, const Queue &queue, void *scratch,
                          const LineResult &result) const {
  const Image mask = edges_in(picture, scratch);
  if (Status s = draw_line_mask(result.lines, result.count, settings_.lines.max_lines, thickness,
                                mask, queue);
      !s.ok())
    return s;
  return draw_edges(colour, mask, picture, out, queue);
}

}  // namespace coalesce::gst
