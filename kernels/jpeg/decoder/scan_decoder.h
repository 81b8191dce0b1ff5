// SPDX-License-Identifier: LGPL-2.1-or-later
// From a scan's bits to coefficients, on the CPU (ITU-T T.81, annex F.2), with libjpeg's recovery
// from broken ones.
#pragma once

#include <cstdint>

#include "decode_table.h"
#include "headers.h"

namespace coalesce::jpeg {

// Coefficients of a component: block (x, y) of its padded blocks is at
// 64 * (y * padded_wide + x), in rows.
struct CoefficientPlanes {
  std::int16_t *component[kMostComponents] = {};
};

// Writes the coefficients that the scan has; the others stay as they are. Leaves the source at the
// marker behind the scan, or before it.
// Returns how the data are broken: too few, markers in the wrong places, bits that are no code, or
// more than 64 coefficients in a block. nullptr: they are not.
const char *decode_scan(const Frame &frame, const Scan &scan, HeaderReader *reader,
                        const CoefficientPlanes &out);

}  // namespace coalesce::jpeg
