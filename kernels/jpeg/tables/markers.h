// SPDX-License-Identifier: LGPL-2.1-or-later
// Markers of JPEG files (ITU-T T.81, table B.1): 0xFF and one of these bytes.
#pragma once

#include <cstdint>

namespace coalesce::jpeg {

enum class Marker : std::uint8_t {
  sof0 = 0xC0,  // baseline
  sof1 = 0xC1,  // extended sequential
  sof2 = 0xC2,  // progressive
  dht = 0xC4,
  jpg = 0xC8,
  dac = 0xCC,
  rst0 = 0xD0,  // to rst7
  rst7 = 0xD7,
  soi = 0xD8,
  eoi = 0xD9,
  sos = 0xDA,
  dqt = 0xDB,
  dnl = 0xDC,
  dri = 0xDD,
  app0 = 0xE0,   // JFIF
  app14 = 0xEE,  // Adobe
  app15 = 0xEF,
  com = 0xFE,
  tem = 0x01,
};

}  // namespace coalesce::jpeg
