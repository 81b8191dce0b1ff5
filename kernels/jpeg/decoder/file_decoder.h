// SPDX-License-Identifier: LGPL-2.1-or-later
// All scans of a file to coefficients, on the CPU.
#pragma once

#include <cstdint>

#include "headers.h"

namespace coalesce::jpeg {

// Of *broken: HeaderReader::is_odd().
inline constexpr const char *kOddHeader = "jpeg: stray bytes or odd values in a header";

// reader: after first_scan(). memory: 64 numbers for each of the frame's blocks(), component after
// component. *broken: what decode_scan() says first, or of what else libjpeg warns; nullptr:
// nothing. Errors: those of HeaderReader::next_scan().
Status decode_coefficients(HeaderReader *reader, std::int16_t *memory, const char **broken);

}  // namespace coalesce::jpeg
