// SPDX-License-Identifier: LGPL-2.1-or-later
#include "backend.h"

#include <utility>

#include "object/category.h"
#include "object/guarded.h"
#include "object/objectlock.h"
#include "object/onexit.h"

namespace coalesce::gst {

bool Backend::may_use_gpu() {
  return settings().choice != BackendChoice::cpu && gpu_gate().usable;
}

bool Backend::make_ready() {
  const BackendSettings set = settings();
  if (set.choice == BackendChoice::cpu) return true;
  // A machine without a GPU cannot honour an id, and auto means that it need not.
  if (set.choice == BackendChoice::automatic) return set.cuda_device_id < 0 || check_device_id();
  retry_gpu_gate();
  return ensure_session();
}

bool Backend::start() {
  failed_ = false;
  settings_.hold();
  OnExit undo([this] { stop(); });
  if (!make_ready()) return false;
  undo.dismiss();
  return true;
}

void Backend::stop() {
  session_.reset();
  threads_.reset();
  set_context(nullptr);
  set_active(ActiveBackend::none);
  settings_.release();
}

bool Backend::select(bool in_cuda, bool out_cuda, bool worth_the_trip) {
  const BackendChoice choice = settings().choice;
  const bool gpu =
      in_cuda || out_cuda || choice == BackendChoice::cuda || (worth_the_trip && may_use_gpu());
  if (gpu && !ensure_session()) return false;
  if (gpu)
    set_active(ActiveBackend::cuda);
  else
    use_cpu();
  constexpr const char *kChoices[] = {"auto", "cuda", "cpu"};
  GST_INFO_OBJECT(element_, "backend=%s works on %s (input in %s memory, output in %s memory%s)",
                  kChoices[int(choice)], gpu ? gpu_name_.c_str() : "the CPU",
                  in_cuda ? "CUDA" : "system", out_cuda ? "CUDA" : "system",
                  worth_the_trip ? ", heavy enough for a GPU" : "");
  return true;
}

bool Backend::is_heavy_enough(const GstVideoInfo &in, int for_each_pixel) const {
  const guint64 pixels = guint64(GST_VIDEO_INFO_WIDTH(&in)) * guint64(GST_VIDEO_INFO_HEIGHT(&in));
  const bool heavy = pixels * guint64(for_each_pixel) >= guint64{1} << 28;
  GST_DEBUG_OBJECT(element_,
                   "%d multiplications for each of %" G_GUINT64_FORMAT
                   " pixels: %sheavy enough for a GPU",
                   for_each_pixel, pixels, heavy ? "" : "not ");
  return heavy;
}

void Backend::use_cpu() {
  if (threads_ == nullptr) {
    threads_ = std::make_unique<ThreadPool>(settings().n_threads);
    GST_DEBUG_OBJECT(element_, "CPU threads: %d", threads_->threads());
  }
  set_active(ActiveBackend::cpu);
}

Queue Backend::queue() {
  return is_on_gpu() ? Queue::cuda(session_->stream->handle()) : Queue::cpu(threads_.get());
}

bool Backend::end_warm_up(bool enqueued) {
  const CUresult result = session_->stream->synchronize();
  if (enqueued && result != CUDA_SUCCESS) post_gpu_error("the first launch", result);
  session_->warm = enqueued && result == CUDA_SUCCESS;
  return session_->warm;
}

void Backend::finish() {
  if (failed() || session_ == nullptr) return;
  if (CUresult result = session_->synchronize(); result != CUDA_SUCCESS)
    post_gpu_error("processing the last frames", result);
}

// Of the first pad of that direction, 0 for input: those that are being set, or the pad's own.
CapsRef Backend::caps_of_pad(int direction) {
  if (GstCaps *caps = new_caps_[direction]) return CapsRef(gst_caps_ref(caps));
  GstPad *pad = nullptr;
  {
    const ObjectLock lock(element_);
    const GList *pads = direction == 0 ? element_->sinkpads : element_->srcpads;
    if (pads != nullptr) pad = GST_PAD(gst_object_ref(pads->data));
  }
  CapsRef caps(pad != nullptr ? gst_pad_get_current_caps(pad) : nullptr);
  gst_clear_object(&pad);
  return caps;
}

bool Backend::failed() const {
  return failed_ || is_broken(element_);
}

void Backend::post_gpu_error(const std::string &what) {
  if (failed_.exchange(true) || is_broken(element_)) return;
  const CapsRef in = caps_of_pad(0), out = caps_of_pad(1);
  GST_ELEMENT_ERROR(element_, RESOURCE, FAILED, ("%s: %s", gpu_name_.c_str(), what.c_str()),
                    ("input %" GST_PTR_FORMAT ", output %" GST_PTR_FORMAT, in.get(), out.get()));
}

void Backend::post_gpu_error(const char *doing, CUresult result) {
  post_gpu_error(
      std::string(doing) + " failed: " + cuda_error_text(result) +
      (result == CUDA_ERROR_OUT_OF_MEMORY ? "; backend=cpu requires no device memory" : ""));
}

}  // namespace coalesce::gst
