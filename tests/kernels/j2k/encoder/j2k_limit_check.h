// SPDX-License-Identifier: LGPL-2.1-or-later
// What a limit of bytes promises, looked at in codestreams: docs/j2kenc.md, "Bytes that nothing
// fits in".
#pragma once

#include "j2k/encoder/encoder.h"

namespace coalesce::test {

// How a limit was used.
enum class LimitUse {
  most,          // 98 % or more
  all_there_is,  // less, but every pass of every block is there
  nothing_fits,  // less, but no codestream with one pass more of any block is short enough
  wasted         // less, and one is; or more than the limit
};

// After params.targets, of which the last is of bytes, have led to the encoder's layers. With
// limits of components, of which each must have a tile-part of its own in every tile, a component
// that has used 98 % of its own is not asked for more. Throws if it is wasted.
LimitUse check_limit(const j2k::EncoderParams &params, j2k::Encoder *encoder);

}  // namespace coalesce::test
