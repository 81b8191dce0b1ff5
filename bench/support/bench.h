// SPDX-License-Identifier: LGPL-2.1-or-later
// Timing of operations against copies of as many bytes, for bench-kernels. An operation's file has
// the function BenchCase <op>_bench(), and its meson.build the name.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/support/results.h"
#include "tests/kernels/check.h"

namespace coalesce::test {

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
  // The same by a plain kernel; cudaMemcpyAsync is not equally fast at all sizes.
  std::function<void(int i)> copy_by_kernel = {};
  bool captured = true;  // CUDA: timed in a graph; false: of functions that refuse that
};

// Of the command line.
struct BenchOptions {
  std::vector<std::string> operations;     // parts of the names of what is timed; none: all
  std::vector<std::string> sizes;          // "1920x1080", ...; none: all
  bool variants = true;                    // also what is not the library's choice
  std::vector<std::string> variant_names;  // of these; none: all
  bool once = false;                       // CUDA: one run of each for a profiler, and no times
  const char *picture = nullptr;           // a PPM file
  bool unaligned = false;                  // convolve's pictures
  double cpu_seconds = 1.5;                // for an operation and its copies, on the CPU
};

class Bench {
 public:
  Bench(BenchOptions options, Results *results) : options_(std::move(options)), results_(results) {}
  bool wants(const std::string &operation, int width, int height) const;
  void time(const Backend &backend, const Timing &timing);
  void add(const Row &row);  // what was timed in another way
  bool once() const { return options_.once; }
  bool variants() const { return options_.variants; }
  bool wants_variant(const std::string &name) const;
  bool unaligned() const { return options_.unaligned; }
  bool has_picture() const { return options_.picture != nullptr; }
  // The R, G and B planes of the photograph, mirrored until it is large enough.
  std::vector<std::uint8_t> picture(int width, int height) const;

 private:
  BenchOptions options_;
  Results *results_;
  bool titled_ = false;
};

// A shape that is not of the library.
struct VariantTrial {
  std::string name;
  Trial trial;
};

struct BenchCase {
  const char *name;  // as the check tool's case
  std::function<void(Bench &, const Backend &)> time;
  std::function<std::vector<VariantTrial>()> cuda_variants = {};
  bool of_photograph = false;  // Bench::picture() is called
  bool of_library = true;      // false: the check tool has no such case, and trials are of variants
};

}  // namespace coalesce::test
