// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipelines of the soak test.
#pragma once

#include "../gpu_support.h"
#include "soak_run.h"

namespace soak {

const std::vector<test::Size> kSizes{{64, 48}, {162, 122}, {320, 180}};
constexpr std::size_t kInterlacedSize = 2;           // an index; the others are progressive
const std::vector<int> kPositions{0, 7, 100, 1001};  // frames, of 25 a second
constexpr int kKinds = 5;

// Where a line is: indices of the two lists.
struct Place {
  std::size_t size, position;
};

struct Picture {
  test::BufferRef buffer;
  GstVideoInfo info;
  test::Bytes bytes() const { return test::picture(buffer.get(), info); }
};

// A test picture that moves, our elements, and an appsink. An error ends the program.
class Line : public test::Pipeline {
 public:
  Line(int kind, const char *backend, GstCudaContext *context);

  void go_to(const Place &place);  // a flushing seek, and a new size
  Picture pull();
  // Are these the bytes that the CPU back end makes at this place?
  void check(const Picture &picture, const Place &place) const;

 private:
  [[noreturn]] void die(const std::string &what) const override;

  int kind_;
};

}  // namespace soak
