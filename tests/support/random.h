// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

namespace coalesce::test {

// A small generator (splitmix64): the same numbers from the same seed everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int limit) { return static_cast<int>(bits() % static_cast<unsigned>(limit)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  template <class T, int N>
  T pick(const T (&choices)[N]) {
    return choices[below(N)];
  }

 private:
  std::uint64_t state_;
};

// The seed of a run: COALESCE_TEST_SEED, a number or "random", and 0 without it. A random one is
// put into the environment, so that child processes have the same. Programs print it.
inline std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const char *text = std::getenv("COALESCE_TEST_SEED");
    if (text == nullptr) return std::uint64_t{0};
    if (std::strcmp(text, "random") != 0) return std::uint64_t{std::strtoull(text, nullptr, 0)};
    const std::uint64_t drawn = std::random_device()();
    setenv("COALESCE_TEST_SEED", std::to_string(drawn).c_str(), 1);
    return drawn;
  }();
  return seed;
}

// Seed `own` of a test, in this run. For pictures and numbers that a test knows by their seed there
// is Random itself.
inline std::uint64_t seed_of_run(std::uint64_t own) {
  return own + 0x1000003 * run_seed();
}
inline Random random_of_run(std::uint64_t own) {
  return Random(seed_of_run(own));
}

}  // namespace coalesce::test
