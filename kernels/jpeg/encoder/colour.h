// SPDX-License-Identifier: LGPL-2.1-or-later
// RGB to YCbCr of JFIF, and samples of chroma out of those of pixels, in libjpeg's numbers
// (jccolor.c, jcsample.c): weights have 16 bits of fraction.
#pragma once

#include "../../core/host_device.h"

namespace coalesce::jpeg {

COALESCE_HOST_DEVICE int luma_of(int r, int g, int b) {
  return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16;
}
// 128 and a half, less the least bit.
COALESCE_HOST_DEVICE int cb_of(int r, int g, int b) {
  return (32768 * b - 11059 * r - 21709 * g + 8421375) >> 16;
}
COALESCE_HOST_DEVICE int cr_of(int r, int g, int b) {
  return (32768 * r - 27439 * g - 5329 * b + 8421375) >> 16;
}

// Sample x of a row of chroma, from the sum of two pixels beside each other, or of four. What is
// added before the shift alternates, so that halves go up as often as down.
COALESCE_HOST_DEVICE int half_of(int sum, int x) {
  return (sum + (x & 1)) >> 1;
}
COALESCE_HOST_DEVICE int quarter_of(int sum, int x) {
  return (sum + 1 + (x & 1)) >> 2;
}

}  // namespace coalesce::jpeg
