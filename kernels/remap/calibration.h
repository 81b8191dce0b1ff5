// SPDX-License-Identifier: LGPL-2.1-or-later
// Calibrations of two cameras, as OpenCV's FileStorage writes them in YAML.
#pragma once

#include <string>
#include <string_view>

#include "rectification.h"

namespace coalesce {

struct StereoCalibration {
  RectifiedCamera camera[2];  // left, right
  // Of the pictures that it was made with, and the lines of the text that say so; 0 if none does.
  int width = 0, height = 0;
  int width_line = 0, height_line = 0;

  // In pixels; and the distance of the cameras in the calibration's unit, 0 if there is none.
  double focal_length() const { return camera[0].projection[0]; }
  double baseline() const { return -camera[1].projection[3] / camera[1].projection[0]; }
};

// Reads M1, D1, R1, P1 and M2, D2, R2, P2, as OpenCV's sample stereo_calib writes them to two files
// (here in one; a second head is skipped), and width and height of the pictures where they are:
// image_width, image_height. cameraMatrix1, distCoeffs1, imageWidth and imageHeight are other names
// of the sample 3calibration. Everything else is skipped.
//
// Matrices have numbers of type d or f. D has 4, 5, 8, 12 or 14. The right camera must be right of
// the left one. On failure returns false and says in `error` in which line, counted from 1, what
// was found, and what is expected; `calibration` is left alone.
bool parse_stereo_calibration(std::string_view text, StereoCalibration *calibration,
                              std::string *error);

}  // namespace coalesce
