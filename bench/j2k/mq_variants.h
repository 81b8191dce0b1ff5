// SPDX-License-Identifier: LGPL-2.1-or-later
// The same coder in other shapes. Built into the benchmark, not into the library.
#pragma once

#include "j2k/tier1/mq/mq_cuda.h"

namespace coalesce::j2k {

struct MqVariant {
  const char *name;
  bool candidate;  // for the library; the others are a study
  Status (*run)(const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream);
};

struct MqVariants {
  const MqVariant *first;
  int count;
  const MqVariant *begin() const { return first; }
  const MqVariant *end() const { return first + count; }
};

MqVariants mq_variants();  // the first is the library's

}  // namespace coalesce::j2k
