// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_grok.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace coalesce::test {
namespace {

namespace fs = std::filesystem;

// A folder for this process, which goes with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "coalesce-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::string file(const std::string &name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

const Folder &folder() {
  static const Folder folder;
  return folder;
}

// What its program said that is a warning or an error.
std::string complaints() {
  std::ifstream in(folder().file("said"));
  std::string all;
  for (std::string line; std::getline(in, line);)
    if (line.find("[warning]") != std::string::npos || line.find("[error]") != std::string::npos)
      all += line + "\n";
  return all;
}

// Its program writes this form for each component, whatever its size: a line, then samples of one
// byte, or two, the higher one first.
bool read_pgx(const std::string &file, Decoded::Component *component) {
  std::ifstream in(file, std::ios::binary);
  std::string magic, order, sign;
  in >> magic >> order >> sign >> component->bits >> component->width >> component->height;
  in.get();
  if (!in || magic != "PG" || order != "ML" || sign != "+") return false;
  const auto count = static_cast<std::size_t>(component->width * component->height);
  const bool wide = component->bits > 8;
  for (std::size_t i = 0; i < count; ++i) {
    const int high = wide ? in.get() : 0;
    component->samples.push_back(high << 8 | in.get());
  }
  return static_cast<bool>(in);
}

// What it says goes into a file.
int run(const std::string &command) {
  return std::system((command + " > '" + folder().file("said") + "' 2>&1").c_str());
}

}  // namespace

bool have_grok() {
  static const bool have = run("command -v grk_decompress") == 0;
  return have;
}

Decoded decode_with_grok(const std::vector<std::uint8_t> &bytes) {
  const bool raw = bytes.size() > 1 && bytes[0] == 0xFF && bytes[1] == 0x4F;
  const std::string coded = folder().file(raw ? "coded.j2k" : "coded.jp2");
  std::ofstream(coded, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  Decoded decoded;
  const bool decodes = run("timeout 300 grk_decompress -v -H 1 -i '" + coded + "' -o '" +
                           folder().file("out.pgx") + "'") == 0;
  decoded.complaint = complaints() + (decodes ? "" : "(it did not decode)");
  for (int c = 0;; ++c) {
    const std::string file = folder().file("out_" + std::to_string(c) + ".pgx");
    if (!fs::exists(file)) break;
    decoded.components.push_back({0, 0, 0, {}});
    if (!read_pgx(file, &decoded.components.back())) decoded.complaint += "(no PGX file)";
    fs::remove(file);
  }
  return decoded;
}

}  // namespace coalesce::test
