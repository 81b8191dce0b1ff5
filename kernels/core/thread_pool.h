// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <type_traits>

namespace coalesce {

// A reference to a callable void(int first, int last); it must outlive the call it is passed to.
// (std::function would allocate for every frame.)
class RangeBody {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, RangeBody>>>
  RangeBody(F &&f)  // NOLINT: implicit on purpose
      : object_(const_cast<void *>(static_cast<const void *>(&f))),
        call_([](void *object, int first, int last) {
          (*static_cast<std::remove_reference_t<F> *>(object))(first, last);
        }) {}

  void operator()(int first, int last) const { call_(object_, first, last); }

 private:
  void *object_;
  void (*call_)(void *, int, int);
};

// Cores that this process may run on.
int usable_cores();

// A fixed set of threads that share out the rows of a picture. One caller at a time.
class ThreadPool {
 public:
  // threads: how many work at once, the calling thread among them; 0 = one for each usable core.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threads() const;

  // Calls body(first, last) for disjoint ranges that cover [0, count), and returns when all have
  // returned. No range but the last has fewer than `grain` rows, so small work stays on few
  // threads. What a body throws, this throws: the first of several. Ranges may be left out then.
  void for_ranges(int count, int grain, RangeBody body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same with pool == nullptr meaning the calling thread alone.
void for_ranges(ThreadPool *pool, int count, int grain, RangeBody body);

}  // namespace coalesce
