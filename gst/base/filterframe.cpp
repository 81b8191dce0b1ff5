// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filterframe.h"

#include "core/onexit.h"
#include "gpuinput.h"
#include "memory/fencedmemory.h"
#include "transfer.h"
#include "video/alignedframe.h"
#include "video/input.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

namespace coalesce::gst {
namespace {

GstFlowReturn bad_status(GstCoalesceFilter *self, const Status &status) {
  const GstVideoInfo &in = self->priv->in_info, &out = self->priv->out_info;
  if (backend_of(self).is_on_gpu())
    backend_of(self).post_gpu_error(status.message());
  else
    GST_ELEMENT_ERROR(
        self, STREAM, FAILED,
        ("%s frame of %dx%d to %s: %s", GST_VIDEO_INFO_NAME(&in), GST_VIDEO_INFO_WIDTH(&in),
         GST_VIDEO_INFO_HEIGHT(&in), GST_VIDEO_INFO_NAME(&out), status.message()),
        (nullptr));
  return GST_FLOW_ERROR;
}

// The output is interlaced if the input is; scratch frames have no flags that would say so, and no
// row that the frame they are copied to lacks.
Status run_element(GstCoalesceFilter *self, const Frame &in, Frame &out, Frame *target = nullptr) {
  out.set_interlaced(in.interlaced());
  if (target != nullptr) {
    target->set_interlaced(in.interlaced());
    out.be_copy_of(*target);
  }
  return GST_COALESCE_FILTER_GET_CLASS(self)->run(self, in, out, backend_of(self).queue());
}

// One frame's way over the GPU. Each step posts its own error.
class GpuFrame {
 public:
  GpuFrame(GstCoalesceFilter *self, GstBuffer *in, GstBuffer *out)
      : self_(self),
        session_(backend_of(self).session()),
        in_(backend_of(self), in, self->priv->in_info),
        out_buffer_(out) {}

  GstFlowReturn run() {
    ContextScope scope(session_.context.get());
    if (!scope.ok()) return fail("making the CUDA context current", CUDA_ERROR_UNKNOWN);
    // Some of the work may be in flight; let it end before the buffers go.
    OnExit wait([this] { (void)session_.synchronize(); });
    const GstFlowReturn flow = enqueue();
    if (flow == GST_FLOW_OK) wait.dismiss();
    return flow;
  }

 private:
  GstFlowReturn enqueue() {
    if (const CUresult result = in_.choose_stream(); result != CUDA_SUCCESS)
      return fail("making a CUDA stream", result);
    GstFlowReturn flow = in_.take(self_->priv->upload_pool.get());
    if (flow == kNoDeviceMemory)
      return fail("allocating device memory for an upload", CUDA_ERROR_OUT_OF_MEMORY);
    if (flow == GST_FLOW_OK) flow = take_output();
    if (flow != GST_FLOW_OK) return flow;
    const Status status =
        run_element(self_, in_.frame(), out_, self_->priv->out_cuda ? nullptr : &target_);
    if (!status.ok()) return bad_status(self_, status);
    return leave_in_flight();
  }

  GstFlowReturn take_output() {
    GstBuffer *target = out_buffer_;
    if (!self_->priv->out_cuda) {
      if (!target_.map(out_buffer_, self_->priv->out_info, transfer_memory(out_buffer_),
                       GST_MAP_WRITE))
        return post_bad_frame(GST_ELEMENT(self_), "output", target_);
      scratch_.reset(pool_acquire(self_->priv->output_pool.get()));
      target = scratch_.get();
    }
    if (target == nullptr)
      return fail("allocating device memory for a frame", CUDA_ERROR_OUT_OF_MEMORY);
    if (!out_.map(target, self_->priv->out_info, Memory::cuda, GST_MAP_WRITE))
      return post_bad_frame(GST_ELEMENT(self_), "output", out_);
    fence_ = memory_fence(gst_buffer_peek_memory(target, 0));
    const CUresult result = fence_->order(*session_.stream, GST_MAP_WRITE);
    return result == CUDA_SUCCESS ? GST_FLOW_OK : fail("waiting for other readers", result);
  }

  // The output goes on with its fence; what the GPU still reads is kept until it has done so.
  GstFlowReturn leave_in_flight() {
    CUresult result = CUDA_SUCCESS;
    auto event = session_.mark(*session_.stream, &result);
    if (event == nullptr) return fail("fencing a frame", result);
    in_.retire(event);
    if (self_->priv->out_cuda) {
      fence_->written(std::move(event), session_.stream);
    } else {
      result = download_frame(session_, scratch_.get(), out_, event, out_buffer_, target_);
      if (result != CUDA_SUCCESS) return fail("downloading a frame", result);
    }
    return GST_FLOW_OK;
  }

  GstFlowReturn fail(const char *doing, CUresult result) {
    backend_of(self_).post_gpu_error(doing, result);
    return GST_FLOW_ERROR;
  }

  GstCoalesceFilter *self_;
  GpuSession &session_;
  GpuInput in_;
  GstBuffer *out_buffer_;
  BufferRef scratch_;
  MemoryFence *fence_ = nullptr;  // of what the kernels write
  Frame out_;
  Frame target_;  // the output, where it has to be downloaded
};

}  // namespace

GstFlowReturn filter_run_on_cpu(GstCoalesceFilter *self, GstBuffer *in_buffer,
                                GstBuffer *out_buffer) {
  GstCoalesceFilterPrivate &priv = *self->priv;
  Frame in, out;
  if (!in.map(in_buffer, priv.in_info, Memory::system, GST_MAP_READ))
    return post_bad_frame(GST_ELEMENT(self), "input", in);
  if (!out.map(out_buffer, priv.out_info, Memory::system, GST_MAP_WRITE))
    return post_bad_frame(GST_ELEMENT(self), "output", out);
  AlignedFrame from, to;
  if (!from.stand_in(in, priv.in_caps, &priv.upload_pool) ||
      !to.stand_in(out, priv.out_caps, &priv.output_pool))
    return bad_status(self, {StatusCode::out_of_memory, "no memory for a copy of the frame"});
  from.fetch();
  const Status status = run_element(self, from.frame(), to.frame(), to.original_if_other());
  if (!status.ok()) return bad_status(self, status);
  to.write_back();
  return GST_FLOW_OK;
}

GstFlowReturn filter_run_on_gpu(GstCoalesceFilter *self, GstBuffer *in, GstBuffer *out) {
  return GpuFrame(self, in, out).run();
}

bool filter_warm_up(GstCoalesceFilter *self) {
  GpuSession &session = backend_of(self).session();
  if (session.warm) return true;
  ContextScope scope(session.context.get());
  BufferRef from(pool_acquire(self->priv->upload_pool.get()));
  BufferRef to(pool_acquire(self->priv->output_pool.get()));
  Frame in, out;
  if (!from || !to || !in.map(from.get(), self->priv->in_info, Memory::cuda, GST_MAP_WRITE) ||
      !out.map(to.get(), self->priv->out_info, Memory::cuda, GST_MAP_WRITE)) {
    backend_of(self).post_gpu_error("no device memory for the frames");
    return false;
  }
  const Status status = run_element(self, in, out);
  const CUresult result = session.stream->synchronize();
  if (!status.ok()) {
    bad_status(self, status);
    return false;
  }
  if (result != CUDA_SUCCESS) {
    backend_of(self).post_gpu_error("the first launch", result);
    return false;
  }
  session.warm = true;
  return true;
}

}  // namespace coalesce::gst
