// SPDX-License-Identifier: LGPL-2.1-or-later
#include "backends.h"

#include <cstdio>
#include <cstdlib>

#include "../support/device.h"

namespace coalesce::test {

std::vector<Backend> select_backends(const std::string &name, ThreadPool *pool) {
  std::vector<Backend> selected;
  for (const Backend &b : {Backend{"cpu-1", nullptr, false}, Backend{"cpu-n", pool, false},
                           Backend{"cuda", nullptr, true}})
    if (name.empty() || name == b.name || (name == "cpu" && !b.cuda)) selected.push_back(b);
  return selected;
}

void list(const std::vector<Backend> &backends) {
  for (const Backend &b : backends)
    std::printf("%s%s%s\n", b.name, b.cuda ? ": " : "", b.cuda ? device_text().c_str() : "");
}

std::optional<int> keep_usable(std::vector<Backend> *backends) {
  if (!backends->back().cuda || device_usable()) return {};
  const char *value = std::getenv("COALESCE_REQUIRE_GPU");
  const bool required = value != nullptr && *value != '\0' && std::string(value) != "0";
  std::printf("%s cuda: %s\n", required ? "FAIL" : "SKIP", device_text().c_str());
  if (required) return 1;
  backends->pop_back();
  if (backends->empty()) return kSkipped;
  return {};
}

}  // namespace coalesce::test
