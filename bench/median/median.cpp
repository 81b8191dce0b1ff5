// SPDX-License-Identifier: LGPL-2.1-or-later
#include "median/median.h"

#include <cstring>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Work {
  const char *format;
  int size;
  double percentile = 50;
  const char *content = "";  // noise
};
// Grey as peers have it, then what people have.
constexpr Work kWorks[] = {
    {"GRAY8", 3},     {"GRAY8", 5},     {"GRAY8", 7},      {"GRAY8", 9},      {"GRAY8", 15},
    {"GRAY8", 31},    {"GRAY8", 75},    {"GRAY8", 3, 0},   {"GRAY8", 31, 0},  {"NV12", 3},
    {"NV12", 5},      {"NV12", 7},      {"NV12", 15},      {"RGB", 3},        {"RGB", 5},
    {"RGB", 7},       {"RGB", 15},      {"RGB", 31},       {"RGBA", 3},       {"RGBA", 5},
    {"P010_10LE", 3}, {"P010_10LE", 5}, {"P010_10LE", 15}, {"GRAY16_LE", 3},  {"GRAY16_LE", 5},
    {"GRAY16_LE", 7}, {"GRAY16_LE", 9}, {"GRAY16_LE", 15}, {"GRAY16_LE", 31}, {"GRAY16_LE", 75},
    {"UYVY", 3},      {"v210", 3},
};
// Ranks of words that no network has, and pictures where results are far from each other.
constexpr Work kMoreWorks[] = {{"GRAY16_LE", 3, 90},
                               {"GRAY16_LE", 5, 90},
                               {"GRAY16_LE", 7, 90},
                               {"GRAY16_LE", 15, 50, "gradient"},
                               {"GRAY16_LE", 15, 50, "two values"},
                               {"GRAY16_LE", 15, 50, "eight values"}};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

// Of GRAY16_LE: a gradient with noise, or noise of a few values.
std::vector<std::uint8_t> content_of(const Work &work, FrameSize size, std::size_t bytes) {
  const std::string name = work.content;
  if (name.empty()) return {};
  std::vector<std::uint8_t> content(bytes);
  const std::size_t pitch = bytes / static_cast<std::size_t>(size.height);
  Random random(1);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const int sample = name == "gradient"     ? 4096 * x / size.width + random.below(17)
                         : name == "two values" ? 40'000 * random.below(2)
                                                : 30'000 + random.below(8);
      const auto word = static_cast<std::uint16_t>(sample);
      std::memcpy(&content[static_cast<std::size_t>(y) * pitch + 2 * static_cast<std::size_t>(x)],
                  &word, sizeof word);
    }
  return content;
}

std::string name_of(const Work &work) {
  const std::string side = std::to_string(work.size);
  std::string name = "median " + side + "x" + side;
  if (work.percentile == 0) name += " minimum";
  if (work.percentile == 90) name += " percentile=90";
  if (*work.content != 0) name += std::string(" ") + work.content;
  return name + " " + work.format;
}

FrameWork frames_of(const Work &work, FrameSize size) {
  const PictureBytes bytes = picture_bytes(pixel_format(work.format), size);
  FrameWork frames = {name_of(work), size, bytes.all, bytes.all, 2 * bytes.useful};
  frames.content = content_of(work, size, bytes.all);
  return frames;
}

void time_one(Bench &bench, const Backend &backend, const Work &work, FrameSize size) {
  if (!bench.wants(name_of(work), size.width, size.height)) return;
  MedianParams params;
  params.width = params.height = work.size;
  params.percentile = work.percentile;
  const PixelFormat format = pixel_format(work.format);
  const std::uint8_t *none = nullptr;
  const Scratch scratch(container_scratch_bytes(picture_at(none, format, size)), backend.cuda);
  time_frames(bench, backend, frames_of(work, size),
              [&](const std::uint8_t *in, std::uint8_t *out) {
                return median(params, picture_at(in, format, size), picture_at(out, format, size),
                              backend.queue(), scratch.data());
              });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes) {
    for (const Work &work : kWorks)
      time_one(bench, backend, work, size);
    for (const Work &work : kMoreWorks)
      time_one(bench, backend, work, size);
  }
}

}  // namespace

BenchCase median_bench() {
  return {"median", time_all, {}};
}

}  // namespace coalesce::test
