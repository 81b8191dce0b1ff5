// SPDX-License-Identifier: LGPL-2.1-or-later
// The check tool: every back end of every operation against an obvious reference, and how fast the
// correct ones are. An operation adds itself in one file, with a Case.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../support/random.h"
#include "core/queue.h"

namespace coalesce::test {

struct Backend {
  const char *name;
  ThreadPool *pool;
  bool cuda;

  Queue queue() const;  // CUDA: on device_stream()
};

// One trial with the numbers of `random`. Returns what was wrong, or nothing. Before it calls into
// an operation it says with what, for the reader of a crash.
using Trial = std::function<std::string(Random &random, int index, const Backend &backend)>;
void set_doing(const std::string &text);

// A broken implementation, which the same trials must catch.
struct PlantedBug {
  const char *name;
  bool cuda;
  Trial trial;
};

// One implementation at one size, ready to be enqueued (CUDA) or run (CPU) on buffer i of
// `buffers`, which together are larger than the caches.
struct Timing {
  std::string operation;  // "uyvy2y UYVY->GRAY8"
  std::string variant;    // "library", or a shape of the study
  int width = 0;
  int height = 0;
  int buffers = 0;
  std::size_t bytes = 0;  // read and written by one run
  std::function<void(int i)> run;
  std::function<void(int i)> copy;  // a copy that reads and writes as many bytes
};

class Bench {
 public:
  // only: no others are timed than those with this text in "OPERATION WIDTHxHEIGHT".
  explicit Bench(std::string only) : only_(std::move(only)) {}
  bool wants(const std::string &operation, int width, int height) const;
  void time(const Backend &backend, const Timing &timing);
  bool write_json(const char *path, const std::string &machine) const;

 private:
  struct Result {
    std::string backend, operation, variant;
    int width, height;
    double us, copy_us;
  };
  std::string only_;
  std::vector<Result> results_;
};

struct Case {
  const char *name;
  int trials;
  Trial trial;
  std::function<std::vector<PlantedBug>()> planted;
  std::function<void(Bench &, const Backend &)> bench;
  std::function<int()> all_trials = {};  // with --all, if those above are a part of them
  bool by_chance = true;                 // false: each trial is one of its kind
};

std::vector<Case> all_cases();
Case convolve_case();
Case j2k_array_case();
Case j2k_encoder_case();
Case j2k_model_case();
Case j2k_mq_case();
Case j2k_packets_case();
Case j2k_rate_case();
Case j2k_sizes_case();
Case j2k_transform_case();
Case rgb2yuv_case();
Case uyvy2y_case();

// Throws std::runtime_error unless a benchmark's result was right.
void require(bool good, const std::string &what);

}  // namespace coalesce::test
