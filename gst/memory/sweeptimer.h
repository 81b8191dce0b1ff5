// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace coalesce::gst {

// The clock of a RetireList and the sleep of its sweeper. A test has one of its own.
class SweepTimer {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Guard = std::unique_lock<std::mutex>;

  virtual ~SweepTimer() = default;
  virtual Time now() { return std::chrono::steady_clock::now(); }
  // Ends with wake(), or sooner.
  virtual void sleep(Guard &guard) { wake_.wait(guard); }
  virtual void sleep_until(Guard &guard, Time time) { wake_.wait_until(guard, time); }
  virtual void wake() { wake_.notify_one(); }

 private:
  std::condition_variable wake_;
};

}  // namespace coalesce::gst
