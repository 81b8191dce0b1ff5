// SPDX-License-Identifier: LGPL-2.1-or-later
// All scans of a file to coefficients, on the CPU.
#pragma once

#include <cstdint>

#include "headers.h"

namespace coalesce::jpeg {

// reader: after first_scan(). memory: 64 numbers for each of the frame's blocks(), component after
// component. *broken: as of decode_scan(), or libjpeg warns of something else. Errors: those of
// HeaderReader::next_scan().
Status decode_coefficients(HeaderReader *reader, std::int16_t *memory, bool *broken);

}  // namespace coalesce::jpeg
