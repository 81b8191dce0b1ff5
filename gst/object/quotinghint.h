// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace coalesce::gst {

// What helps where a shell has removed the quotes of an empty text: gst-launch-1.0 then reads the
// next word, which is "!", as the value. Empty for other texts.
inline std::string quoting_hint(const char *property, const std::string &text,
                                const char *instead = "'\"\"'") {
  if (text != "!") return {};
  return std::string("; a shell removes the quotes of an empty text: use ") + property + "=" +
         instead;
}

}  // namespace coalesce::gst
