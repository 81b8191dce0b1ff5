// SPDX-License-Identifier: LGPL-2.1-or-later
// The simulated driver's whole state, behind one lock, and the frame of every call into it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <vector>

#include "driver_abi.h"
#include "fakecuda.h"

namespace fakecuda {

struct Context;
struct Stream;

// A point in a stream: its first `ticket` operations. This is what an event captures.
struct Mark {
  std::shared_ptr<Stream> stream;
  std::uint64_t ticket = 0;
  bool done() const;
};

struct Operation {
  std::vector<Mark> after;         // run these first, wherever they are
  std::function<CUresult()> work;  // empty: the operation is there for its order only
};

struct Stream {
  Context *context = nullptr;
  bool is_null = false;  // the context's legacy default stream
  bool blocking = true;  // ordered with the default stream
  bool destroyed = false;
  std::uint64_t submitted = 0, completed = 0;
  std::deque<Operation> queue;
};

struct Event {
  Context *context = nullptr;
  Mark last;  // of the latest record; later ones do not change marks taken from here
};

// Device memory, page-locked memory, or (no region) registered host memory.
struct Block {
  Context *context = nullptr;
  std::uintptr_t data = 0;
  std::size_t size = 0;
  std::size_t row_bytes = 0, pitch = 0;  // of pitched allocations
  char *region = nullptr;                // the mapping around it, guards included
  std::size_t region_size = 0;
  bool guards_broken = false, padding_written = false;  // known and counted
};
using Blocks = std::map<std::uintptr_t, Block>;

struct Context {
  CUcontext handle = nullptr;
  CUdevice device = 0;
  CUresult sticky = CUDA_SUCCESS;
  std::shared_ptr<Stream> null_stream;
  std::vector<std::shared_ptr<Stream>> streams;  // destroyed ones too, until they are empty
  std::set<Context *> peers;                     // whose memory this one may access
};

struct Fault {
  FakecudaFunction function;
  int remaining;
  CUresult code;
  FakecudaFault how;
};

struct State {
  std::mutex lock;
  bool initialised = false;
  int devices = 2;
  bool eager = false;
  bool protect = false;
  std::size_t device_memory = std::size_t{4} << 30;
  std::size_t max_pitch = 0x7FFFFFFF;  // of a rectangle that is copied
  CUresult lost = CUDA_SUCCESS;
  std::vector<Fault> faults;
  std::map<CUcontext, std::unique_ptr<Context>> contexts;
  std::map<CUstream, std::shared_ptr<Stream>> streams;
  std::map<CUevent, Event> events;
  Blocks device_blocks, host_blocks;
  std::deque<Block> freed;  // kept for a while to see writes that come too late
  std::size_t freed_bytes = 0;
  int device_access = 0;  // how many DeviceAccess objects exist
  std::uintptr_t next_handle = 0;
  FakecudaCounts counts{};

  // Handles are never used twice and never addresses, so stale and foreign ones are always noticed.
  template <class Handle>
  Handle new_handle() {
    return reinterpret_cast<Handle>(0xFA4E00000000 + ++next_handle * 16);
  }
};

State &state();

// control.cpp
CUresult take_fault(State &s, FakecudaFunction function);
void read_environment(State &s);

// contexts.cpp
std::vector<CUcontext> &context_stack();
CUresult current_context(State &s, Context *&context);

// streams.cpp
bool running_work();  // on this thread, now
CUresult find_stream(State &s, Context &current, CUstream handle, std::shared_ptr<Stream> &stream);
void enqueue(State &s, const std::shared_ptr<Stream> &stream, std::function<CUresult()> work,
             std::vector<Mark> after = {});
void force(State &s, const Mark &mark);
void wait_for(State &s, const Mark &mark, std::uint64_t &counter);
void synchronize_context(State &s, Context &context, std::uint64_t &counter);
Mark tail(const std::shared_ptr<Stream> &stream);

// memory.cpp
Block *find_block(Blocks &blocks, std::uintptr_t address);
bool touches_any(const Blocks &blocks, std::uintptr_t first, std::size_t size);
bool inside(const Block &block, std::uintptr_t first, std::size_t size);
void release_device_block(State &s, Blocks::iterator block);
void release_host_block(State &s, Blocks::iterator block);
void check_blocks(State &s);

// While one exists, the bytes of device memory may be touched.
class DeviceAccess {
 public:
  explicit DeviceAccess(State &s);
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess &) = delete;
  DeviceAccess &operator=(const DeviceAccess &) = delete;

 private:
  State &state_;
};

// This thread is in the driver: see fakecuda_is_inside().
class Inside {
 public:
  Inside() { depth++; }
  ~Inside() { depth--; }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
  static bool is() { return depth > 0; }

 private:
  static thread_local int depth;
};

constexpr FakecudaFunction no_function = FAKECUDA_FUNCTIONS;

// The frame of a driver call. Questions may be answered with an error without being wrong to ask.
enum class Kind { command, question };

template <class Body>
CUresult call(Kind kind, Body body) {
  if (running_work()) return CUDA_ERROR_NOT_PERMITTED;
  const Inside inside;
  State &s = state();
  std::lock_guard guard(s.lock);
  std::uint64_t faults = s.counts.injected_faults;
  CUresult result;
  try {
    result = body(s);
  } catch (const std::bad_alloc &) {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  switch (result) {
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
    case CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED:
      if (kind == Kind::command && s.lost == CUDA_SUCCESS && faults == s.counts.injected_faults)
        ++s.counts.bad_calls;
      break;
    default:
      break;
  }
  return result;
}

template <class Body>
CUresult after_init(FakecudaFunction function, Body body, Kind kind = Kind::command) {
  return call(kind, [&](State &s) {
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (s.lost != CUDA_SUCCESS) return s.lost;
    if (CUresult fault = take_fault(s, function)) return fault;
    return body(s);
  });
}

template <class Body>
CUresult in_context(FakecudaFunction function, Body body, Kind kind = Kind::command) {
  return call(kind, [&](State &s) {
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    Context *context = nullptr;
    if (CUresult error = current_context(s, context)) return error;
    if (s.lost != CUDA_SUCCESS) return s.lost;
    if (CUresult fault = take_fault(s, function)) return fault;
    if (context->sticky != CUDA_SUCCESS) return context->sticky;
    return body(s, *context);
  });
}

// For what gives something back: it does so even on a lost device, and then reports the loss.
template <class Body>
CUresult release_in_context(Body body) {
  return call(Kind::command, [&](State &s) {
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    Context *context = nullptr;
    if (CUresult error = current_context(s, context)) return error;
    if (CUresult error = body(s, *context)) return error;
    return s.lost != CUDA_SUCCESS ? s.lost : context->sticky;
  });
}

}  // namespace fakecuda
