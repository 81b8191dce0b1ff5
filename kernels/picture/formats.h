// SPDX-License-Identifier: LGPL-2.1-or-later
// Every pixel format by its name: a further one is a row of the table in formats.cpp.
#pragma once

#include <span>
#include <string_view>

#include "pixel_format.h"

namespace coalesce {

struct NamedFormat {
  const char *name;  // GStreamer's: "NV12", "P010_10LE"
  PixelFormat format;
};

std::span<const NamedFormat> named_formats();

// Without planes and components if there is none of this name.
PixelFormat pixel_format(std::string_view name);

}  // namespace coalesce
