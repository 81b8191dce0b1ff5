// SPDX-License-Identifier: LGPL-2.1-or-later
// The JP2 file format (ITU-T T.800 Annex I): boxes before a codestream.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/status.h"
#include "coding_params.h"

namespace coalesce::j2k {

// Of the decoded components, in the order they have: R, G, B; Y, Cb, Cr (of 601, full range); grey.
enum class ColourSpace : std::uint8_t { srgb, grey, sycc };

struct Jp2Params {
  ColourSpace colour = ColourSpace::srgb;
  int alpha = -1;              // the component that is opacity, behind all colours; -1: none
  bool premultiplied = false;  // the colours are
  // The width of a pixel to its height; 1 to 1 is not written down.
  std::uint16_t aspect_width = 1, aspect_height = 1;
};

// The text names the parameter.
Status check_params(const Jp2Params &jp2, const CodingParams &coding);

// Appends all that stands before a codestream of that length, for parameters that are sound. The
// boxes are as long, whatever the length. Errors: unsupported for 4 GiB or more.
Status put_jp2_header(const Jp2Params &jp2, const CodingParams &coding, std::uint64_t codestream,
                      std::vector<std::uint8_t> *out);

// The header of the jp2c box alone.
Status put_jp2c_header(std::uint64_t codestream, std::vector<std::uint8_t> *out);

}  // namespace coalesce::j2k
