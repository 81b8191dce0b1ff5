// SPDX-License-Identifier: LGPL-2.1-or-later
// What kernels/jpeg/decoder refuses by name and libjpeg(-turbo) decodes, on the CPU: progressive
// files, arithmetic coding, CMYK and YCCK. A build without libjpeg refuses them (*_none.cpp).
#pragma once

#include <string>

#include "jpeg/decoder/decoder.h"

namespace coalesce::gst {

// The file's frame, as HeaderReader has it; of CMYK and YCCK, components of RGB. *frame: as far as
// HeaderReader has read it. Errors: unsupported without libjpeg, or with a text for what it does
// not decode either; invalid_argument. *why: libjpeg's own words, where it ends with an error; else
// as it was.
Status read_by_libjpeg(const std::uint8_t *file, std::size_t bytes, std::int64_t max_pixels,
                       jpeg::Frame *frame, std::string *why);

// The picture, in a format for which check_output() is ok. *broken: of what libjpeg warns, but for
// a missing EOI behind a whole picture. Errors: those of check_output(), check_image() and
// read_by_libjpeg(); invalid_argument where the file's samples are not those of `frame`, or libjpeg
// ends with an error; out_of_memory. *why: as above.
Status decode_by_libjpeg(const std::uint8_t *file, std::size_t bytes, const jpeg::Frame &frame,
                         const jpeg::DecodeParams &params, const Image &out, std::string *broken,
                         std::string *why);

}  // namespace coalesce::gst
