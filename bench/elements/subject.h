// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements between source pads and a sink pad of the benchmark, playing, and the times of frames
// that go through.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "content.h"

namespace coalesce::test {

struct StopElement {
  void operator()(GstElement *element) const {
    gst_element_set_state(element, GST_STATE_NULL);
    gst_object_unref(element);
  }
};
struct StopPool {
  void operator()(GstBufferPool *pool) const {
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
  }
};

struct Setup {
  const Content *content = nullptr;
  std::string out_caps = "ANY";
  int inputs = 1;
  bool own_memory = false;    // upstream's own in place of the pool that the elements propose
  std::size_t footprint = 0;  // bytes of the buffers that are pushed, one after the other
  bool look = false;          // also at frames in CUDA memory, in the course of frames()
};

class Subject {
 public:
  // In gst-launch's syntax. Throws if an element is missing, or refuses the caps. Elements that
  // propose no pool of CUDA memory get those of `other`.
  Subject(const std::string &description, const Setup &setup, const Subject *other);
  ~Subject() = default;
  Subject(const Subject &) = delete;
  Subject &operator=(const Subject &) = delete;

  // Microseconds: of a frame, from the first push until the last frame is finished, or where more
  // go before and after them, from output to output; of one frame from its push until all that it
  // brings out is finished; of a push, while the GPU has nothing to do at the first of them.
  double frames(int count, int before_and_after);
  double latency();
  double pushes(int count);

  // What comes out of the first frames, in system memory.
  Content outputs(int count);

  // Of a push, in the long run, and for how many pushes nothing came out at first.
  guint64 outputs_of_push() const { return per_push_; }
  int delay() const { return delay_; }
  bool is_asynchronous() const { return asynchronous_; }
  bool to_gpu() const { return out_on_gpu_; }
  double output_bytes() const;  // of a buffer, the mean
  // The sum of a counter in the property "stats" of all elements, for each frame.
  double stat(const char *name) const;
  std::string backend() const;  // the property "active-backend" of the first element that has one

 private:
  using Clock = std::chrono::steady_clock;
  enum class Sink { keeps_last, keeps_all, looks, times };

  static GstFlowReturn take(GstPad *pad, GstObject *parent, GstBuffer *buffer);
  void link(const std::string &description);
  GstPad *next_free_sink();
  void add_source(GstPad *sink);
  void start();
  void make_inputs(const Subject *other);
  GstBufferPool *proposed_pool() const;
  void learn();
  void wait_until_quiet(guint64 had);
  void set_mode(Sink mode);
  void prepare(int count);
  void push_prepared();
  void wait_for_outputs();
  void look_at_oldest(std::size_t keep);
  guint64 arrived() const;
  [[noreturn]] void fail(const std::string &what) const;

  Setup setup_;
  Owned<GstBus> bus_;
  Owned<GstPad> sink_;
  std::vector<Owned<GstPad>> sources_;
  std::unique_ptr<GstBufferPool, StopPool> pool_;
  std::vector<BufferRef> inputs_;  // of each push one for each source
  std::vector<BufferRef> prepared_;
  guint64 pushed_ = 0, per_push_ = 1, expected_ = 0;
  int delay_ = 0;
  bool asynchronous_ = false, out_on_gpu_ = false;
  std::thread::id pushing_ = std::this_thread::get_id();

  mutable std::mutex lock_;  // of what the sink pad's thread changes
  std::condition_variable arrival_;
  Sink mode_ = Sink::times;
  guint64 arrived_ = 0, bytes_ = 0;
  Clock::time_point last_arrival_;
  guint64 first_mark_ = 0, second_mark_ = 0;  // the outputs at which a measurement begins and ends
  Clock::time_point at_first_mark_, at_second_mark_;
  std::deque<BufferRef> outputs_;

  std::unique_ptr<GstElement, StopElement> bin_;  // stops before all else goes
};

}  // namespace coalesce::test
