// SPDX-License-Identifier: LGPL-2.1-or-later
#include "textfile.h"

#include <glib.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace coalesce::gst {

std::string read_text_file(const std::string &path, std::string *text) {
  constexpr std::size_t kMostBytes = 1 << 20;
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"),
                                                              &std::fclose);
  if (file == nullptr) return g_strerror(errno);
  text->resize(kMostBytes + 1);
  text->resize(std::fread(text->data(), 1, text->size(), file.get()));
  if (std::ferror(file.get()) != 0) return g_strerror(errno);
  return text->size() > kMostBytes ? "it has more than " + std::to_string(kMostBytes) + " bytes"
                                   : std::string();
}

}  // namespace coalesce::gst
