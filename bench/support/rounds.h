// SPDX-License-Identifier: LGPL-2.1-or-later
// The time of a frame while many are in flight, of each round: so many frames that follow each
// other out of the work. Between rounds nothing waits.
#pragma once

#include <chrono>
#include <mutex>
#include <vector>

namespace coalesce::test {

class Rounds {
 public:
  // Begins now.
  explicit Rounds(int frames) : frames_(frames) {}

  // A frame is finished; from any thread.
  void done() {
    const std::lock_guard<std::mutex> lock(lock_);
    if (++count_ % frames_ != 0) return;
    const auto now = Clock::now();
    ms_.push_back(std::chrono::duration<double, std::milli>(now - begin_).count() / frames_);
    begin_ = now;
  }

  const std::vector<double> &ms() const { return ms_; }  // of a frame, the mean of each round

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex lock_;
  int frames_, count_ = 0;
  Clock::time_point begin_ = Clock::now();
  std::vector<double> ms_;
};

}  // namespace coalesce::test
