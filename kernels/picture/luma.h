// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "pixel_format.h"

namespace coalesce {

// Luma or grey, of 8 bits or more, if its samples have bytes or words of 16 bits of their own; else
// nullptr.
constexpr const PixelComponent *luma_by_itself(const PixelFormat &format) {
  const PixelComponent *c = format.find(Role::y);
  if (c == nullptr) c = format.find(Role::grey);
  if (c == nullptr) return nullptr;
  const bool alone = c->container == Container::u8 || c->container == Container::u16;
  return alone && c->bits >= 8 ? c : nullptr;
}

}  // namespace coalesce
