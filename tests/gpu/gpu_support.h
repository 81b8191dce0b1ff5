// SPDX-License-Identifier: LGPL-2.1-or-later
// What only the tests and the benchmarks on a real GPU need: a GPU, a CUDA context that is made
// once, and the comparison with the CPU.
#pragma once

#include "../support/elements/cudamemory.h"
#include "../support/elements/pipeline.h"

namespace gpu_test {

using namespace test;

// Initialises the driver. If it has no device, ends the program: as skipped, or as failed when
// COALESCE_REQUIRE_GPU=1 says that there has to be one.
void require_gpu();

// Of a GPU, by all who use it. What the driver does not tell is 0.
struct DeviceMemory {
  std::size_t free = 0, total = 0;
};
DeviceMemory device_memory(GstCudaContext *context);

std::string caps_text(const char *format, int width, int height, bool cuda);

// An element between two pads of the test, with these caps on either side. In a CUDA context of its
// own, or in one that is made once: making one takes longer than most tests.
enum class Context { own, shared };
void share_context(GstElement *element);
GstHarness *harness(const char *launch_line, const std::string &in_caps,
                    const std::string &out_caps, Context context = Context::own);

// A buffer from the pool that the element proposes for its sink caps.
GstBufferPool *proposed_pool(GstHarness *h);

// Bytes without padding into a frame or into one plane of it, by the CPU map that any element may
// use.
void write_picture(GstBuffer *buffer, const GstVideoInfo &info, const Bytes &bytes);
void write_plane(GstBuffer *buffer, GstCaps *caps, int plane, const Bytes &bytes, std::size_t row);

Bytes random_bytes(std::size_t count, unsigned seed);
// Rows of random bytes, the same ones for the same number.
void paint(GstBuffer *buffer, const GstVideoInfo &info, unsigned picture);

struct CapsPair {
  std::string in, out;
};

// One element on the GPU or on the CPU, with the pool that it proposes.
class Side {
 public:
  Side(const std::string &line, const CapsPair &caps);
  ~Side();
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  GstHarness *get() const { return harness_; }
  BufferRef frame(unsigned picture) const;
  void push(const BufferRef &frame) const;
  Bytes pull() const;

 private:
  GstHarness *harness_;
  GstBufferPool *pool_;
};

// One element twice: on the GPU, and on the CPU, which tests/check has judged.
struct Twins {
  Twins(const std::string &element, const CapsPair &gpu_caps, const CapsPair &cpu_caps)
      : gpu(element + " backend=cuda", gpu_caps), cpu(element + " backend=cpu", cpu_caps) {}
  // Fails unless the next frame of each has the same bytes.
  void expect_same_frames(const std::string &what) const;

  Side gpu, cpu;
};
// All frames are pushed before the first is looked at, so that their work is in flight together.
void compare_with_cpu(const std::string &element, const CapsPair &gpu, const CapsPair &cpu,
                      int frames);

// The program of a test, of one case.
int run(int *argc, char ***argv, const char *name, void (*add_tests)(TCase *));
// Of one that needs no GPU.
int run_anywhere(int *argc, char ***argv, const char *name, void (*add_tests)(TCase *));

}  // namespace gpu_test
