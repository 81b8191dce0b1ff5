// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts, injected faults, and the settings from the environment.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "state.h"

namespace fakecuda {

thread_local int Inside::depth = 0;

namespace {

constexpr const char *function_names[FAKECUDA_FUNCTIONS] = {
    "init",         "ctx_create", "alloc",       "alloc_pitch",   "alloc_host",  "host_register",
    "copy",         "memset",     "launch",      "stream_create", "stream_wait", "event_create",
    "event_record", "query",      "synchronize", "execute"};
constexpr const char *fault_names[] = {"once", "always", "lost"};

template <std::size_t n>
int index_of(const char *const (&names)[n], const char *name) {
  for (std::size_t i = 0; i < n; ++i)
    if (std::strcmp(names[i], name) == 0) return static_cast<int>(i);
  return -1;
}

// One "function:nth:code[:how]". A test whose fault does not happen would pass for nothing, so a
// wrong one ends the process.
void read_fault(State &s, const char *text) {
  char name[32], how_name[8] = "once";
  int nth = 0, code = 0;
  int fields = std::sscanf(text, "%31[a-z_]:%d:%d:%7[a-z]", name, &nth, &code, how_name);
  int function = fields >= 3 ? index_of(function_names, name) : -1;
  int how = index_of(fault_names, how_name);
  if (function < 0 || how < 0 || nth < 1 || code == 0) {
    std::fprintf(stderr, "fakecuda: cannot read the fault \"%s\"\n", text);
    std::abort();
  }
  s.faults.push_back({static_cast<FakecudaFunction>(function), nth, static_cast<CUresult>(code),
                      static_cast<FakecudaFault>(how)});
}

bool flag(const char *name) {
  const char *text = std::getenv(name);
  return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
}

}  // namespace

void read_environment(State &s) {
  if (const char *text = std::getenv("COALESCE_FAKECUDA_DEVICES")) s.devices = std::atoi(text);
  s.eager = flag("COALESCE_FAKECUDA_EAGER");
  s.protect = flag("COALESCE_FAKECUDA_PROTECT");
  const char *text = std::getenv("COALESCE_FAKECUDA_FAIL");
  while (text != nullptr && *text != '\0') {
    read_fault(s, text);
    text = std::strchr(text, ',');
    if (text != nullptr) ++text;
  }
}

CUresult take_fault(State &s, FakecudaFunction function) {
  for (auto fault = s.faults.begin(); fault != s.faults.end(); ++fault) {
    if (fault->function != function) continue;
    if (fault->remaining > 1) {
      --fault->remaining;
      continue;
    }
    CUresult code = fault->code;
    if (fault->how == FAKECUDA_LOST) s.lost = code;
    if (fault->how != FAKECUDA_ALWAYS) s.faults.erase(fault);
    ++s.counts.injected_faults;
    return code;
  }
  return CUDA_SUCCESS;
}

}  // namespace fakecuda

using fakecuda::state;

void fakecuda_snapshot(FakecudaCounts *counts) {
  auto &s = state();
  std::lock_guard guard(s.lock);
  fakecuda::check_blocks(s);
  *counts = s.counts;
}

void fakecuda_reset_counts() {
  auto &s = state();
  std::lock_guard guard(s.lock);
  // What was broken before belongs to the time before.
  fakecuda::check_blocks(s);
  FakecudaCounts fresh{};
  fresh.allocations_live = s.counts.allocations_live;
  fresh.bytes_live = s.counts.bytes_live;
  fresh.host_allocations_live = s.counts.host_allocations_live;
  fresh.host_bytes_live = s.counts.host_bytes_live;
  fresh.host_registrations_live = s.counts.host_registrations_live;
  fresh.contexts_live = s.counts.contexts_live;
  fresh.streams_live = s.counts.streams_live;
  fresh.events_live = s.counts.events_live;
  fresh.pending = s.counts.pending;
  s.counts = fresh;
}

void fakecuda_fail(FakecudaFunction function, int nth, int code) {
  fakecuda_fail_how(function, nth, code, FAKECUDA_ONCE);
}

void fakecuda_fail_how(FakecudaFunction function, int nth, int code, FakecudaFault how) {
  auto &s = state();
  std::lock_guard guard(s.lock);
  s.faults.push_back({function, nth, static_cast<CUresult>(code), how});
}

void fakecuda_reset_faults() {
  auto &s = state();
  std::lock_guard guard(s.lock);
  s.faults.clear();
  // What a broken context still had to do it never does, and its host memory may be gone by now.
  std::uint64_t nobody_waited = 0;
  for (auto &[handle, context] : s.contexts)
    if (s.lost != CUDA_SUCCESS || context->sticky != CUDA_SUCCESS)
      fakecuda::synchronize_context(s, *context, nobody_waited);
  s.lost = CUDA_SUCCESS;
  for (auto &[handle, context] : s.contexts)
    context->sticky = CUDA_SUCCESS;
}

void fakecuda_set_eager(int eager) {
  auto &s = state();
  std::lock_guard guard(s.lock);
  s.eager = eager != 0;
}

void fakecuda_set_device_memory(std::size_t bytes) {
  auto &s = state();
  std::lock_guard guard(s.lock);
  s.device_memory = bytes;
}

void fakecuda_set_max_pitch(std::size_t bytes) {
  auto &s = state();
  std::lock_guard guard(s.lock);
  s.max_pitch = bytes;
}

int fakecuda_stack_depth() {
  return static_cast<int>(fakecuda::context_stack().size());
}

int fakecuda_is_inside() {
  return fakecuda::Inside::is() ? 1 : 0;
}
