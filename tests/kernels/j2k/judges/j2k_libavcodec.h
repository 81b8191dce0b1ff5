// SPDX-License-Identifier: LGPL-2.1-or-later
// FFmpeg's decoder as a judge, where the tests were built with libavcodec.
#pragma once

#include <cstdint>
#include <vector>

#include "j2k/canvas/geometry.h"
#include "j2k_decoded.h"

namespace coalesce::test {

bool have_libavcodec();
// As AV_VERSION_INT() has it, of the library that is loaded; 0 without one.
unsigned libavcodec_version();
// A codestream of these parameters: a frame does not tell the bits and sizes of its components.
Decoded decode_with_libavcodec(const std::vector<std::uint8_t> &bytes,
                               const j2k::CodingParams &params);

}  // namespace coalesce::test
