// SPDX-License-Identifier: LGPL-2.1-or-later
// Every way to operator new of the program, of which one call can be made to fail.
#pragma once

namespace simulated {

// While one exists, allocations of C++ are counted, in all threads, and the nth fails (0 = none).
// Those of the simulated driver, of the kernels that run in it, and of libgstcuda are left out. One
// at a time.
class FailingNew {
 public:
  explicit FailingNew(int nth);
  ~FailingNew();
  FailingNew(const FailingNew &) = delete;
  FailingNew &operator=(const FailingNew &) = delete;

  bool has_failed() const;
};

// How many of the counted allocations have not been freed yet.
long living_allocations();

}  // namespace simulated
