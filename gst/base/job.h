// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in, work, pictures out: what every class of elements does with frames, on either back
// end.
//
//   Job job(backend);
//   job.begin(buffer);                            the stream, on the GPU
//   job.load(buffer, info, pool, &in);            inputs, or job.read(in) for one loaded before
//   job.write(out_buffer, out_info, pool, &out);  outputs
//   run(in.frame(), out.frame(), backend.queue());
//   job.end();
//
// On the CPU the work is over then. On the GPU it is in flight: outputs carry a fence, and inputs
// are kept until they have been read. Each step posts its own error, unless its comment says
// otherwise. A job that goes without end() first waits for what is in flight: frames live longer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "backend.h"
#include "memory/devicebytes.h"
#include "video/frame.h"

namespace coalesce::gst {

// There is no memory for a copy of a frame, or beside the frames. Nothing has been posted, and it
// can be tried again.
constexpr GstFlowReturn kNoMemory = GST_FLOW_CUSTOM_ERROR;

// An input where the back end reads it, in any number of jobs of one session: on the CPU in system
// memory, on the GPU in device memory of the session's context. Samples are aligned to their size.
// It is upstream's buffer if that is all this, else a copy.
class DeviceFrame {
 public:
  const Frame &frame() const { return copy_ ? *copy_ : frame_; }
  // What is read: upstream's buffer, or one of the pool.
  GstBuffer *buffer() const { return buffer_.get(); }
  // Before load(): the caller keeps upstream's buffer until the job's work has been done. (Else the
  // session does, and a little longer, so that it is not the caller's alone.)
  void set_kept_by_caller(bool kept) { kept_by_caller_ = kept; }
  // What the frame before said, where this one is a copy of it.
  void be_copy_of(const Frame::Fields &fields) { (copy_ ? *copy_ : frame_).be_copy_of(fields); }
  // Lets go of it; what is in flight is not affected.
  void reset();

 private:
  friend class Job;
  BufferRef buffer_;
  Frame frame_;
  std::optional<Frame> copy_;
  bool kept_by_caller_ = false;
  // In a job.
  DeviceFrame *next_ = nullptr;
  MemoryFence *writers_fence_ = nullptr;  // where the job is in the stream that wrote it
};

// An output: the buffer itself, or a frame that will be copied to it.
class OutputFrame {
 public:
  const Frame &frame() const { return own_ ? *own_ : frame_; }
  // Is the picture two fields? (Outputs have no flags yet that would say so.)
  void set_interlaced(bool interlaced);
  // Lets go of it, after the job.
  void reset();

 private:
  friend class Job;
  GstBuffer *buffer_ = nullptr;  // downstream's
  Frame frame_;
  BufferRef own_buffer_;
  std::optional<Frame> own_;
  // In a job.
  OutputFrame *next_ = nullptr;
  MemoryFence *fence_ = nullptr;  // of what is written, on the GPU
};

// Memory beside the frames, in a job.
struct BesideFrames {
  DeviceBytes *bytes = nullptr;
  bool written = false;
  BesideFrames *next = nullptr;
};

class Job {
 public:
  enum class Rows { of_buffer, of_both_fields };

  explicit Job(Backend &backend);
  ~Job();

  // The newest input, or nullptr. If this thread has written it in a
  // stream of the session's context, the work goes to that stream; else to one of the session's
  // own, by turns. So elements in a row need not be ordered, and give frames back at once. (Between
  // threads they would keep the frames of one from overlapping those of the other.) Without this it
  // goes to the stream of the job before.
  GstFlowReturn begin(GstBuffer *newest);

  // An input from upstream; copies are made in `pool`, of the same format. of_both_fields: chroma
  // rows that one field of an interlaced picture lacks on the GPU are copies of the last. `pad`:
  // for errors, the name of one of several.
  GstFlowReturn load(GstBuffer *buffer, const FrameInfo &info, FramePool &pool, DeviceFrame *frame,
                     Rows rows = Rows::of_buffer, const char *pad = nullptr);
  // One that an earlier job has loaded.
  GstFlowReturn read(DeviceFrame &frame);
  // Both stay where they are until the job has ended.
  GstFlowReturn write(GstBuffer *buffer, const FrameInfo &info, FramePool &pool,
                      OutputFrame *frame);

  // On the GPU, memory beside the frames: to be overwritten, or read where nobody writes it. It and
  // *link stay until the job has ended.
  GstFlowReturn overwrite(DeviceBytes &bytes, BesideFrames *link);
  void look_at(DeviceBytes &bytes, BesideFrames *link);

  // The work has been done, or enqueued.
  GstFlowReturn end();

 private:
  GstFlowReturn ok(const char *doing, CUresult result);
  bool is_in_stream_of(DeviceFrame &frame, MemoryFence &fence) const;
  GstFlowReturn copy(GstBuffer *theirs, bool in_place, FramePool &pool, Rows rows,
                     DeviceFrame *frame);
  CUresult copy_on_gpu(GstBuffer *theirs, bool in_place, Rows rows, DeviceFrame *frame);
  void retire(DeviceFrame &input, const std::shared_ptr<Event> &done);
  CUresult leave(OutputFrame &output, const std::shared_ptr<Event> &done);

  Backend &backend_;
  const bool on_gpu_;
  const ContextScope scope_;
  DeviceFrame *inputs_ = nullptr;
  OutputFrame *outputs_ = nullptr;
  BesideFrames *beside_ = nullptr;
  GstBuffer *newest_ = nullptr;
  MemoryFence *newests_fence_ = nullptr;  // if it is memory of ours, in the session's context
  bool in_newests_stream_ = false;
  bool in_flight_ = false;
};

// For kNoMemory: that there is none for so many bytes beside the frames, and what requires less.
std::string no_memory_beside_frames(const Backend &backend, gsize bytes);

// Memory that a job needs beside its frames, and nobody after it. On the GPU two pieces of it serve
// by turns, so that jobs in two streams need not wait for each other; a piece has a fence, as
// outputs have. Where there is memory for one piece alone, they wait.
class Scratch {
 public:
  // With one piece each job waits for the one before, whose bytes it finds.
  explicit Scratch(std::size_t pieces = 2) : turns_(pieces) {}
  // For a job that has begun, which ends before the next one: `bytes` of the back end's memory,
  // aligned to 16 bytes. kNoMemory as in Job::write().
  GstFlowReturn prepare(Backend &backend, Job &job, gsize bytes);
  // The same for work on the GPU that is waited for. False: there is no memory.
  bool prepare_alone(Backend &backend, gsize bytes);
  void *data() const { return data_; }
  // All of it; what is in flight is waited for.
  void drop();

 private:
  DeviceBytes *next_piece(Backend &backend, gsize bytes);

  std::unique_ptr<DeviceBytes> pieces_[2];
  BesideFrames in_job_;  // the last one
  const std::size_t turns_;
  std::size_t turn_ = 0;
  bool one_alone_ = false;  // there was no memory for another piece
  std::unique_ptr<std::max_align_t[]> host_;
  gsize room_ = 0;
  void *data_ = nullptr;
};

// Bytes that jobs read beside their frames, and that stay as they are. On the GPU they are a copy,
// which the first job makes, and waits for.
class JobTable {
 public:
  // Instead of those before: so many, for the caller to fill before the next job. nullptr: there is
  // no memory.
  void *make(gsize bytes);
  // For a job that has begun, as Scratch::prepare().
  GstFlowReturn prepare(Backend &backend, Job &job);
  const void *data() const { return data_; }
  gsize bytes() const { return bytes_; }
  // Lets go of the copy, which is of one session.
  void leave_gpu();
  void drop();

 private:
  std::unique_ptr<std::max_align_t[]> host_;
  gsize bytes_ = 0;
  std::unique_ptr<DeviceBytes> copy_;
  BesideFrames in_job_;  // the last one
  const void *data_ = nullptr;
};

// Memory that a job leaves to the next one of its stream.
class KeptMemory {
 public:
  // As of Scratch.
  GstFlowReturn prepare(Backend &backend, Job &job, gsize bytes);
  bool prepare_alone(Backend &backend, gsize bytes);
  void *data() const { return memory_.data(); }
  // The job before has not left it: there was none, or none that wanted so many bytes, or what
  // comes does not follow it.
  bool is_new() const { return is_new_; }
  void forget() { bytes_ = 0; }
  void drop();

 private:
  Scratch memory_{1};
  gsize bytes_ = 0;  // that the job before has left
  bool is_new_ = true;
};

}  // namespace coalesce::gst
