// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpusession.h"

#include <system_error>
#include <utility>

#include "object/category.h"

namespace coalesce::gst {

std::unique_ptr<GpuSession> GpuSession::open(GstCudaContext *context,
                                             const std::shared_ptr<Counters> &counters,
                                             std::string *why) {
  auto session = std::make_unique<GpuSession>();
  session->context.reset(GST_CUDA_CONTEXT(gst_object_ref(GST_OBJECT_CAST(context))));
  session->counters = counters;
  session->page_locked = page_locked_allocator_new(context);
  session->staging = std::make_unique<StagingRing>(session->page_locked.get());
  CUresult error = CUDA_SUCCESS;
  session->stream = session->own_streams_[0] = Stream::create(context, &error);
  if (session->stream == nullptr) {
    *why = "a CUDA stream could not be made: " + cuda_error_text(error);
    return nullptr;
  }
  GST_DEBUG_OBJECT(context, "a stream for frames");
  try {
    session->retired = std::make_unique<RetireList>(context);
  } catch (const std::system_error &error) {  // the system gives no more threads
    *why = std::string("a thread could not be made: ") + error.what();
    return nullptr;
  }
  return session;
}

GpuSession::~GpuSession() {
  // Everything enqueued has ended before the inputs it read are let go.
  (void)synchronize();
  retired.reset();
}

CUresult GpuSession::synchronize() {
  ContextScope scope(context.get());
  CUresult first = CUDA_SUCCESS;
  for (Stream *each : {uploads.get(), own_streams_[0].get(), own_streams_[1].get(), stream.get(),
                       downloads.get()}) {
    if (each == nullptr) continue;
    const CUresult result = each->synchronize();
    if (first == CUDA_SUCCESS) first = result;
  }
  return first;
}

CUresult GpuSession::go_on_in(std::shared_ptr<Stream> other) {
  CUresult result = CUDA_SUCCESS;
  if (other == nullptr) {
    turn_ = (turn_ + 1) % own_streams_.size();
    std::shared_ptr<Stream> &own = own_streams_[turn_];
    if (own == nullptr) {
      own = Stream::create(context.get(), &result);
      GST_DEBUG_OBJECT(context.get(), "a second stream for frames");
    }
    other = own;
  }
  if (other != nullptr) stream = std::move(other);
  return result;
}

std::shared_ptr<Event> GpuSession::mark(const Stream &on, CUresult *error) {
  std::shared_ptr<Event> event;
  for (std::size_t tried = 0; tried < events_.size() && event == nullptr; tried++) {
    next_event_ = (next_event_ + 1) % events_.size();
    // No one but this thread hands out further references.
    if (events_[next_event_].use_count() == 1) event = events_[next_event_];
  }
  if (event == nullptr) {
    event = Event::create(context.get(), error, counters);
    if (event == nullptr) return nullptr;
    events_.push_back(event);
  }
  *error = event->record(on);
  if (*error != CUDA_SUCCESS) event.reset();
  return event;
}

}  // namespace coalesce::gst
