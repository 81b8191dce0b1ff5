// SPDX-License-Identifier: LGPL-2.1-or-later
// Initialisation, devices, contexts and the stack of contexts that each thread has.

#include <cstdio>

#include "state.h"

namespace fakecuda {

namespace {

struct ContextStack {
  std::vector<CUcontext> contexts;
  ~ContextStack() {
    if (contexts.empty()) return;
    std::lock_guard guard(state().lock);
    ++state().counts.unbalanced_threads;
  }
};

bool is_device(const State &s, CUdevice device) {
  return device >= 0 && device < s.devices;
}

Context *find_context(State &s, CUcontext handle) {
  auto found = s.contexts.find(handle);
  return found == s.contexts.end() ? nullptr : found->second.get();
}

// Frees all blocks of a context, and counts them: whoever made them forgot them.
void drop_blocks(State &s, Context &context, Blocks &blocks,
                 void (*release)(State &, Blocks::iterator), std::uint64_t &leaked) {
  for (auto i = blocks.begin(); i != blocks.end();) {
    auto block = i++;
    if (block->second.context != &context) continue;
    ++leaked;
    release(s, block);
  }
}

void destroy(State &s, Context &context) {
  synchronize_context(s, context, s.counts.implicit_syncs);
  drop_blocks(s, context, s.device_blocks, release_device_block, s.counts.leaked_allocations);
  drop_blocks(s, context, s.host_blocks, release_host_block, s.counts.leaked_host_allocations);
  auto leaked_events =
      std::erase_if(s.events, [&](const auto &entry) { return entry.second.context == &context; });
  auto leaked_streams = std::erase_if(
      s.streams, [&](const auto &entry) { return entry.second->context == &context; });
  s.counts.leaked_events += leaked_events;
  s.counts.events_live -= leaked_events;
  s.counts.leaked_streams += leaked_streams;
  s.counts.streams_live -= leaked_streams;
  for (auto &[handle, other] : s.contexts)
    other->peers.erase(&context);
  --s.counts.contexts_live;
  s.contexts.erase(context.handle);
}

}  // namespace

State &state() {
  // Never destroyed: threads and libraries may call until the very end of the process.
  static State *the_state = [] {
    auto *s = new State;
    read_environment(*s);
    return s;
  }();
  return *the_state;
}

std::vector<CUcontext> &context_stack() {
  thread_local ContextStack stack;
  return stack.contexts;
}

CUresult current_context(State &s, Context *&context) {
  auto &stack = context_stack();
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  context = find_context(s, stack.back());
  return context != nullptr ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

}  // namespace fakecuda

using namespace fakecuda;

CUresult cuInit(unsigned flags) {
  return call(Kind::command, [&](State &s) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (s.lost != CUDA_SUCCESS) return s.lost;
    if (CUresult fault = take_fault(s, FAKECUDA_INIT)) return fault;
    if (s.devices == 0) return CUDA_ERROR_NO_DEVICE;
    s.initialised = true;
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int *version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  return after_init(no_function, [&](State &s) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = s.devices;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return after_init(no_function, [&](State &s) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(s, ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return after_init(no_function, [&](State &s) {
    if (name == nullptr || length < 1) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(s, device)) return CUDA_ERROR_INVALID_DEVICE;
    std::snprintf(name, static_cast<std::size_t>(length), "Simulated GPU %d", device);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  static const std::map<int, int> values = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0x7FFFFFFF},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
      {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
      {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
  };
  constexpr int last_attribute = 150;
  return after_init(no_function, [&](State &s) {
    if (!is_device(s, device)) return CUDA_ERROR_INVALID_DEVICE;
    if (value == nullptr || attribute < 1 || attribute > last_attribute)
      return CUDA_ERROR_INVALID_VALUE;
    // Of the others most say whether there is some feature, and there is not.
    auto found = values.find(attribute);
    *value = found != values.end() ? found->second : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return after_init(no_function, [&](State &s) {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(s, device)) return CUDA_ERROR_INVALID_DEVICE;
    *uuid = {{'S', 'i', 'm', 'u', 'l', 'a', 't', 'e', 'd', ' ', 'G', 'P', 'U', ' ',
              static_cast<char>('0' + device)}};
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  return after_init(no_function, [&](State &s) {
    if (can == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(s, device) || !is_device(s, peer)) return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxCreate_v2(CUcontext *handle, unsigned, CUdevice device) {
  return after_init(FAKECUDA_CTX_CREATE, [&](State &s) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(s, device)) return CUDA_ERROR_INVALID_DEVICE;
    auto context = std::make_unique<Context>();
    context->handle = s.new_handle<CUcontext>();
    context->device = device;
    context->null_stream = std::make_shared<Stream>();
    context->null_stream->context = context.get();
    context->null_stream->is_null = true;
    *handle = context->handle;
    s.contexts[*handle] = std::move(context);
    context_stack().push_back(*handle);
    ++s.counts.contexts;
    ++s.counts.contexts_live;
    ++s.counts.pushes;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  return call(Kind::command, [&](State &s) {
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    Context *context = find_context(s, handle);
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    auto &stack = context_stack();
    if (!stack.empty() && stack.back() == handle) {
      stack.pop_back();
      ++s.counts.pops;
    }
    destroy(s, *context);
    return s.lost;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  return call(Kind::command, [&](State &s) {
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (find_context(s, handle) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    context_stack().push_back(handle);
    ++s.counts.pushes;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext *handle) {
  return call(Kind::command, [&](State &s) {
    auto &stack = context_stack();
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (handle != nullptr) *handle = stack.back();
    stack.pop_back();
    ++s.counts.pops;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext *handle) {
  return call(Kind::command, [&](State &s) {
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto &stack = context_stack();
    *handle = stack.empty() ? nullptr : stack.back();
    return CUDA_SUCCESS;
  });
}

// Replaces the top of the stack; with nullptr it only takes the top away.
CUresult cuCtxSetCurrent(CUcontext handle) {
  return call(Kind::command, [&](State &s) {
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (handle != nullptr && find_context(s, handle) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    auto &stack = context_stack();
    if (!stack.empty()) {
      stack.pop_back();
      ++s.counts.pops;
    }
    if (handle != nullptr) {
      stack.push_back(handle);
      ++s.counts.pushes;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return call(Kind::command, [&](State &s) {
    if (!s.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    Context *context = nullptr;
    if (CUresult error = current_context(s, context)) return error;
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = context->device;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  return in_context(no_function, [&](State &s, Context &context) {
    Context *peer = find_context(s, handle);
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (peer == nullptr || peer == &context) return CUDA_ERROR_INVALID_CONTEXT;
    if (peer->device == context.device) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    return context.peers.insert(peer).second ? CUDA_SUCCESS
                                             : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  return release_in_context([&](State &s, Context &context) {
    Context *peer = find_context(s, handle);
    if (peer == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    return context.peers.erase(peer) != 0 ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}
