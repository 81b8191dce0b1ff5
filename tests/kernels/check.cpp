// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "../support/device.h"
#include "../support/fenced.h"
#include "../support/random.h"
#include "../support/small_run.h"
#include "backends.h"
#include "core/thread_pool.h"
#include "planted.h"

namespace coalesce::test {
namespace {

constexpr int kPlantedTrials = 80;

const char *const kUsage =
    "usage: check-kernels [option ...]\n"
    "  --list               the operations and back ends, and whether a GPU is usable\n"
    "  --case NAME          only this operation, and others of which this is said\n"
    "  --backend NAME       only this back end: cpu (both of them), cpu-1, cpu-n or cuda\n"
    "  --seed N             the random numbers (default: COALESCE_TEST_SEED, or 0)\n"
    "  --trial N            only this trial; N-M: these\n"
    "  --all                all trials, where others are a part of them\n"
    "  --every N            one trial of N; the seed says which\n"
    "  --self-test          the planted bugs must be caught\n"
    "  --planted-oob        run a CUDA kernel that reads out of bounds, for compute-sanitizer to "
    "flag\n"
    "COALESCE_TEST_SMALL=1: fewer trials by chance.\n"
    "COALESCE_REQUIRE_GPU=1 makes it an error that a back end has no GPU (otherwise exit status "
    "77\n"
    "if cuda was asked for, a note if not).\n";

struct Options {
  bool list = false;
  bool self_test = false;
  bool planted_oob = false;
  bool all = false;
  std::vector<std::string> only_cases;
  std::string backend;
  std::uint64_t seed = run_seed();
  int first = 0, last = -1;  // trials, both included; all of them if there is no last one
  int every = 1;
};

// "N", or "N-M".
void parse_trials(const char *text, Options &options) {
  char *end = nullptr;
  options.first = static_cast<int>(std::strtol(text, &end, 10));
  options.last = *end == '-' ? static_cast<int>(std::strtol(end + 1, nullptr, 10)) : options.first;
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
    const bool takes_value = arg == "--case" || arg == "--backend" || arg == "--seed" ||
                             arg == "--trial" || arg == "--every";
    if (takes_value && value == nullptr) return false;
    if (arg == "--list")
      options.list = true;
    else if (arg == "--self-test")
      options.self_test = true;
    else if (arg == "--planted-oob")
      options.planted_oob = true;
    else if (arg == "--all")
      options.all = true;
    else if (arg == "--case")
      options.only_cases.push_back(value);
    else if (arg == "--backend")
      options.backend = value;
    else if (arg == "--seed")
      options.seed = std::strtoull(value, nullptr, 0);
    else if (arg == "--trial")
      parse_trials(value, options);
    else if (arg == "--every")
      options.every = static_cast<int>(std::strtol(value, nullptr, 10));
    else
      return false;
    i += takes_value;
  }
  return options.every > 0;
}

int check(const Case &c, const Backend &backend, const Options &options) {
  const int first = options.first + static_cast<int>(options.seed % options.every);
  const int trials = options.all && c.all_trials ? c.all_trials()
                     : c.by_chance               ? few_of(c.trials)
                                                 : c.trials;
  const int last = options.last < 0 ? trials : options.last + 1;
  int failures = 0, tried = 0;
  for (int i = first; i < last && failures < 3; i += options.every) {
    ++tried;
    const std::string wrong = run_trial(c.trial, options.seed, i, backend, c.name);
    if (wrong.empty()) continue;
    ++failures;
    std::printf("FAIL %s\n    %s\n", trial_text().c_str(), wrong.c_str());
  }
  std::printf("%-5s %s, %s: %d trials, seed %llu\n", failures == 0 ? "ok" : "FAIL", c.name,
              backend.name, tried, static_cast<unsigned long long>(options.seed));
  return failures;
}

// True if the child was ended by the fault handler.
bool faults(void (*body)(std::uint8_t *end)) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    on_fault([] { return "as it should be, in the self-test"; });
    const FencedMemory memory(100, FencedMemory::Against::high);
    body(memory.data() + 100);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

int self_test(const std::vector<Case> &cases, const std::vector<Backend> &backends,
              const Options &options) {
  int missed = 0;
  const auto tell = [&missed](bool caught, const char *what, const char *where, int trials) {
    std::printf("%s: %s, %s (%d trials)\n", caught ? "caught" : "MISSED", what, where, trials);
    missed += !caught;
  };
  for (const Case &c : cases) {
    for (const PlantedBug &bug : c.planted()) {
      for (const Backend &backend : backends) {
        if (backend.cuda != bug.cuda) continue;
        int i = 0;
        std::string wrong;
        while (wrong.empty() && i < kPlantedTrials)
          wrong = run_trial(bug.trial, options.seed, i++, backend, bug.name);
        tell(!wrong.empty(), bug.name, backend.name, i);
      }
    }
  }
  tell(faults([](std::uint8_t *end) { *static_cast<volatile std::uint8_t *>(end) = 1; }),
       "a byte written behind a buffer", "fence", 1);
  tell(faults([](std::uint8_t *end) { (void)*static_cast<volatile std::uint8_t *>(end); }),
       "a byte read behind a buffer", "fence", 1);
  return missed;
}

int run(const Options &options) {
  ThreadPool pool(3);
  std::vector<Backend> backends = select_backends(options.backend, &pool);
  std::vector<Case> cases;
  for (const Case &c : all_cases())
    if (options.only_cases.empty() ||
        std::find(options.only_cases.begin(), options.only_cases.end(), c.name) !=
            options.only_cases.end())
      cases.push_back(c);
  if (backends.empty() || cases.empty()) {
    std::fprintf(stderr, "no such operation or back end\n");
    return 2;
  }

  if (options.list) {
    for (const Case &c : cases)
      std::printf("%s\n", c.name);
    list(backends);
    return 0;
  }
  if (const std::optional<int> status = keep_usable(&backends)) return *status;
  if (options.planted_oob) return device_usable() ? run_planted_oob() : kSkipped;
  if (options.self_test) return self_test(cases, backends, options) == 0 ? 0 : 1;

  int failures = 0;
  for (const Case &c : cases)
    for (const Backend &b : backends)
      failures += check(c, b, options);
  return failures == 0 ? 0 : 1;
}

}  // namespace

}  // namespace coalesce::test

int main(int argc, char **argv) {
  using namespace coalesce::test;
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  on_fault(doing);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return run(options);
  } catch (const std::exception &e) {
    std::printf("FAIL %s\n    %s\n", doing(), e.what());
    return 1;
  }
}
