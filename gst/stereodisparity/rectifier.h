// SPDX-License-Identifier: LGPL-2.1-or-later
// The property rectify: a calibration, and its maps where the back end reads them.
#pragma once

#include <optional>
#include <string>

#include "base/job.h"
#include "remap/calibration.h"

namespace coalesce::gst {

class Rectifier {
 public:
  explicit Rectifier(gpointer element) : element_(GST_ELEMENT(element)) {}

  // At the start: reads a file; without a name nothing is rectified. Posts an error and returns
  // false if it has no calibration.
  bool load(const std::string &path);
  bool is_on() const { return calibration_.has_value(); }
  const StereoCalibration &calibration() const { return *calibration_; }

  // For pictures of this size. Posts an error and returns false if the calibration is of another
  // one, or there is no memory.
  bool make_maps(int width, int height);
  // In a job that has prepared the table: of the left camera, of the right one.
  RemapMap map(int camera) const;
  JobTable &table() { return table_; }

  void drop();

 private:
  struct Layout;

  GstElement *element_;
  std::string setting_;  // as messages name it
  std::optional<StereoCalibration> calibration_;
  int width_ = 0, height_ = 0;  // of the maps
  JobTable table_;
};

}  // namespace coalesce::gst
