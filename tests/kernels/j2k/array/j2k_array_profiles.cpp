// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string>

#include "../codestream/j2k_profiles.h"
#include "j2k/encoder/encoder.h"
#include "j2k_array_factors.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Factor = J2kArray::Factor;

constexpr ProfileRate kRate = {24, 1, 0};

// Rsiz has levels in it.
Profile profile_of(const EncoderParams &e) {
  switch (e.profile & 0x0f00) {
    case 0x0100:
      return Profile::broadcast_single;
    case 0x0200:
      return Profile::broadcast_multi;
    case 0x0400:
      return Profile::imf_2k;
    case 0x0500:
      return Profile::imf_4k;
    default:
      return e.profile == 3 ? Profile::cinema_2k : Profile::cinema_4k;
  }
}

// What a profile cannot be set for is none: no row may be so.
Factor profiles() {
  Factor factor = {"profile", {}};
  for (int i = 1; i <= static_cast<int>(Profile::imf_4k); ++i) {
    const auto profile = static_cast<Profile>(i);
    factor.values.push_back({name_of(profile), [profile](EncoderParams *e) {
                               std::uint64_t limit;
                               if (!set_profile(profile, kRate, e, &limit).ok()) e->profile = 0;
                             }});
  }
  return factor;
}

// 0: what the profile says.
Factor others(const char *name, const std::vector<int> &list, void (*set)(EncoderParams *, int)) {
  Factor factor = numbers(name, list, [set](EncoderParams *e, int v) {
    if (v != 0) set(e, v);
  });
  for (J2kArray::Value &value : factor.values)
    if (value.name == "0") value.name = "as the profile says";
  return factor;
}

Factor markers() {
  return {"markers",
          {{"no more", [](EncoderParams *) {}},
           {"plt", [](EncoderParams *e) { e->plt = true; }},
           {"sop eph", [](EncoderParams *e) { e->sop = e->eph = true; }}}};
}

Factor rates() {
  const auto bytes = [](std::uint64_t thousandths) {
    return [=](EncoderParams *e) { e->targets = {{LayerBudget::Kind::bytes, thousandths}}; };
  };
  return {"rate",
          {{"few bytes", bytes(25)},
           {"bytes", bytes(200)},
           {"a component's", [bytes](EncoderParams *e) {
              bytes(300)(e);
              e->component_bytes = 60;
            }}}};
}

std::vector<Factor> factors() {
  return {j2k_formats(),
          j2k_sizes(),
          profiles(),
          others("levels", {0, 1, 5}, [](EncoderParams *e, int v) { e->coding.levels = v; }),
          others("block", {0, 5, 7},
                 [](EncoderParams *e, int v) {
                   e->coding.block_x = v;
                   e->coding.block_y = 12 - v;
                 }),
          others("guard bits", {0, 3}, [](EncoderParams *e, int v) { e->guard_bits = v; }),
          others("tiles in one column", {0, 4},
                 [](EncoderParams *e, int v) {
                   e->coding.tile_width = e->coding.image.x1;
                   e->coding.tile_height = (e->coding.image.y1 + v - 1) / v;
                 }),
          markers(),
          rates()};
}

bool is_sound(const EncoderParams &e) {
  return e.profile != 0 && check_profile(profile_of(e), e).ok() && check_params(e).ok();
}

}  // namespace

const J2kArray &j2k_profile_array() {
  static const J2kArray array(factors(), is_sound);
  return array;
}

}  // namespace coalesce::test
