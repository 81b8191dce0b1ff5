// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture's lines: a Gaussian, Canny's edges, and the lines among these.
#pragma once

#include "canny/canny.h"
#include "canny/cannysmoothing.h"
#include "canny/edgecolour.h"
#include "linedetect/line_mask.h"

namespace coalesce::gst {

struct LineSettings {
  CannyParams edges = {70, 140, 3, false};
  double sigma = 0.8;
  LineParams lines;
};

// What the work on a frame gives to the host, in memory of either back end.
struct LineResult {
  static constexpr std::size_t kLines = 16;  // where they begin; the count is in front
  static std::size_t bytes(int max_lines) {
    return kLines + static_cast<std::size_t>(max_lines) * sizeof(Line);
  }
  // Of so many bytes, aligned to 16.
  explicit LineResult(void *memory)
      : count(static_cast<LineCount *>(memory)),
        lines(reinterpret_cast<Line *>(static_cast<std::uint8_t *>(memory) + kLines)) {}
  LineCount *count;
  Line *lines;
};

// The streaming thread's.
class LineDetector {
 public:
  // They are sound.
  void use(const LineSettings &settings, bool new_format);
  const LineSettings &settings() const { return settings_; }

  // Of the back end's memory, aligned to 16 bytes, for a picture. A multiple of 256.
  std::size_t scratch_bytes(const ConstImage &picture) const;
  std::size_t result_bytes() const { return LineResult::bytes(settings_.lines.max_lines); }
  // result: result_bytes() of the back end's memory.
  Status find(const ConstImage &picture, const Queue &queue, void *scratch,
              const LineResult &result);
  // After find(), with the same arguments. out: the picture, with the lines in `colour`.
  Status draw(const EdgeColour &colour, int thickness, const ConstImage &picture, const Image &out,
              const Queue &queue, void *scratch, const LineResult &result) const;

 private:
  LineSettings settings_;
  CannySmoothing smoothing_;
};

}  // namespace coalesce::gst
