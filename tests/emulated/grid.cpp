// SPDX-License-Identifier: LGPL-2.1-or-later
#undef _FORTIFY_SOURCE  // its longjmp() refuses another stack
#include "grid.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdarg>
#include <cstdio>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATED_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATED_ASAN 1
#endif
#endif
#if defined(EMULATED_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulated {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024, kGuardBytes = 64 * 1024;
constexpr std::size_t kStackShift = 13 * 64;
constexpr unsigned kBarriers = 16;
constexpr unsigned kMaxPauses = 1 << 20;  // of a block, while nothing else happens
constexpr std::uint32_t kFirstSharedAddress = 1024;

alignas(1024) std::uint8_t shared_memory[kMaxSharedBytes];

// A stack and what runs on it.
struct Fiber {
  std::uint8_t *stack = nullptr;
  std::size_t bytes = 0;
  bool started = false;
  unsigned thread = 0;
  void *fake_stack = nullptr;  // AddressSanitizer's
  jmp_buf registers;
  ucontext_t beginning;
};

// Lanes of a warp that have come to where all of `mask` meet.
struct Meeting {
  unsigned mask, arrived;
  Combine combine;
  void *lane[32];
};
struct Warp {
  unsigned ended = 0;  // lanes; also those that the block does not have
  std::vector<Meeting> meetings;
};
struct Barrier {
  unsigned wanted = 0, holding = 0;
  std::vector<unsigned> waiting;
};
struct Thread {
  uint3 index;
  Pending pending;
  Fiber *fiber;
  Votes votes;
  bool waited = false;  // for the grid before
};
struct Block {
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  Barrier barriers[kBarriers];
  std::vector<unsigned> fresh, ready;  // threads: not begun, and no longer waiting
  std::vector<BulkCopy> bulk_copies;
  unsigned ended, pauses;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(2 * seed + 1) { (void)below(1); }
  std::uint32_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 32) * limit >> 32);
  }
  void shuffle(std::vector<unsigned> *values) {
    for (std::size_t i = values->size(); i > 1; --i)
      std::swap((*values)[i - 1], (*values)[below(i)]);
  }

 private:
  std::uint64_t state_;
};

// One grid runs at a time, whoever calls.
std::mutex running;
const Grid *grid;
Block block;
Random order(0);
std::string error;
Fiber caller, *current = &caller;
std::deque<Fiber> fibers;
std::vector<Fiber *> idle;

void fiber_main();

void restart(Fiber *fiber) {
  unpoison(fiber->stack, fiber->bytes);
  fiber->started = false;
  fiber->fake_stack = nullptr;
  getcontext(&fiber->beginning);
  fiber->beginning.uc_stack.ss_sp = fiber->stack;
  fiber->beginning.uc_stack.ss_size = fiber->bytes;
  fiber->beginning.uc_link = nullptr;
  makecontext(&fiber->beginning, fiber_main, 0);
  idle.push_back(fiber);
}

Fiber *idle_fiber() {
  if (idle.empty()) {
    void *memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, kGuardBytes, PROT_NONE) != 0) {
      std::perror("a stack for a thread of a kernel");
      std::abort();
    }
    // Stacks do not all begin at the same place of a page, and so of the caches.
    const std::size_t shift = fibers.size() * kStackShift % (kStackBytes / 4);
    Fiber &fiber = fibers.emplace_back();
    fiber.stack = static_cast<std::uint8_t *>(memory) + kGuardBytes;
    fiber.bytes = kStackBytes - shift;
    restart(&fiber);
  }
  Fiber *fiber = idle.back();
  idle.pop_back();
  return fiber;
}

void set_index() {
  threadIdx = block.threads[current->thread].index;
}

// First of all where a fiber begins or goes on.
void arrive() {
#if defined(EMULATED_ASAN)
  const void *from = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(current->fake_stack, &from, &bytes);
  if (caller.stack == nullptr) {  // the first one to leave
    caller.stack = static_cast<std::uint8_t *>(const_cast<void *>(from));
    caller.bytes = bytes;
  }
#endif
  if (current != &caller) set_index();
}

void switch_to(Fiber *to) {
  if (to == current) return;
  Fiber *from = current;
  current = to;
#if defined(EMULATED_ASAN)
  __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->bytes);
#endif
  if (_setjmp(from->registers) == 0) {
    if (to->started) _longjmp(to->registers, 1);
    to->started = true;
    setcontext(&to->beginning);
  }
  arrive();
}

// One that can go on: of a thread that no longer waits, or of one that begins, on `own` if there is
// one. If there is none, the caller.
Fiber *choose(Fiber *own) {
  std::vector<unsigned> &fresh = block.fresh, &ready = block.ready;
  if (!ready.empty() && (fresh.empty() || order.below(2) == 0)) {
    std::swap(ready[order.below(ready.size())], ready.back());
    const unsigned thread = ready.back();
    ready.pop_back();
    return block.threads[thread].fiber;
  }
  if (fresh.empty()) return &caller;
  Fiber *fiber = own != nullptr ? own : idle_fiber();
  fiber->thread = fresh.back();
  fresh.pop_back();
  block.threads[fiber->thread].fiber = fiber;
  return fiber;
}

void wait() {
  switch_to(choose(nullptr));
}

void go_on(unsigned thread) {
  block.pauses = 0;
  if (thread != current->thread) block.ready.push_back(thread);
}

bool complete(const Warp &warp, const Meeting &meeting) {
  return (meeting.mask & ~(meeting.arrived | warp.ended)) == 0;
}

void end_meeting(Warp *warp, std::size_t number) {
  const Meeting meeting = warp->meetings[number];
  warp->meetings[number] = warp->meetings.back();
  warp->meetings.pop_back();
  meeting.combine(meeting.lane);
  const auto first = static_cast<unsigned>(32 * (warp - block.warps.data()));
  for (unsigned lane = 0; lane < 32; ++lane)
    if (meeting.lane[lane] != nullptr) go_on(first + lane);
}

bool complete(const Barrier &barrier) {
  const auto left = static_cast<unsigned>(block.threads.size()) - block.ended;
  return !barrier.waiting.empty() &&
         barrier.waiting.size() == (barrier.wanted != 0 ? barrier.wanted : left);
}

void end_barrier(Barrier *barrier) {
  const Votes votes = {barrier->holding, static_cast<unsigned>(barrier->waiting.size())};
  for (const unsigned thread : barrier->waiting) {
    block.threads[thread].votes = votes;
    go_on(thread);
  }
  barrier->waiting.clear();
  barrier->holding = 0;
}

void expect_wait() {
  if (grid->early && !block.threads[current->thread].waited)
    fail("launched early, and does not begin with wait_for_grid_before()");
}

// Others may have waited for this thread.
void end_thread() {
  expect_wait();
  const unsigned thread = current->thread;
  Warp &warp = block.warps[thread / 32];
  warp.ended |= 1u << thread % 32;
  ++block.ended;
  block.pauses = 0;
  block.threads[thread].pending = {};
  for (std::size_t i = warp.meetings.size(); i > 0; --i)
    if (complete(warp, warp.meetings[i - 1])) end_meeting(&warp, i - 1);
  if (block.barriers[0].wanted == 0 && complete(block.barriers[0])) end_barrier(block.barriers);
}

// One thread after the other, as long as others begin; then it waits to be chosen anew.
void fiber_main() {
  arrive();
  for (;;) {
    grid->call(grid->kernel, grid->arguments);
    end_thread();
    Fiber *next = choose(current);
    if (next == current) {
      set_index();
      continue;
    }
    idle.push_back(current);
    switch_to(next);
  }
}

std::string text_of_deadlock() {
  const auto all = static_cast<unsigned>(block.threads.size());
  std::string text = std::to_string(all - block.ended) + " of " + std::to_string(all) +
                     " threads of a block wait for ever";
  for (const Barrier &barrier : block.barriers)
    if (!barrier.waiting.empty())
      text += "; " + std::to_string(barrier.waiting.size()) + " at barrier " +
              std::to_string(&barrier - block.barriers) +
              (barrier.wanted == 0 ? "" : ", which wants " + std::to_string(barrier.wanted));
  for (const Warp &warp : block.warps)
    for (const Meeting &meeting : warp.meetings) {
      char line[96];
      std::snprintf(line, sizeof line, "; in warp %d lanes %08x, who want %08x",
                    static_cast<int>(&warp - block.warps.data()), meeting.arrived, meeting.mask);
      if (text.size() < 400) text += line;
    }
  return text;
}

void run_block(unsigned threads) {
  block.ready.clear();
  block.fresh.resize(threads);
  std::iota(block.fresh.begin(), block.fresh.end(), 0u);
  order.shuffle(&block.fresh);
  for (Thread &thread : block.threads)
    thread.waited = false;
  for (Warp &warp : block.warps)
    warp.ended = 0;
  if (threads % 32 != 0) block.warps.back().ended = ~0u << threads % 32;
  block.ended = block.pauses = 0;
  block.bulk_copies.clear();
  // What another block has left there.
  std::memset(shared_memory, static_cast<int>(order.below(256)), grid->shared_bytes);
  while (block.ended < threads && error.empty()) {
    Fiber *fiber = choose(nullptr);
    if (fiber == &caller)
      error = text_of_deadlock();
    else
      switch_to(fiber);
  }
  if (error.empty() && !block.bulk_copies.empty()) error = "a bulk copy was not waited for";
}

// Threads that were running have no place to go back to.
void restart_all() {
  idle.clear();
  for (Fiber &fiber : fibers)
    restart(&fiber);
  for (Warp &warp : block.warps)
    warp.meetings.clear();
  for (Barrier &barrier : block.barriers)
    barrier = {};
  for (Thread &thread : block.threads)
    thread.pending = {};
}

unsigned count(const dim3 &size) {
  return size.x * size.y * size.z;
}

uint3 place(unsigned number, const dim3 &size) {
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

}  // namespace

void poison([[maybe_unused]] const void *begin, [[maybe_unused]] std::size_t bytes) {
#if defined(EMULATED_ASAN)
  __asan_poison_memory_region(begin, bytes);
#endif
}

void unpoison([[maybe_unused]] const void *begin, [[maybe_unused]] std::size_t bytes) {
#if defined(EMULATED_ASAN)
  __asan_unpoison_memory_region(begin, bytes);
#endif
}

std::string run(const Grid &what, std::uint64_t seed) {
  const std::lock_guard lock(running);
  static std::thread::id last_caller;
  if (last_caller != std::this_thread::get_id()) restart_all();
  last_caller = std::this_thread::get_id();
  caller.stack = nullptr;
  caller.started = true;
  grid = &what;
  order = Random(seed);
  error.clear();
  blockDim = what.threads;
  gridDim = what.blocks;
  const unsigned threads = count(what.threads);
  block.threads.resize(threads);
  for (unsigned i = 0; i < threads; ++i)
    block.threads[i].index = place(i, what.threads);
  block.warps.resize((threads + 31) / 32);
  poison(shared_memory + what.shared_bytes, kMaxSharedBytes - what.shared_bytes);
  std::vector<unsigned> blocks(count(what.blocks));
  std::iota(blocks.begin(), blocks.end(), 0u);
  order.shuffle(&blocks);
  for (const unsigned number : blocks) {
    blockIdx = place(number, what.blocks);
    run_block(threads);
    if (error.empty()) continue;
    error = "block (" + std::to_string(blockIdx.x) + ", " + std::to_string(blockIdx.y) + ", " +
            std::to_string(blockIdx.z) + "): " + error;
    restart_all();
    break;
  }
  unpoison(shared_memory, kMaxSharedBytes);
  return error;
}

void fail(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (current == &caller) {
    std::fprintf(stderr, "outside of a kernel: %s\n", text);
    std::abort();
  }
  error = "thread (" + std::to_string(threadIdx.x) + ", " + std::to_string(threadIdx.y) + ", " +
          std::to_string(threadIdx.z) + "): " + text;
  switch_to(&caller);
  std::abort();
}

void wait_for_grid_before() {
  block.threads[current->thread].waited = true;
}

void meet(unsigned mask, void *operand, Combine combine) {
  expect_wait();
  const unsigned thread = current->thread, lane = thread % 32;
  Warp &warp = block.warps[thread / 32];
  if ((mask >> lane & 1) == 0) fail("a mask of lanes, %08x, without the lane itself", mask);
  std::size_t i = 0;
  while (i < warp.meetings.size() &&
         (warp.meetings[i].mask != mask || warp.meetings[i].combine != combine))
    ++i;
  if (i == warp.meetings.size()) warp.meetings.push_back({mask, 0, combine, {}});
  Meeting &meeting = warp.meetings[i];
  meeting.arrived |= 1u << lane;
  meeting.lane[lane] = operand;
  if (complete(warp, meeting))
    end_meeting(&warp, i);
  else
    wait();
}

Votes meet_at_barrier(unsigned number, unsigned threads, bool holds) {
  expect_wait();
  if (number >= kBarriers || (number != 0 && threads == 0) || threads % 32 != 0)
    fail("barrier %u for %u threads", number, threads);
  Barrier &barrier = block.barriers[number];
  if (!barrier.waiting.empty() && barrier.wanted != threads)
    fail("barrier %u is called for %u and for %u threads (0: all)", number, barrier.wanted,
         threads);
  const unsigned thread = current->thread;
  barrier.wanted = threads;
  barrier.holding += holds;
  barrier.waiting.push_back(thread);
  if (complete(barrier))
    end_barrier(&barrier);
  else
    wait();
  return block.threads[thread].votes;
}

void pause() {
  if (++block.pauses > kMaxPauses) fail("waits for ever for memory to change");
  block.ready.push_back(current->thread);
  wait();
}

void add_products(int rows, int columns, int terms, const std::int16_t *a, const std::int16_t *b,
                  int *c) {
  for (int row = 0; row < rows; ++row, a += terms)
    for (int column = 0; column < columns; ++column, ++c) {
      const std::int16_t *from = b + column * terms;
      unsigned sum = 0;
      for (int term = 0; term < terms; ++term)
        sum += static_cast<unsigned>(a[term] * from[term]);
      *c = static_cast<int>(static_cast<unsigned>(*c) + sum);
    }
}

Pending &pending() {
  return block.threads[current->thread].pending;
}

std::vector<BulkCopy> &bulk_copies() {
  return block.bulk_copies;
}

std::uint8_t *dynamic_shared_memory() {
  return shared_memory;
}

std::uint32_t shared_address(const void *p) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p) -
                                    reinterpret_cast<std::uintptr_t>(shared_memory)) +
         kFirstSharedAddress;
}

void *shared_pointer(std::uint32_t address) {
  return reinterpret_cast<void *>(
      reinterpret_cast<std::uintptr_t>(shared_memory) +
      static_cast<std::intptr_t>(static_cast<std::int32_t>(address - kFirstSharedAddress)));
}

}  // namespace emulated
