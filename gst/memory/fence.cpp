// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fence.h"

#include <utility>

namespace coalesce::gst {

void Fence::written(std::shared_ptr<Event> event, const std::shared_ptr<Stream> &stream) {
  std::lock_guard guard(lock_);
  write_ = std::move(event);
  reads_.clear();
  // Mostly it is the one before, and setting it would take two locked instructions.
  if (stream_.owner_before(stream) || stream.owner_before(stream_)) stream_ = stream;
  thread_ = std::this_thread::get_id();
}

std::shared_ptr<Stream> Fence::stream_of_this_thread() {
  std::lock_guard guard(lock_);
  return thread_ == std::this_thread::get_id() ? stream_.lock() : nullptr;
}

void Fence::read(std::shared_ptr<Event> event) {
  std::lock_guard guard(lock_);
  std::erase_if(reads_, [&](const auto &other) { return other->stream() == event->stream(); });
  reads_.push_back(std::move(event));
}

std::shared_ptr<Event> Fence::next_to_wait_for(GstMapFlags access) {
  std::lock_guard guard(lock_);
  if (write_ != nullptr || (access & GST_MAP_WRITE) == 0 || reads_.empty()) return write_;
  return reads_.back();
}

void Fence::forget(const std::shared_ptr<Event> &event) {
  std::lock_guard guard(lock_);
  if (write_ == event) write_.reset();
  std::erase(reads_, event);
}

CUresult Fence::wait(GstMapFlags access) {
  while (const std::shared_ptr<Event> event = next_to_wait_for(access)) {
    ContextScope scope(event->context());
    const CUresult result = scope.ok() ? event->wait() : CUDA_ERROR_UNKNOWN;
    if (result != CUDA_SUCCESS) return result;
    forget(event);
  }
  return CUDA_SUCCESS;
}

CUresult Fence::order(const Stream &stream, GstMapFlags access) {
  std::unique_lock guard(lock_);
  // A failure need not reach another context, whose work would go on with what is not there.
  if ((access & GST_MAP_READ) != 0 && write_ != nullptr && write_->context() != stream.context()) {
    guard.unlock();
    if (CUresult result = wait(GST_MAP_READ); result != CUDA_SUCCESS) return result;
    guard.lock();
  }
  if (write_ != nullptr)
    if (CUresult result = write_->hold_back(stream); result != CUDA_SUCCESS) return result;
  if ((access & GST_MAP_WRITE) == 0) return CUDA_SUCCESS;
  for (const auto &event : reads_)
    if (CUresult result = event->hold_back(stream); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}

}  // namespace coalesce::gst
