// SPDX-License-Identifier: LGPL-2.1-or-later
// Profiles: what amendments of ISO/IEC 15444-1:2004 (all of them in today's ITU-T T.800) allow for
// an application, so that its decoders need not know everything.
//
// Where the numbers are from:
// - Rsiz: Table A.10, as OpenJPEG's openjpeg.h lists it (2.5, OPJ_PROFILE_*).
// - Cinema (Amd. 1; SMPTE ST 429-4, DCI's specification): size, levels, blocks, precincts, order,
//   one layer, no region, tile-parts, the two progressions of 4K: OpenJPEG, j2k.c,
//   opj_j2k_set_cinema_parameters() and opj_j2k_is_cinema_compliant(). Guard bits, TLM, no SOP,
//   EPH or PLT, and where POC stands: what libdcp 1.9 demands of a package, verify_j2k.cc. Bytes:
//   250 Mbit/s, and 200 Mbit/s for a component, which are OPJ_CINEMA_24_CS and its like.
// - Broadcast (Amd. 3): what Grok's Profile.cpp checks, isBroadcastCompliant(). Samples a second
// are
//   those of openjpeg.h's main levels; Mbit/s of levels 1 to 5: 200, 200, 200, 400, 800 (from
//   another encoder's source; the levels that SMPTE's labels have for one tile, too).
// - IMF (Amd. 8; SMPTE ST 2067-21): OpenJPEG, opj_j2k_set_imf_parameters() and
//   opj_j2k_is_imf_compliant(); levels OPJ_IMF_MAINLEVEL_*, OPJ_IMF_SUBLEVEL_*, Table A.53.
// All of them are the irreversible ones; the reversible profiles of broadcast and IMF are not here.
#pragma once

#include <cstdint>
#include <string>

#include "../../core/status.h"
#include "../params/encoder_params.h"

namespace coalesce::j2k {

enum class Profile : std::uint8_t {
  none,
  cinema_2k,         // three components of 12 bits, X'Y'Z' already
  cinema_4k,         // the same, and the 2K picture comes first
  broadcast_single,  // one tile
  broadcast_multi,   // or four of them
  imf_2k,
  imf_4k
};

// What limits and levels depend on. A profile needs a frame rate.
struct ProfileRate {
  std::int64_t fps_num = 0;  // fields of a large rate are more than an int has room for
  int fps_den = 1;
  std::uint64_t frame_bytes = 0;  // that a codestream is to have at most; 0: as many as may be
};

// Of params, which have image and components: sets all that the profile says something of, Rsiz
// among it, which for broadcast has the lowest level, and for IMF the lowest main and sub-level,
// that this size and rate fit in; and as the target of its layer the bytes that are wanted, or else
// those that are allowed. `none` sets Rsiz only.
// frame_limit: how many bytes a codestream may have, for those who set another target; 0: any.
// Where the bytes that are wanted are the error, the most that are allowed; 0 with other errors.
// Errors: invalid_argument, the text naming the profile, and the property or the caps' field.
// text: with an error, the same with what is required and what there is; empty where nobody sets
// it.
Status set_profile(Profile profile, const ProfileRate &rate, EncoderParams *params,
                   std::uint64_t *frame_limit, std::string *text = nullptr);

// What the profile forbids of params, if something was changed since. Errors: as above.
Status check_profile(Profile profile, const EncoderParams &params, std::string *text = nullptr);

}  // namespace coalesce::j2k
