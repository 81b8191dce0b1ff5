// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity between two sources of the test's and a sink.
#pragma once

#include "../../support/elements/elements.h"
#include "../../support/elements/pipeline.h"
#include "../../support/temporary_file.h"

namespace test {

// Frames of one format and size, for `seed`: the left one is random, and the right one is the left
// one moved by 5 pixels, where noise does not replace its bytes.
struct StereoFrames {
  StereoFrames(const GstVideoInfo &info, guint32 seed, bool noisy = false);
  BufferRef left, right;
};

// Its sources are l and r. front: behind either, as in " ! rgb2yuv".
class StereoPair : public SeveralInputs {
 public:
  StereoPair(const std::string &left, const std::string &right, const std::string &properties = "",
             const std::string &out = "ANY", const std::string &front = "")
      : SeveralInputs({{"l", "left", left, front}, {"r", "right", right, front}},
                      "stereodisparity " + properties, out) {}

  // Copies of both, as the nth frames of their streams.
  void push_frames(const StereoFrames &frames, unsigned n) const;
};

// A calibration of two cameras; as made, one that changes no picture.
struct Calibration {
  explicit Calibration(double focal_length = 50, double baseline = 80);

  using Numbers = std::vector<double>;
  // By camera: 9, any number, 9, 12.
  Numbers matrix[2], distortion[2], rotation[2], projection[2];
  std::string head = "%YAML:1.0\n---\n";

  std::string text() const;
};

// A file for `rectify`.
class CalibrationFile : public TemporaryFile {
 public:
  explicit CalibrationFile(const std::string &text) { write(text); }
  explicit CalibrationFile(const Calibration &calibration) { write(calibration.text()); }
  void write(const std::string &text) const;
  std::string property() const { return " rectify=" + name() + " "; }
};

}  // namespace test
