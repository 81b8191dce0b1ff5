// SPDX-License-Identifier: LGPL-2.1-or-later
// The check tool: every back end of every operation against an obvious reference. An operation's
// file <op>/check_<op>.cpp has the function Case <op>_case(), and the operation's meson.build its
// name.
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
const char *doing();              // the trial and what set_doing() said, for a crash handler
const std::string &trial_text();  // which trial it is, and how to run it again

// Runs a trial. Trial `index` draws the same numbers whichever trials ran before it.
std::string run_trial(const Trial &trial, std::uint64_t seed, int index, const Backend &backend,
                      const char *name);

// A broken implementation, which the same trials must catch.
struct PlantedBug {
  const char *name;
  bool cuda;
  Trial trial;
};

struct Case {
  const char *name;
  int trials;
  Trial trial;
  std::function<std::vector<PlantedBug>()> planted;
  std::function<int()> all_trials = {};  // with --all, if those above are a part of them
  bool by_chance = true;                 // false: each trial is one of its kind
};

std::vector<Case> all_cases();

// Throws std::runtime_error unless `good`.
void require(bool good, const std::string &what);

}  // namespace coalesce::test
