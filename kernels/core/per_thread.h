// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory that each thread of a for_ranges() body has for itself while it is in it.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

namespace coalesce::j2k {

template <class T>
class PerThread {
  struct Slot {
    T value;
    std::atomic_flag taken = ATOMIC_FLAG_INIT;
  };

 public:
  // At least one for each thread. Allocates only if there are more of them than ever.
  void prepare(int threads) {
    while (slots_.size() < static_cast<std::size_t>(threads))
      slots_.push_back(std::make_unique<Slot>());
  }

  class Lease {
   public:
    explicit Lease(PerThread &all) : slot_(all.free_slot()) {}
    ~Lease() { slot_.taken.clear(std::memory_order_release); }
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    T &operator*() const { return slot_.value; }
    T *operator->() const { return &slot_.value; }

   private:
    Slot &slot_;
  };

  template <class Visit>
  void for_all(Visit &&visit) {
    for (auto &slot : slots_)
      visit(slot->value);
  }

 private:
  // There is one: no more threads come than prepare() was told of.
  Slot &free_slot() {
    for (std::size_t i = 0;; i = (i + 1) % slots_.size())
      if (!slots_[i]->taken.test_and_set(std::memory_order_acquire)) return *slots_[i];
  }

  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace coalesce::j2k
