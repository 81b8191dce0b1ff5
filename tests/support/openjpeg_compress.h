// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenJPEG's encoder, for tests and benchmarks.
#pragma once

#include <openjpeg.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace coalesce::test {

using OpenjpegImage = std::unique_ptr<opj_image_t, decltype(&opj_image_destroy)>;

// An image without samples. Throws std::runtime_error if there is no memory for it.
OpenjpegImage make_openjpeg_image(const std::vector<opj_image_cmptparm_t> &components,
                                  OPJ_UINT32 width, OPJ_UINT32 height);

// A codestream; empty if OpenJPEG failed.
std::vector<std::uint8_t> openjpeg_compress(opj_cparameters_t *params, opj_image_t *image,
                                            int threads = 1);

}  // namespace coalesce::test
