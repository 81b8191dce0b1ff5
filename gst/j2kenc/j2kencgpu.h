// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on the GPU: as many at once as its memory has room for. Where it has none for a single
// one, or no kernels, they are left to the CPU.
#pragma once

#include "base/encoder.h"
#include "base/job.h"
#include "j2kenccurrent.h"
#include "j2kencflight.h"

GST_DEBUG_CATEGORY_EXTERN(gst_j2kenc_debug);

namespace coalesce::gst {

// The frame is the CPU's, with a warning that says why.
constexpr GstFlowReturn kLeftToCpu = GST_FLOW_CUSTOM_SUCCESS;

// Errors have been posted where functions fail. finish() is the task's; while frames are left to
// it, neither the coder nor what is here changes, but for their targets.
class J2kGpu {
 public:
  J2kGpu(GstCoalesceEncoder *element, J2kCurrentCoder *current)
      : element_(element), backend_(backend_of(element)), current_(*current) {}

  // The back end for these caps, made ready.
  bool choose_backend(GstCaps *in_caps);
  // There is another coder, and what was too much for the GPU may not be any more.
  bool try_again();
  // The CUDA context is another one.
  bool move_to_context();
  void stop();

  // Starts a frame. The first one with its settings is finished and pushed, too, and so is each
  // where one is in flight at a time.
  GstFlowReturn encode(GstBuffer *in);
  // Those of the coder that frames are started with from now on.
  Status set_targets(const J2kCoder &other);
  // GstCoalesceEncoderClass::finish() and discard().
  GstFlowReturn finish(GstBuffer **out);
  void discard();

 private:
  GpuSession &session() { return backend_.session(); }
  bool is_prepared() const {
    return left_to_cpu_ || (flight_ != nullptr && flight_->coder() == current_.get());
  }
  bool prepare(int most = kJ2kMostInFlight);
  GstFlowReturn prepare_fewer();
  int choose_frames() const;
  Status make_flight(int frames);
  Status warm_up();
  bool leave_to_cpu(const std::string &why);

  GstFlowReturn try_to_encode(GstBuffer *in);
  GstFlowReturn start_frame(GstBuffer *in);
  GstFlowReturn finish_first(GstBuffer *in);
  Status wait(std::size_t *bytes);
  GstFlowReturn fetch(std::size_t bytes, GstBuffer **out);
  GstFlowReturn fail(const Status &status);

  GstCoalesceEncoder *element_;
  Backend &backend_;
  J2kCurrentCoder &current_;
  CapsRef in_caps_;
  FramePool upload_pool_;              // of device memory
  std::unique_ptr<J2kFlight> flight_;  // of the current coder, or one before
  bool left_to_cpu_ = false;           // the current coder's frames
};

// The element error for frames that were not encoded.
void j2k_post_status(GstCoalesceEncoder *element, const Status &status);

}  // namespace coalesce::gst
