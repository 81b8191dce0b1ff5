// SPDX-License-Identifier: LGPL-2.1-or-later
// What comparisons with a library on the GPU share: its functions against a copy of their own
// bytes, over the buffers and by the clock of bench-kernels.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include "bench/support/frames.h"
#include "tests/support/device.h"

namespace coalesce::test {

inline void check(bool good, const char *what) {
  if (!good) throw std::runtime_error(what);
}

// The main() of a comparison: time_all(bench, results) returns whether all results were right.
template <class TimeAll>
int run_peer(const char *program, int argc, char **argv, const TimeAll &time_all) {
  Results results(program, &argc, argv);
  BenchOptions options;
  for (int i = 1; i < argc; i += 2) {
    const std::string arg = argv[i];
    if ((arg != "--operation" && arg != "--size") || i + 1 == argc) {
      std::fprintf(stderr,
                   "usage: %s [--operation TEXT]... [--size WIDTHxHEIGHT]... [--json FILE]\n",
                   program);
      return 2;
    }
    (arg == "--size" ? options.sizes : options.operations).push_back(argv[i + 1]);
  }
  if (!device_usable()) {
    std::printf("SKIP: %s\n", device_text().c_str());
    return 77;
  }
  setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    results.set_machine(device_text());
    Bench bench(options, &results);
    const bool right = time_all(&bench, &results);
    return results.write() && right ? 0 : 1;
  } catch (const std::exception &e) {
    std::printf("FAIL %s\n", e.what());
    results.write();
    return 1;
  }
}

// Times what gives right results: correct(in, out) says which do. False, and a line, of others.
template <class Correct>
bool time_right(Bench *bench, const Backend &backend, const FrameWork &work, const FrameRun &run,
                const Correct &correct) {
  DeviceMemory in(work.in_bytes), out(work.out_bytes);
  if (work.content.empty())
    in.fill_random(1);
  else
    in.upload(work.content.data());
  const Status status = run(in.data(), out.data());
  device_synchronize();
  if (!status.ok() || !correct(in, out)) {
    std::printf("not timed: %s: %s\n", status.ok() ? "samples differ" : status.message(),
                work.operation.c_str());
    return false;
  }
  time_frames(*bench, backend, work, run);
  return true;
}

}  // namespace coalesce::test
