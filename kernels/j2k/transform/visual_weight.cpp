// SPDX-License-Identifier: LGPL-2.1-or-later
#include "visual_weight.h"

#include <cstdint>

#include "../canvas/geometry.h"

namespace coalesce::j2k {
namespace {

// By component and level, HL and LH, HH. (A table, since exp() need not be the same everywhere.)
constexpr std::int16_t kWeights[3][kMaxLevels][2] = {
    {{282, 89},
     {857, 732},
     {999, 978},
     {1021, 1017},
     {1024, 1023},
     {1024, 1024},
     {1024, 1024},
     {1024, 1024},
     {1024, 1024},
     {1024, 1024}},
    {{88, 27},
     {258, 134},
     {472, 326},
     {662, 538},
     {801, 713},
     {892, 835},
     {948, 913},
     {980, 960},
     {999, 988},
     {1010, 1003}},
    {{187, 82},
     {430, 283},
     {657, 531},
     {817, 732},
     {912, 863},
     {965, 938},
     {994, 979},
     {1008, 1001},
     {1016, 1012},
     {1020, 1018}},
};

}  // namespace

double visual_weight(int component, Band band, int level) {
  if (band == Band::ll || level > kMaxLevels) return 1;
  return kWeights[component][level - 1][band == Band::hh ? 1 : 0] / 1024.0;
}

}  // namespace coalesce::j2k
