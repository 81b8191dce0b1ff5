// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenJPEG as a judge, where the tests were built with it.
#pragma once

#include "../encoder/j2k_picture.h"
#include "j2k/transform/quantiser.h"
#include "j2k_decoded.h"

namespace coalesce::test {

bool have_openjpeg();
// A codestream, or a JP2 file. layers: how many to decode; 0: all.
Decoded decode_with_openjpeg(const std::vector<std::uint8_t> &bytes, int layers = 0);

// A codestream of about so many bytes; empty if it did not work. As its program has it: 5
// decompositions, blocks of 64x64, one layer; of three components of one size, a colour transform.
std::vector<std::uint8_t> encode_with_openjpeg(const Picture &p, j2k::Wavelet wavelet,
                                               std::uint64_t bytes);

}  // namespace coalesce::test
