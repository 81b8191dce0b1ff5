// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenJPEG as a judge, where the tests were built with it.
#pragma once

#include "j2k_decoded.h"

namespace coalesce::test {

bool have_openjpeg();
// A codestream, or a JP2 file. layers: how many to decode; 0: all.
Decoded decode_with_openjpeg(const std::vector<std::uint8_t> &bytes, int layers = 0);

}  // namespace coalesce::test
