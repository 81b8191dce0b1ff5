// SPDX-License-Identifier: LGPL-2.1-or-later
// yadif, bwdif and w3fdif beside the ffmpeg program's filters of those names: equal bytes. Where
// there is no program, the cases are skipped.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "deinterlace_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 5;

bool has_ffmpeg() {
  static const bool found = std::system("ffmpeg -version >/dev/null 2>&1") == 0;
  return found;
}

struct Judge {
  const char *ours, *theirs;  // names of the format
  int flags = 0;              // 1: without their vectors of 14 bits, which differ from their C
};

// Planar and grey formats. (Of 9 and 14 bits we have none.)
const Judge kJudges[] = {{"GRAY8", "gray"},
                         {"I420", "yuv420p"},
                         {"Y42B", "yuv422p"},
                         {"Y444", "yuv444p"},
                         {"Y41B", "yuv411p"},
                         {"I420_10LE", "yuv420p10le"},
                         {"I422_10LE", "yuv422p10le"},
                         {"Y444_10LE", "yuv444p10le"},
                         {"I420_12LE", "yuv420p12le"},
                         {"I422_12LE", "yuv422p12le"},
                         {"Y444_12LE", "yuv444p12le"},
                         {"Y444_16LE", "yuv444p16le"},
                         {"GRAY16_LE", "gray16le"},
                         {"GBR", "gbrp"},
                         {"GBR_10LE", "gbrp10le"}};

struct Video {
  PixelFormat format;
  int width, height;
  std::vector<std::vector<std::uint8_t>> frames;

  std::size_t frame_bytes() const {
    std::size_t bytes = 0;
    for (int p = 0; p < format.planes; ++p)
      bytes += static_cast<std::size_t>(row_bytes(format, p, width)) *
               static_cast<std::size_t>(plane_rows(format, p, height));
    return bytes;
  }
  Image image(std::vector<std::uint8_t> &frame) const {
    Image image = {format, width, height, false, {}};
    std::uint8_t *at = frame.data();
    for (int p = 0; p < format.planes; ++p) {
      const auto bytes = row_bytes(format, p, width);
      image.plane[p] = {at, static_cast<int>(bytes), plane_rows(format, p, height),
                        static_cast<std::size_t>(bytes)};
      at += bytes * image.plane[p].height;
    }
    return image;
  }
};

// Smooth and noisy parts that move, still ones, and extremes.
Video random_video(const Judge &judge, int width, int height, Random &random) {
  Video video = {pixel_format(judge.ours), width, height, {}};
  const int bits = video.format.component[0].bits;
  const int kind = random.below(4), speed = random.between(0, 3);
  std::vector<std::uint8_t> still(video.frame_bytes());
  for (auto &byte : still)
    byte = static_cast<std::uint8_t>(random.bits());
  for (int n = 0; n < kFrames; ++n) {
    std::vector<std::uint8_t> frame(video.frame_bytes());
    const std::size_t samples = frame.size() / (bits > 8 ? 2 : 1);
    for (std::size_t i = 0; i < samples; ++i) {
      const int x = static_cast<int>(i % static_cast<std::size_t>(width));
      const int y = static_cast<int>(i / static_cast<std::size_t>(width));
      const int top = (1 << bits) - 1;
      int value = kind == 0   ? random.below(top + 1)
                  : kind == 1 ? ((x + speed * n) * 5 + y * 11) * (top / 255) % (top + 1)
                  : kind == 2 ? (random.below(9) == 0 ? random.below(2) * top : top / 2)
                              : (still[i % still.size()] + (x > width / 2 ? 9 * n : 0)) *
                                    (top / 255) % (top + 1);
      if (random.below(40) == 0) value = random.below(top + 1);
      if (bits > 8) {
        const auto word = static_cast<std::uint16_t>(value);
        std::memcpy(frame.data() + 2 * i, &word, 2);
      } else {
        frame[i] = static_cast<std::uint8_t>(value);
      }
    }
    video.frames.push_back(std::move(frame));
  }
  return video;
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "deinterlace-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::string file(const char *name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// What the program makes of it. (With several threads a row's vectors may overwrite the beginning
// of the next row after that has been made.)
std::vector<std::vector<std::uint8_t>> filtered(const Video &video, const Judge &judge,
                                                const std::string &filter) {
  const Folder folder;
  std::ofstream in(folder.file("in"), std::ios::binary);
  for (const auto &frame : video.frames)
    in.write(reinterpret_cast<const char *>(frame.data()), static_cast<long>(frame.size()));
  in.close();
  const std::string command = std::string("ffmpeg -v error -nostdin -y -filter_threads 1 ") +
                              (judge.flags != 0 ? "-cpuflags 0 " : "") + "-f rawvideo -pix_fmt " +
                              judge.theirs + " -s " + std::to_string(video.width) + "x" +
                              std::to_string(video.height) + " -r 25 -i " + folder.file("in") +
                              " -vf " + filter + " -fps_mode passthrough -f rawvideo -pix_fmt " +
                              judge.theirs + " " + folder.file("out");
  REQUIRE_MESSAGE(std::system(command.c_str()) == 0, command);
  std::ifstream out(folder.file("out"), std::ios::binary);
  std::vector<std::vector<std::uint8_t>> frames;
  std::vector<std::uint8_t> frame(video.frame_bytes());
  while (out.read(reinterpret_cast<char *>(frame.data()), static_cast<long>(frame.size())))
    frames.push_back(frame);
  return frames;
}

struct Settings {
  DeinterlaceParams params;
  bool every_field, top_first;
};

// The whole sequence, by the operation. ends: the first and the last picture are known as such.
std::vector<std::vector<std::uint8_t>> deinterlaced(Video video, const Settings &s,
                                                    bool ends = true) {
  std::vector<std::vector<std::uint8_t>> made;
  for (int n = 0; n < kFrames; ++n) {
    const auto frame = [&](int i) -> ConstImage {
      return video.image(video.frames[static_cast<std::size_t>(std::clamp(i, 0, kFrames - 1))]);
    };
    std::vector<std::uint8_t> memory[2];
    std::vector<FieldPicture> pictures;
    for (int i = 0; i < (s.every_field ? 2 : 1); ++i) {
      memory[i].resize(video.frame_bytes());
      const bool first = n == 0 && i == 0, last = n == kFrames - 1 && i == 1;
      pictures.push_back({video.image(memory[i]), (i == 0) == s.top_first ? 0 : 1, i == 1,
                          ends && (first || last)});
    }
    const Status status =
        deinterlace(s.params, frame(n - 1), frame(n), frame(n + 1), pictures.data(),
                    static_cast<int>(pictures.size()), Queue::cpu());
    REQUIRE_MESSAGE(status.ok(), status.message());
    for (std::size_t i = 0; i < pictures.size(); ++i)
      made.push_back(memory[i]);
  }
  return made;
}

// FFmpeg 7.1.5's bwdif, not 5.1's, makes rows of the first and the last picture by other frames,
// too, where three rows above or below them are not in the picture.
std::vector<std::vector<std::uint8_t>> deinterlaced_as_later(Video video, const Settings &s) {
  auto made = deinterlaced(video, s);
  auto inner = deinterlaced(video, s, false);
  for (std::size_t n = 0; n < made.size(); ++n)
    for (int p = 0; p < video.format.planes; ++p) {
      const Plane<std::uint8_t> to = video.image(made[n]).plane[p];
      const Plane<std::uint8_t> from = video.image(inner[n]).plane[p];
      for (int y = 0; y < to.height; ++y)
        if (y < 3 || y + 3 >= to.height) std::copy_n(from.row(y), from.width, to.row(y));
    }
  return made;
}

void expect_equal(const Judge &judge, int width, int height, const Settings &s,
                  const std::string &filter, Random &random) {
  const Video video = random_video(judge, width, height, random);
  const auto theirs = filtered(video, judge, filter);
  auto ours = deinterlaced(video, s);
  if (s.params.method == DeinterlaceMethod::bwdif) {
    static bool later = false;
    later = later || theirs != ours;
    if (later) ours = deinterlaced_as_later(video, s);
  }
  const std::string what =
      filter + ", " + judge.theirs + ", " + std::to_string(width) + "x" + std::to_string(height);
  REQUIRE_MESSAGE(ours.size() == theirs.size(), what, ": ", theirs.size(), " frames");
  for (std::size_t n = 0; n < ours.size(); ++n) {
    std::size_t at = 0;
    while (at < ours[n].size() && ours[n][at] == theirs[n][at])
      ++at;
    CHECK_MESSAGE(at == ours[n].size(), what, ": picture ", n, ", byte ", at);
  }
}

std::string suffix(const Settings &s) {
  return std::string(s.every_field ? "send_field" : "send_frame") +
         (s.params.spatial_check ? "" : "_nospatial");
}

// Of small pictures or of larger ones, by chance; one at field rate, one at frame rate.
std::vector<int> turns(Random &random) {
  return random.below(2) == 0 ? std::vector{0, 1} : std::vector{2, 3};
}

std::string parity(const Settings &s) {
  return s.top_first ? "tff" : "bff";
}

TEST_CASE("yadif") {
  if (!has_ffmpeg()) return skip("no ffmpeg program");
  Random random = random_of_run(1);
  for (const Judge &judge : kJudges)
    for (int turn : turns(random)) {
      const Settings s = {{DeinterlaceMethod::yadif, 5, turn < 2 || random.below(2) == 0},
                          turn % 2 == 0,
                          random.below(2) == 0};
      const int width = random.between(turn == 0 ? 3 : 20, turn == 0 ? 20 : 70);
      const int height = random.between(turn == 1 ? 3 : 9, turn == 1 ? 9 : 40);
      expect_equal(judge, width, height, s, "yadif=mode=" + suffix(s) + ":parity=" + parity(s),
                   random);
    }
}

// (It takes planes from 3 columns and 4 rows on. Of those of more than 8 bits and less than 7 rows
// it reads others; there ours is defined by itself.)
TEST_CASE("bwdif") {
  if (!has_ffmpeg()) return skip("no ffmpeg program");
  Random random = random_of_run(2);
  for (const Judge &judge : kJudges)
    for (int turn : turns(random)) {
      const Settings s = {{DeinterlaceMethod::bwdif, 5, true}, turn % 2 == 0, random.below(2) == 0};
      const int width = random.between(12, turn == 0 ? 20 : 70);
      const int least = 14;
      const int height = random.between(least, turn == 1 ? least + 6 : 50);
      expect_equal(judge, width, height, s, "bwdif=mode=" + suffix(s) + ":parity=" + parity(s),
                   random);
    }
}

// (Not of 16 bits: there sums of 32 bits overflow in FFmpeg, and ours are exact.)
TEST_CASE("w3fdif") {
  if (!has_ffmpeg()) return skip("no ffmpeg program");
  Random random = random_of_run(3);
  for (const Judge &judge : kJudges) {
    if (pixel_format(judge.ours).component[0].bits == 16) continue;
    for (int turn : turns(random)) {
      const Settings s = {
          {DeinterlaceMethod::w3fdif, 5, true}, turn % 2 == 0, random.below(2) == 0};
      const int width = random.between(12, turn == 0 ? 20 : 70);
      const int height = random.between(turn == 1 ? 8 : 14, turn == 1 ? 14 : 50);
      expect_equal(judge, width, height, s,
                   std::string("w3fdif=filter=complex:deint=all:mode=") +
                       (s.every_field ? "field" : "frame") + ":parity=" + parity(s),
                   random);
    }
  }
}

}  // namespace
}  // namespace coalesce::test
