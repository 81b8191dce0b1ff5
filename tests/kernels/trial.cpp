// SPDX-License-Identifier: LGPL-2.1-or-later
// Trials, for the check tool and for the benchmarks, which time what passes them.
#include <stdexcept>

#include "../support/device.h"
#include "check.h"

namespace coalesce::test {
namespace {

std::string current;
char text[4096] = "no trial yet";  // memory that is always there

}  // namespace

Queue Backend::queue() const {
  return cuda ? Queue::cuda(device_stream()) : Queue::cpu(pool);
}

void set_doing(const std::string &what) {
  const std::string all = current + "\n    " + what;
  text[all.copy(text, sizeof text - 1)] = '\0';
}

const char *doing() {
  return text;
}

const std::string &trial_text() {
  return current;
}

std::string run_trial(const Trial &trial, std::uint64_t seed, int index, const Backend &backend,
                      const char *name) {
  current = std::string(name) + " on " + backend.name + "; again with --seed " +
            std::to_string(seed) + " --trial " + std::to_string(index) + " --case " + name +
            " --backend " + backend.name;
  set_doing("");
  Random random(seed + 0x1000003 * static_cast<std::uint64_t>(index));
  return trial(random, index, backend);
}

void require(bool good, const std::string &what) {
  if (!good) throw std::runtime_error(what);
}

}  // namespace coalesce::test
