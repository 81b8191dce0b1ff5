// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mq_variants.h"

#include "mq_launch.cuh"

namespace coalesce::j2k {
namespace {

constexpr MqVariant kVariants[] = {
    {"library", code_blocks},
    {"1 pipeline a block", code_frames<1>},
    {"2 pipelines a block", code_frames<2>},
    {"4 pipelines a block", code_frames<4>},
};

}  // namespace

MqVariants mq_variants() {
  return {kVariants, static_cast<int>(sizeof kVariants / sizeof *kVariants)};
}

}  // namespace coalesce::j2k
