// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../support/elements/elements.h"

namespace test {

const char *const kRgbFormats[] = {"RGB",  "BGR",  "RGBx", "BGRx", "xRGB", "xBGR", "RGBA",
                                   "BGRA", "ARGB", "ABGR", "GBR",  "RGBP", "BGRP"};
const char *const kYuvFormats[] = {"Y444", "AYUV", "VUYA", "Y42B", "I420", "YV12",
                                   "NV12", "NV21", "YUY2", "UYVY", "GRAY8"};

void add_rgb2yuv_pixel_cases(Suite *suite);   // formats, sizes, layouts, alpha
void add_rgb2yuv_colour_cases(Suite *suite);  // matrices, ranges, chroma sites
void add_rgb2yuv_field_cases(Suite *suite);   // interlaced video
void add_rgb2yuv_caps_cases(Suite *suite);    // negotiation

}  // namespace test
