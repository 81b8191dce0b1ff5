// SPDX-License-Identifier: LGPL-2.1-or-later
// j2kenc on the GPU between two pads of the test: every frame that comes out is compared with what
// the CPU makes of the same picture and settings, and with the time that it went in with.
#pragma once

#include <deque>
#include <functional>
#include <stdexcept>

#include "../gpu_support.h"

namespace gpu_test {

// How frames are given to the element.
enum class Input {
  cuda,         // in CUDA memory, of the pool that it proposes
  page_locked,  // in system memory, of the pool that it proposes
  pageable      // in system memory that is nobody's
};

struct Coding {
  std::string format;
  int width, height;
  std::string settings = {};   // of j2kenc: "bpp=2; precincts=256x256 128x128"
  std::string more_caps = {};  // ",interlace-mode=interleaved"
  std::string media = "image/x-jpc";
  std::string filter = {};   // in front of j2kenc: "convolve preset=sharpen"
  int frames_in_flight = 0;  // means nothing to the CPU

  std::string text() const;
};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the CPU makes of a picture, made once. From any thread.
const std::vector<std::uint8_t> &on_cpu(const Coding &coding, unsigned picture);

// Whatever is not as it should be is thrown as a Failure.
class J2kHarness {
 public:
  J2kHarness(const Coding &coding, Input input, Context context = Context::shared);
  ~J2kHarness();
  J2kHarness(const J2kHarness &) = delete;
  J2kHarness &operator=(const J2kHarness &) = delete;

  // From the next frame on, in mid-stream. Media and filter stay what they were.
  void change(const Coding &coding);
  // Frames have few pictures, in turns.
  void push(int frames);
  // Frames in flight go.
  void flush();
  void restart();  // down to NULL and up again
  // The frames that have come out are the next ones.
  void check();
  // Those in flight, too, and none is missing.
  void end();
  guint64 statistic(const char *name) const;

 private:
  J2kHarness(const Coding &coding, Input input, GstHarness *harness);

  struct Pushed {
    Coding coding;
    guint64 number;
  };

  void begin_stream();
  void new_pool();
  void send(GstEvent *event);
  GstBuffer *frame(unsigned picture);
  void check_frame(GstBuffer *buffer, const Pushed &pushed) const;
  void check_messages() const;

  Coding coding_;
  Input input_;
  GstHarness *harness_;
  GstElement *coder_;
  GstBus *bus_;
  GstBufferPool *pool_ = nullptr;
  guint64 number_ = 0;
  std::deque<Pushed> pushed_;
};

// Every case is tried; the test fails if one has failed.
class Cases {
 public:
  ~Cases();
  bool attempt(const std::function<void()> &one);
  bool encode(const Coding &coding, Input input, int frames = 4);

 private:
  int tried_ = 0, failed_ = 0;
};

}  // namespace gpu_test
