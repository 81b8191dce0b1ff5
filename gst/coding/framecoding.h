// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames of an encoder on either back end. On the GPU there are as many at once as its memory
// has room for. Where it has none for a single one, or no kernels, they are left to the CPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/encoder.h"
#include "base/flight/framesinflight.h"
#include "base/job.h"

namespace coalesce::gst {

// Frames under way on the GPU. They are finished in the order in which they were started, and
// device memory is taken when this is made. One thread may start frames while another one finishes
// those before. The context must be current in every call; after an error, all but abandon() is
// over.
class FrameFlight {
 public:
  virtual ~FrameFlight() = default;  // waits for what is under way; any context may be current

  virtual const void *coder() const = 0;  // FrameCoder::coder(), as it was when this was made
  virtual int room() const = 0;           // frames

  // There must be room. in: upstream's buffer, of which `frame` has the samples.
  virtual Status start(const Frame &frame, GstBuffer *in, const Stream &stream) = 0;
  // Of the oldest frame: waits until it is coded, and says how many bytes it has;
  virtual Status wait(std::size_t *bytes) = 0;
  // copies them, to page-locked memory, and waits for that. This is the frame's end. *downloaded:
  // bytes of them that were on the GPU.
  virtual Status fetch(std::uint8_t *to, std::size_t *downloaded) = 0;
  // Of all frames, where no other thread is in any call.
  virtual void abandon() = 0;
  // For an error message, of what wait() or fetch() has returned.
  virtual std::string text(const Status &status) const = 0;
};

// What an encoder codes frames with. All functions are the streaming thread's.
class FrameCoder {
 public:
  virtual ~FrameCoder() = default;

  // Settings with a format; nullptr if no settings will do, which has been an error. The functions
  // below are about this one.
  virtual const void *coder() const = 0;
  virtual const GstVideoInfo &info() const = 0;
  virtual Job::Rows rows() const = 0;
  virtual int frames_in_flight() const = 0;  // the property; 0: as many as there is memory for
  virtual Status frame_memory(std::size_t *bytes) const = 0;  // of the device, for a frame
  virtual Status make_flight(GstCudaContext *context, int frames,
                             std::unique_ptr<FrameFlight> *flight) const = 0;
  // On the CPU: appends to *out.
  virtual Status encode(const Frame &frame, GstBuffer *in, ThreadPool *pool,
                        std::vector<std::uint8_t> *out) = 0;
  virtual std::string text(const Status &status) const = 0;  // for an error message

  // A frame has been encoded.
  virtual bool has_encoded() const = 0;
  virtual void note_good() = 0;
  // What settings make impossible may be noticed with the first frame only. Is it that? Then
  // go_back() has other settings from now on; false: there are none, which has been an error.
  virtual bool is_refusal(const Status &status) const = 0;
  virtual bool go_back(const Status &status) = 0;
};

// Errors have been posted where functions fail. finish() is the task's; while frames are left to
// it, neither the coder nor what is here changes, but for what a flight says otherwise.
class FrameCoding {
 public:
  FrameCoding(GstCoalesceEncoder *element, FrameCoder *current)
      : element_(element), backend_(backend_of(element)), current_(*current) {}

  // The back end for these caps, made ready.
  bool choose_backend(GstCaps *in_caps);
  // There is another coder, and what was too much for the GPU may not be any more.
  bool try_again();
  // The CUDA context is another one.
  bool move_to_context();
  void stop();

  // One frame. On the GPU the first one with its settings is finished and pushed, too, and so is
  // each where one is in flight at a time.
  GstFlowReturn encode(GstBuffer *in);
  FrameFlight *flight() const { return flight_.get(); }  // nullptr: the CPU's
  // GstCoalesceEncoderClass::finish() and discard().
  GstFlowReturn finish(GstBuffer **out);
  void discard();

 private:
  GpuSession &session() { return backend_.session(); }
  bool is_prepared() const {
    return left_to_cpu_ || (flight_ != nullptr && flight_->coder() == current_.coder());
  }
  bool prepare(int most = kMostFramesInFlight);
  GstFlowReturn prepare_fewer();
  int choose_frames() const;
  Status make_flight(int frames);
  Status warm_up();
  std::string no_memory_text() const;
  bool leave_to_cpu(const std::string &why);

  GstFlowReturn encode_on_cpu(GstBuffer *in);
  GstFlowReturn encode_on_gpu(GstBuffer *in);
  GstFlowReturn try_to_encode(GstBuffer *in);
  GstFlowReturn start_frame(GstBuffer *in);
  GstFlowReturn finish_first(GstBuffer *in);
  Status wait(std::size_t *bytes);
  GstFlowReturn fetch(std::size_t bytes, GstBuffer **out);
  void post(const Status &status, const std::string &text);
  GstFlowReturn fail(const Status &status, const std::string &text);

  GstCoalesceEncoder *element_;
  Backend &backend_;
  FrameCoder &current_;
  CapsRef in_caps_;
  FramePool upload_pool_;                // of device memory
  std::unique_ptr<FrameFlight> flight_;  // of the current coder, or one before
  bool left_to_cpu_ = false;             // the current coder's frames
  std::vector<std::uint8_t> bytes_;      // of a frame on the CPU; kept for their memory
};

}  // namespace coalesce::gst
