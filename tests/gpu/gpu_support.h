// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests and the benchmark on a real GPU share: CUDA frames in and out of an element.
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#undef fail  // a name in the standard headers

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpu_test {

constexpr int kSkip = 77;

// Initialises the driver. If it has no device, ends the program: as skipped, or as failed when
// COALESCE_REQUIRE_GPU=1 says that there has to be one.
void require_gpu();

std::string caps_text(const char *format, int width, int height, bool cuda);

// An element between two pads of the test, with these caps on either side. In a CUDA context of its
// own, or in one that is made once: making one takes longer than most tests.
enum class Context { own, shared };
GstHarness *harness(const char *launch_line, const std::string &in_caps,
                    const std::string &out_caps, Context context = Context::own);

// A buffer from the pool that the element proposes for its sink caps.
GstBufferPool *proposed_pool(GstHarness *h);

// Packed bytes (row after row, no padding) into and out of a plane of a buffer, by the CPU map that
// any element may use.
void write_plane(GstBuffer *buffer, GstCaps *caps, guint plane,
                 const std::vector<std::uint8_t> &bytes, std::size_t row);
std::vector<std::uint8_t> read_plane(GstBuffer *buffer, GstCaps *caps, guint plane,
                                     std::size_t row);

// The meaningful bytes of a frame, plane after plane.
std::vector<std::uint8_t> bytes_of(GstBuffer *buffer, const GstVideoInfo &info);
// Has them written, row after row.
using WriteRow = std::function<void(std::uint8_t *row, std::size_t bytes)>;
void write_rows(GstBuffer *buffer, const GstVideoInfo &info, const WriteRow &write);

std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed);

GstBuffer *acquire(GstBufferPool *pool);
void drop_pool(GstBufferPool *pool);

// A number of an element's stats.
guint64 statistic(GstElement *element, const char *name);

struct CapsPair {
  std::string in, out;
};

// One element twice: on the GPU, and on the CPU, which tests/check has judged, to compare with.
class Twins {
 public:
  Twins(const std::string &element, const CapsPair &gpu, const CapsPair &cpu);
  ~Twins();
  Twins(const Twins &) = delete;
  Twins &operator=(const Twins &) = delete;

  struct Side {
    GstHarness *harness;
    GstBufferPool *pool;  // as the element proposes it
  };
  const Side (&sides() const)[2] { return sides_; }

  // The same samples on either side.
  GstBuffer *random_frame(const Side &side, unsigned seed) const;
  // Pulls the next frame of each and fails unless they have the same bytes.
  void expect_same_frames(const std::string &what) const;

 private:
  Side sides_[2];
};

// All frames are pushed before the first is looked at, so that their work is in flight together.
void compare_with_cpu(const std::string &element, const CapsPair &gpu, const CapsPair &cpu,
                      int frames);

// The program of a test, of one case.
int run(int *argc, char ***argv, const char *name, void (*add_tests)(TCase *));
// Of one that needs no GPU.
int run_anywhere(int *argc, char ***argv, const char *name, void (*add_tests)(TCase *));

}  // namespace gpu_test
