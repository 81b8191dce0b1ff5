// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipelines of the soak test.
#pragma once

#include <memory>
#include <vector>

#include "gpu_support.h"
#include "soak_run.h"

namespace soak {

struct Size {
  int width, height;
};
const std::vector<Size> kSizes{{64, 48}, {162, 122}, {320, 180}};
const std::vector<int> kPositions{0, 7, 100, 1001};  // frames, of 30 a second
constexpr int kKinds = 3;

// Where a line stands: indices of the two lists.
struct Place {
  std::size_t size, position;
};

struct DropSample {
  void operator()(GstSample *sample) const { gst_sample_unref(sample); }
};
using Sample = std::unique_ptr<GstSample, DropSample>;

// A test picture that moves, our elements, and an appsink. An error ends the program.
class Line {
 public:
  Line(int kind, const char *backend, GstCudaContext *context);
  ~Line();
  Line(const Line &) = delete;
  Line &operator=(const Line &) = delete;

  void go_to(const Place &place) const;  // a flushing seek, and a new size
  Sample pull() const;
  // Are these the bytes that the CPU back end makes at this place?
  void check(GstSample *sample, const Place &place) const;

 private:
  void look_at_bus() const;
  [[noreturn]] void die(const std::string &what) const;

  int kind_;
  GstElement *pipeline_, *size_, *sink_;
};

}  // namespace soak
