// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-kernels: the kernel library's operations against copies of as many bytes. What is timed has
// passed the trials of the check tool.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/support/bench.h"
#include "benches.h"
#include "core/thread_pool.h"
#include "tests/kernels/backends.h"
#include "tests/support/device.h"
#include "tests/support/fenced.h"

namespace coalesce::test {

#define DECLARE(name) BenchCase name##_bench();
EACH_BENCH(DECLARE)

namespace {

constexpr int kVariantTrials = 80;
constexpr std::uint64_t kSeed = 1;

const char *const kUsage =
    "usage: bench-kernels [option ...]\n"
    "  --list               the cases and back ends\n"
    "  --case NAME          only this case; may be repeated\n"
    "  --backend NAME       only this back end: cpu-1, cpu-n (all processors), cpu (both) or cuda\n"
    "  --operation TEXT     only what has TEXT in its name, or =NAME; may be repeated\n"
    "  --size WIDTHxHEIGHT  only this size; may be repeated\n"
    "  --no-variants        only what the library chooses by itself\n"
    "  --variant NAME       only this variant; may be repeated\n"
    "  --trials N           at most so many trials of each before it is timed\n"
    "  --once               no trials and no timing: one launch of each for a profiler\n"
    "  --unaligned          of convolve: rows at odd addresses, of 16-bit words 2 behind a "
    "multiple "
    "of 4\n"
    "  --seconds S          on the CPU, for an operation and its copies\n"
    "  --picture FILE.ppm   the photograph for j2k-model, j2k-mq and oilpaint\n"
    "  --check              no timing: the trials of the variants that are not in the library\n"
    "  --json FILE          write the figures as JSON, too\n"
    "Without a GPU, --check and --backend cuda end with exit status 77.\n";

const std::vector<BenchCase> &all_cases_of_bench() {
#define CALL(name) name##_bench(),
  static const std::vector<BenchCase> all = {EACH_BENCH(CALL)};
  return all;
}

struct Options {
  bool list = false, check = false;
  std::vector<std::string> cases;
  std::string backend;
  int trials = std::numeric_limits<int>::max();  // at most
  BenchOptions bench;
};

bool parse(int argc, char **argv, Options *options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    options->list |= arg == "--list";
    options->check |= arg == "--check";
    options->bench.unaligned |= arg == "--unaligned";
    options->bench.once |= arg == "--once";
    if (arg == "--no-variants") options->bench.variants = false;
    if (arg == "--list" || arg == "--check" || arg == "--unaligned" || arg == "--once" ||
        arg == "--no-variants")
      continue;
    if (++i == argc) return false;
    if (arg == "--case")
      options->cases.push_back(argv[i]);
    else if (arg == "--operation")
      options->bench.operations.push_back(argv[i]);
    else if (arg == "--size")
      options->bench.sizes.push_back(argv[i]);
    else if (arg == "--variant")
      options->bench.variant_names.push_back(argv[i]);
    else if (arg == "--trials")
      options->trials = std::atoi(argv[i]);
    else if (arg == "--backend")
      options->backend = argv[i];
    else if (arg == "--seconds")
      options->bench.cpu_seconds = std::atof(argv[i]);
    else if (arg == "--picture")
      options->bench.picture = argv[i];
    else
      return false;
  }
  return true;
}

bool passes(const char *name, const Trial &trial, int trials, const Backend &backend) {
  for (int i = 0; i < trials; ++i) {
    const std::string wrong = run_trial(trial, kSeed, i, backend, name);
    if (wrong.empty()) continue;
    std::printf("FAIL %s, %s: trial %d: %s\n", name, backend.name, i, wrong.c_str());
    return false;
  }
  return true;
}

bool operation_passes(const BenchCase &c, const Backend &backend, int trials) {
  for (const Case &checked : all_cases())
    if (std::strcmp(checked.name, c.name) == 0)
      return passes(c.name, checked.trial, std::min(checked.trials, trials), backend);
  throw std::logic_error(std::string(c.name) + " is no case of the check tool");
}

bool variants_pass(const BenchCase &c, const Backend &backend, int trials, const Bench &bench) {
  if (!backend.cuda || !c.cuda_variants) return true;
  std::vector<VariantTrial> variants = c.cuda_variants();
  std::erase_if(variants, [&bench](const VariantTrial &v) { return !bench.wants_variant(v.name); });
  bool good = true;
  for (const VariantTrial &v : variants)
    good = passes((std::string(c.name) + ", " + v.name).c_str(), v.trial, trials, backend) && good;
  std::printf("%-5s %s: %zu variants, %d trials each\n", good ? "ok" : "FAIL", c.name,
              variants.size(), trials);
  return good;
}

bool run_case(const BenchCase &c, const Backend &backend, const Options &options, Bench *bench) {
  const int variant_trials = std::min(kVariantTrials, options.trials);
  if (options.check) return variants_pass(c, backend, variant_trials, *bench);
  if (c.of_photograph && options.bench.picture == nullptr) {
    const bool named = !options.cases.empty();
    std::printf("%s %s: requires --picture FILE.ppm\n", named ? "FAIL" : "SKIP", c.name);
    return !named;
  }
  if (!options.bench.once) {
    if (c.of_library && !operation_passes(c, backend, options.trials)) return false;
    if (options.bench.variants && !variants_pass(c, backend, variant_trials, *bench)) return false;
  }
  c.time(*bench, backend);
  return true;
}

template <class T>
bool contains(const std::vector<T> &list, const T &one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

int run(const Options &options, Results *results) {
  ThreadPool pool;
  std::vector<Backend> backends = select_backends(options.backend, &pool);
  std::vector<BenchCase> cases;
  for (const BenchCase &c : all_cases_of_bench())
    if (options.cases.empty() || contains(options.cases, std::string(c.name))) cases.push_back(c);
  if (backends.empty() || cases.size() < std::max<std::size_t>(options.cases.size(), 1)) {
    std::fprintf(stderr, "bench-kernels: there is no such case or back end\n");
    return 2;
  }
  if (options.list) {
    for (const BenchCase &c : cases)
      std::printf("%s\n", c.name);
    list(backends);
    return 0;
  }
  if (options.check) {
    if (!backends.back().cuda) {
      std::fprintf(stderr, "bench-kernels: --check has only the back end cuda\n");
      return 2;
    }
    backends.erase(backends.begin(), backends.end() - 1);
  }
  if (const std::optional<int> status = keep_usable(&backends)) return *status;

  results->set_machine(device_text());
  Bench bench(options.bench, results);
  bool good = true;
  for (const BenchCase &c : cases)
    for (const Backend &b : backends)
      good = run_case(c, b, options, &bench) && good;
  return results->write() && good ? 0 : 1;
}

}  // namespace
}  // namespace coalesce::test

int main(int argc, char **argv) {
  using namespace coalesce::test;
  Results results("bench-kernels", &argc, argv);
  Options options;
  if (!parse(argc, argv, &options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  on_fault(doing);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return run(options, &results);
  } catch (const std::exception &e) {
    std::printf("FAIL %s\n    %s\n", doing(), e.what());
    (void)results.write();  // what was measured until then
    return 1;
  }
}
