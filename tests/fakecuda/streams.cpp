// SPDX-License-Identifier: LGPL-2.1-or-later
// Lazy streams and events. An operation waits in its stream's queue until something needs it done;
// whoever needs it runs it, with everything it must come after. Operations only ever come after
// operations that were submitted earlier, so this always ends.

#include <algorithm>

#include "state.h"

namespace fakecuda {

namespace {

thread_local bool in_work = false;

// The operation's argument is freed here as well: like the work itself, that must not call us.
CUresult run(State &s, Context &context, Operation &operation) {
  if (!operation.work) return CUDA_SUCCESS;
  bool broken = s.lost != CUDA_SUCCESS || context.sticky != CUDA_SUCCESS;
  CUresult result = broken ? CUDA_SUCCESS : take_fault(s, FAKECUDA_EXECUTE);
  DeviceAccess access(s);
  in_work = true;
  if (!broken && result == CUDA_SUCCESS) {
    ++s.counts.executed;
    result = operation.work();
  }
  operation.work = nullptr;
  in_work = false;
  return result;
}

void step(State &s, Stream &stream) {
  Operation operation = std::move(stream.queue.front());
  stream.queue.pop_front();
  for (const Mark &mark : operation.after)
    force(s, mark);
  if (CUresult error = run(s, *stream.context, operation)) stream.context->sticky = error;
  ++stream.completed;
  --s.counts.pending;
}

// One operation further: the first of all that the mark comes after.
void advance(State &s, const Mark &mark) {
  for (const Mark &before : mark.stream->queue.front().after)
    if (!before.done()) return advance(s, before);
  step(s, *mark.stream);
}

// Polling ends, because every question about unfinished work brings it one operation further.
CUresult query(State &s, Context &context, const Mark &mark) {
  if (mark.done()) return s.lost != CUDA_SUCCESS ? s.lost : context.sticky;
  advance(s, mark);
  return CUDA_ERROR_NOT_READY;
}

// The default stream is busy as long as any blocking stream is.
Mark unfinished(const std::shared_ptr<Stream> &stream) {
  Mark mark = tail(stream);
  if (!stream->is_null || !mark.done()) return mark;
  for (const auto &other : stream->context->streams)
    if (other->blocking && !tail(other).done()) return tail(other);
  return mark;
}

CUresult find_any_stream(State &s, Context &current, CUstream handle,
                         std::shared_ptr<Stream> &stream) {
  constexpr std::uintptr_t legacy_handle = 1;
  if (handle == nullptr || reinterpret_cast<std::uintptr_t>(handle) == legacy_handle) {
    stream = current.null_stream;
    return CUDA_SUCCESS;
  }
  auto found = s.streams.find(handle);
  if (found == s.streams.end()) return CUDA_ERROR_INVALID_HANDLE;
  stream = found->second;
  return CUDA_SUCCESS;
}

void drop_empty_streams(Context &context) {
  std::erase_if(context.streams,
                [](const auto &stream) { return stream->destroyed && stream->queue.empty(); });
}

CUresult create_stream(CUstream *handle, unsigned flags) {
  return in_context(FAKECUDA_STREAM_CREATE, [&](State &s, Context &context) {
    if (handle == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    auto stream = std::make_shared<Stream>();
    stream->context = &context;
    stream->blocking = flags != CU_STREAM_NON_BLOCKING;
    context.streams.push_back(stream);
    *handle = s.new_handle<CUstream>();
    s.streams[*handle] = std::move(stream);
    ++s.counts.streams;
    ++s.counts.streams_live;
    return CUDA_SUCCESS;
  });
}

}  // namespace

bool Mark::done() const {
  return stream == nullptr || stream->completed >= ticket;
}

bool running_work() {
  return in_work;
}

Mark tail(const std::shared_ptr<Stream> &stream) {
  return {stream, stream->submitted};
}

CUresult find_stream(State &s, Context &current, CUstream handle, std::shared_ptr<Stream> &stream) {
  if (CUresult error = find_any_stream(s, current, handle, stream)) return error;
  return stream->context == &current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

void enqueue(State &s, const std::shared_ptr<Stream> &stream, std::function<CUresult()> work,
             std::vector<Mark> after) {
  // The legacy default stream and the blocking streams of a context wait for each other.
  Context &context = *stream->context;
  if (stream->is_null) {
    for (const auto &other : context.streams)
      if (other->blocking) after.push_back(tail(other));
  } else if (stream->blocking) {
    after.push_back(tail(context.null_stream));
  }
  std::erase_if(after, [](const Mark &mark) { return mark.done(); });
  stream->queue.push_back({std::move(after), std::move(work)});
  ++stream->submitted;
  ++s.counts.pending;
  if (s.eager) force(s, tail(stream));
}

void force(State &s, const Mark &mark) {
  while (!mark.done())
    step(s, *mark.stream);
}

void wait_for(State &s, const Mark &mark, std::uint64_t &counter) {
  ++counter;
  if (mark.done()) return;
  ++s.counts.stalls;
  force(s, mark);
}

void synchronize_context(State &s, Context &context, std::uint64_t &counter) {
  ++counter;
  bool stalled = !tail(context.null_stream).done();
  force(s, tail(context.null_stream));
  for (const auto &stream : context.streams) {
    stalled |= !tail(stream).done();
    force(s, tail(stream));
  }
  if (stalled) ++s.counts.stalls;
  drop_empty_streams(context);
}

}  // namespace fakecuda

using namespace fakecuda;

CUresult cuCtxSynchronize() {
  return in_context(FAKECUDA_SYNCHRONIZE, [&](State &s, Context &context) {
    synchronize_context(s, context, s.counts.context_syncs);
    return s.lost != CUDA_SUCCESS ? s.lost : context.sticky;
  });
}

CUresult cuStreamCreate(CUstream *handle, unsigned flags) {
  return create_stream(handle, flags);
}

CUresult cuStreamCreateWithPriority(CUstream *handle, unsigned flags, int) {
  return create_stream(handle, flags);
}

// As documented, it returns at once and the work is still done: a context synchronisation does it.
CUresult cuStreamDestroy_v2(CUstream handle) {
  return release_in_context([&](State &s, Context &) {
    auto found = s.streams.find(handle);
    if (found == s.streams.end()) return CUDA_ERROR_INVALID_HANDLE;
    found->second->destroyed = true;
    Context &owner = *found->second->context;
    s.streams.erase(found);
    drop_empty_streams(owner);
    --s.counts.streams_live;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy(CUstream handle) {
  return cuStreamDestroy_v2(handle);
}

CUresult cuStreamSynchronize(CUstream handle) {
  return in_context(FAKECUDA_SYNCHRONIZE, [&](State &s, Context &current) {
    std::shared_ptr<Stream> stream;
    if (CUresult error = find_any_stream(s, current, handle, stream)) return error;
    // Nothing of its own need be queued for the default stream to wait for the blocking ones.
    if (stream->is_null) enqueue(s, stream, nullptr);
    wait_for(s, tail(stream), s.counts.stream_syncs);
    return s.lost != CUDA_SUCCESS ? s.lost : stream->context->sticky;
  });
}

CUresult cuStreamQuery(CUstream handle) {
  return in_context(FAKECUDA_QUERY, [&](State &s, Context &current) {
    std::shared_ptr<Stream> stream;
    if (CUresult error = find_any_stream(s, current, handle, stream)) return error;
    ++s.counts.stream_queries;
    return query(s, *stream->context, unfinished(stream));
  });
}

CUresult cuStreamWaitEvent(CUstream stream_handle, CUevent event_handle, unsigned flags) {
  return in_context(FAKECUDA_STREAM_WAIT, [&](State &s, Context &current) {
    std::shared_ptr<Stream> stream;
    if (CUresult error = find_any_stream(s, current, stream_handle, stream)) return error;
    auto event = s.events.find(event_handle);
    if (event == s.events.end()) return CUDA_ERROR_INVALID_HANDLE;
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    ++s.counts.stream_waits;
    enqueue(s, stream, nullptr, {event->second.last});
    return CUDA_SUCCESS;
  });
}

CUresult cuEventCreate(CUevent *handle, unsigned flags) {
  return in_context(FAKECUDA_EVENT_CREATE, [&](State &s, Context &context) {
    if (handle == nullptr || flags > (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
      return CUDA_ERROR_INVALID_VALUE;
    *handle = s.new_handle<CUevent>();
    s.events[*handle].context = &context;
    ++s.counts.events;
    ++s.counts.events_live;
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent handle) {
  return release_in_context([&](State &s, Context &) {
    if (s.events.erase(handle) == 0) return CUDA_ERROR_INVALID_HANDLE;
    --s.counts.events_live;
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy(CUevent handle) {
  return cuEventDestroy_v2(handle);
}

CUresult cuEventRecord(CUevent event_handle, CUstream stream_handle) {
  return in_context(FAKECUDA_EVENT_RECORD, [&](State &s, Context &current) {
    std::shared_ptr<Stream> stream;
    if (CUresult error = find_any_stream(s, current, stream_handle, stream)) return error;
    auto event = s.events.find(event_handle);
    if (event == s.events.end() || event->second.context != stream->context)
      return CUDA_ERROR_INVALID_HANDLE;
    ++s.counts.records;
    enqueue(s, stream, nullptr);
    event->second.last = tail(stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventQuery(CUevent handle) {
  return in_context(FAKECUDA_QUERY, [&](State &s, Context &) {
    auto event = s.events.find(handle);
    if (event == s.events.end()) return CUDA_ERROR_INVALID_HANDLE;
    ++s.counts.event_queries;
    return query(s, *event->second.context, event->second.last);
  });
}

CUresult cuEventSynchronize(CUevent handle) {
  return in_context(FAKECUDA_SYNCHRONIZE, [&](State &s, Context &) {
    auto event = s.events.find(handle);
    if (event == s.events.end()) return CUDA_ERROR_INVALID_HANDLE;
    wait_for(s, event->second.last, s.counts.event_syncs);
    return s.lost != CUDA_SUCCESS ? s.lost : event->second.context->sticky;
  });
}

int fakecuda_launch(CUstream_st *handle, void (*fn)(void *), void *arg, void (*free_arg)(void *)) {
  const fakecuda::Inside inside;
  // Whatever happens to the operation, the argument is freed once.
  std::shared_ptr<void> owned(arg, [free_arg](void *p) {
    if (free_arg != nullptr) free_arg(p);
  });
  return in_context(FAKECUDA_LAUNCH, [&](State &s, Context &context) {
    std::shared_ptr<Stream> stream;
    if (fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = find_stream(s, context, handle, stream)) return error;
    ++s.counts.launches;
    enqueue(s, stream, [fn, owned] {
      fn(owned.get());
      return CUDA_SUCCESS;
    });
    return CUDA_SUCCESS;
  });
}
