// SPDX-License-Identifier: LGPL-2.1-or-later
// What a test asks of the simulated CUDA driver, beside the driver's own functions.
//
// The library stands in for libcuda.so.1. Device memory is host memory, poisoned with 0xCD (below
// 1 GiB) and surrounded by guard bytes; streams are lazy: asynchronous work runs, on the calling
// thread, only when something waits for it. So a missing wait is seen every time and not once in a
// thousand runs.
//
// These functions are exported by libcuda.so.1 itself: link with it or look them up with dlsym().
// All of them may be called from any thread.
//
// Environment, read once when the library is first used:
//   COALESCE_FAKECUDA_DEVICES=n  number of devices, 2 if unset; with 0 cuInit() says NO_DEVICE
//   COALESCE_FAKECUDA_EAGER=1    asynchronous work runs at once
//   COALESCE_FAKECUDA_PROTECT=1  the host cannot follow device pointers: it gets a SIGSEGV
//   COALESCE_FAKECUDA_FAIL=function:nth:code[:once|always|lost][,...]  e.g. init:1:999; the names
//                                are those of FakecudaFunction in lower case
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

enum FakecudaFunction {
  FAKECUDA_INIT,
  FAKECUDA_CTX_CREATE,
  FAKECUDA_ALLOC,          // cuMemAlloc
  FAKECUDA_ALLOC_PITCH,    // cuMemAllocPitch
  FAKECUDA_ALLOC_HOST,     // cuMemAllocHost, cuMemHostAlloc
  FAKECUDA_HOST_REGISTER,  // cuMemHostRegister
  FAKECUDA_COPY,           // every cuMemcpy*
  FAKECUDA_MEMSET,         // every cuMemset*
  FAKECUDA_LAUNCH,         // fakecuda_launch
  FAKECUDA_STREAM_CREATE,
  FAKECUDA_STREAM_WAIT,  // cuStreamWaitEvent
  FAKECUDA_EVENT_CREATE,
  FAKECUDA_EVENT_RECORD,
  FAKECUDA_QUERY,        // cuEventQuery, cuStreamQuery
  FAKECUDA_SYNCHRONIZE,  // cuStreamSynchronize, cuEventSynchronize, cuCtxSynchronize
  FAKECUDA_EXECUTE,      // work that runs on the device: the error shows later and stays
  FAKECUDA_FUNCTIONS
};

enum FakecudaFault {
  FAKECUDA_ONCE,    // the nth call fails
  FAKECUDA_ALWAYS,  // the nth call and all later ones of this function fail
  FAKECUDA_LOST     // the nth call loses the device: from then on everything fails
};

// "live" counts what exists now; everything else counts events since the start or the last reset.
struct FakecudaCounts {
  std::uint64_t allocations_live, allocations, bytes_live, bytes;
  std::uint64_t host_allocations_live, host_allocations, host_bytes_live;
  std::uint64_t host_registrations_live, host_registrations;
  std::uint64_t contexts_live, contexts;
  std::uint64_t streams_live, streams;
  std::uint64_t events_live, events;
  // What was still alive in a context when that context was destroyed.
  std::uint64_t leaked_allocations, leaked_host_allocations, leaked_streams, leaked_events;

  std::uint64_t copies_htod, copies_dtoh, copies_dtod, copies_htoh;
  std::uint64_t bytes_htod, bytes_dtoh, bytes_dtod, bytes_htoh;
  std::uint64_t pageable_async_copies;  // asynchronous, but from or to memory not page-locked
  std::uint64_t foreign_copies;         // touch another context's memory without peer access to it
  std::uint64_t memsets, launches, records;
  std::uint64_t executed, pending;  // operations run on the device; still waiting in queues, now

  std::uint64_t stream_syncs, event_syncs, context_syncs;
  std::uint64_t implicit_syncs;  // by copies on the legacy stream, cuMemFree, cuCtxDestroy
  std::uint64_t stalls;          // of all these: those that found unfinished work
  std::uint64_t stream_queries, event_queries, stream_waits;

  std::uint64_t pushes, pops;
  std::uint64_t unbalanced_threads;  // ended with a context still pushed

  // All of these are 0 in a correct program.
  std::uint64_t bad_accesses;      // an address range not inside one live allocation
  std::uint64_t bad_calls;         // refused: wrong handle, argument, or no current context
  std::uint64_t guard_violations;  // blocks with bytes written just before or behind them
  std::uint64_t use_after_free;    // blocks written to after they were freed
  // Pitched allocations with bytes written between the end of a row and its pitch: allowed, as they
  // belong to the allocation, but an operation on an image has no business there.
  std::uint64_t padding_writes;
  std::uint64_t injected_faults;
};

#pragma GCC visibility push(default)
extern "C" {

// Checks the guards of all blocks, then copies the counts.
void fakecuda_snapshot(FakecudaCounts *counts);
// Sets all but the "live" counts and `pending` to 0.
void fakecuda_reset_counts();

// Makes the nth next call (1 = the next one) of a function return `code`.
void fakecuda_fail(FakecudaFunction function, int nth, int code);
void fakecuda_fail_how(FakecudaFunction function, int nth, int code, FakecudaFault how);
// Takes back all faults, gives a lost device back, and forgets the sticky errors of contexts.
void fakecuda_reset_faults();

// Lazy (0) or eager (1) from the next operation on.
void fakecuda_set_eager(int eager);

// The bytes of each device's memory from now on; 4 GiB at first.
void fakecuda_set_device_memory(std::size_t bytes);

// The greatest pitch of a rectangle to be copied from now on, of a single row, too; 2^31 - 1 at
// first, as a real one.
void fakecuda_set_max_pitch(std::size_t bytes);

// How many contexts are pushed on the calling thread.
int fakecuda_stack_depth();

// Is the calling thread inside the driver, be it in a kernel that runs there? (What is allocated
// then is the simulation's.)
int fakecuda_is_inside();

// A "kernel": fn(arg) runs when the stream gets there, and then free_arg(arg), if there is one. If
// this fails (it returns a CUresult), it has called free_arg already and fn will not be called. fn
// must not call the driver.
int fakecuda_launch(CUstream_st *stream, void (*fn)(void *arg), void *arg,
                    void (*free_arg)(void *arg));

// 0 if a kernel of the current context may access all these bytes, else CUDA_ERROR_ILLEGAL_ADDRESS
// and a bad access more.
int fakecuda_check_access(const void *data, std::size_t row_bytes, std::size_t rows,
                          std::size_t pitch);

}  // extern "C"
#pragma GCC visibility pop
