// SPDX-License-Identifier: LGPL-2.1-or-later
// Generic and separable filters of the book, and the library's, on the same masks.
#include "book_filters.h"

#include <algorithm>
#include <string>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "convolve/convolve.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr FrameSize kSizes[] = {{512, 512}, {1024, 1024}, {2048, 2048}, {4096, 4096}};
constexpr int kLargestCompared = 1024;  // with the CPU

std::string side_text(int radius) {
  const std::string side = std::to_string(2 * radius + 1);
  return side + "x" + side;
}

std::vector<double> pyramid(int radius) {
  std::vector<double> row;
  for (int i = -radius; i <= radius; ++i)
    row.push_back(radius + 1 - std::abs(i));
  return row;
}

Filter filter_of(int radius) {
  FilterSettings settings;
  settings.horizontal = pyramid(radius);
  Filter filter;
  FilterError error;
  require(make_filter(settings, sample_depth(pixel_format("GRAY8")), &filter, &error), error.text);
  return filter;
}

Image grey_at(std::uint8_t *data, FrameSize size) {
  return picture_at(data, pixel_format("GRAY8"), size);
}
ConstImage grey_at(const std::uint8_t *data, FrameSize size) {
  return picture_at(data, pixel_format("GRAY8"), size);
}

// A pass along rows or columns, as the definition has it.
std::vector<std::uint8_t> passed(const std::vector<std::uint8_t> &in, FrameSize size, int across,
                                 int down) {
  std::vector<std::uint8_t> out(in.size());
  const int divisor = (across + 1) * (across + 1) * (down + 1) * (down + 1);
  const auto sample = [&](int x, int y) {
    x = std::clamp(x, 0, size.width - 1), y = std::clamp(y, 0, size.height - 1);
    return int{in[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(x)]};
  };
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      int sum = 0;
      for (int j = -down; j <= down; ++j)
        for (int i = -across; i <= across; ++i)
          sum += (across + 1 - std::abs(i)) * (down + 1 - std::abs(j)) * sample(x + i, y + j);
      out[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
          static_cast<std::size_t>(x)] =
          static_cast<std::uint8_t>((2 * sum + divisor) / (2 * divisor));
    }
  return out;
}

std::string trial(const BookVariant &variant, Random &random) {
  const FrameSize size = {8 * random.between(1, 60), random.between(1, 40)};
  const int radius = random.between(1, variant.max_radius);
  std::vector<std::uint8_t> in(static_cast<std::size_t>(size.width * size.height));
  for (std::uint8_t &sample : in)
    sample = static_cast<std::uint8_t>(random.bits());
  const std::vector<std::uint8_t> expected =
      variant.separable ? passed(passed(in, size, 0, radius), size, radius, 0)
                        : passed(in, size, radius, radius);
  DeviceMemory from(in.size()), to(in.size()), between(in.size());
  from.upload(in.data());
  const auto pitch = static_cast<std::size_t>(size.width);
  const Status status =
      variant.run(radius, {from.data(), size.width, size.height, pitch},
                  {to.data(), size.width, size.height, pitch}, between.data(), device_stream());
  if (!status.ok()) return status.message();
  device_synchronize();
  std::vector<std::uint8_t> out(in.size());
  to.download(out.data());
  const auto [got, wanted] = std::mismatch(out.begin(), out.end(), expected.begin());
  if (got == out.end()) return "";
  return side_text(radius) + ", " + std::to_string(size.width) + "x" + std::to_string(size.height) +
         ": sample " + std::to_string(got - out.begin()) + " is " + std::to_string(*got) +
         ", not " + std::to_string(*wanted);
}

std::vector<VariantTrial> variant_trials() {
  std::vector<VariantTrial> trials;
  for (const BookVariant &v : book_variants())
    trials.push_back(
        {v.name, [&v](Random &random, int, const Backend &) { return trial(v, random); }});
  return trials;
}

class Masks {
 public:
  Masks(Bench &bench, const Backend &backend, FrameSize size, int radius)
      : bench_(bench),
        backend_(backend),
        size_(size),
        radius_(radius),
        filter_(filter_of(radius)) {}

  // All these give the same bytes; the CPU's are compared.
  void time_generic() const {
    const std::vector<FrameVariant> library = {
        {"library, generic", of_library(ConvolveAlgorithm::direct)},
        {"library, separable", of_library(ConvolveAlgorithm::separable)},
        {"library", of_library(ConvolveAlgorithm::automatic)}};
    std::vector<FrameVariant> all = library;
    for (const BookVariant &v : book_variants())
      if (!v.separable && radius_ <= v.max_radius) all.push_back({v.name, of_book(v, nullptr)});
    const FrameWork work = this->work("filter ");
    if (size_.width <= kLargestCompared && bench_.wants(work.operation, size_.width, size_.height))
      compare_with_cpu(work, library[0].run, [this](const std::uint8_t *in, std::uint8_t *out) {
        return convolve({&filter_}, grey_at(in, size_), grey_at(out, size_), Queue::cpu(), nullptr);
      });
    time_variants(bench_, backend_, work, all);
  }

  // With bytes between the passes, which gives others.
  void time_separable() const {
    const Scratch between(picture_bytes(pixel_format("GRAY8"), size_).all, true);
    for (const BookVariant &v : book_variants())
      if (v.separable)
        time_variants(bench_, backend_, work("two passes "),
                      {{v.name, of_book(v, static_cast<std::uint8_t *>(between.data()))}});
  }

 private:
  FrameWork work(const char *what) const {
    const PictureBytes bytes = picture_bytes(pixel_format("GRAY8"), size_);
    return {what + side_text(radius_), size_, bytes.all, bytes.all, 2 * bytes.useful};
  }
  FrameRun of_library(ConvolveAlgorithm algorithm) const {
    return [this, algorithm](const std::uint8_t *in, std::uint8_t *out) {
      return convolve({&filter_}, grey_at(in, size_), grey_at(out, size_), backend_.queue(),
                      nullptr, algorithm);
    };
  }
  FrameRun of_book(const BookVariant &v, std::uint8_t *between) const {
    return [this, &v, between](const std::uint8_t *in, std::uint8_t *out) {
      return v.run(radius_, grey_at(in, size_).plane[0], grey_at(out, size_).plane[0], between,
                   backend_.queue().stream());
    };
  }

  Bench &bench_;
  const Backend &backend_;
  FrameSize size_;
  int radius_;
  Filter filter_;
};

void time_transfers(Bench &bench, FrameSize size) {
  const std::string operation = "picture to the GPU and back";
  if (bench.once() || !bench.wants(operation, size.width, size.height)) return;
  const std::size_t bytes =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  double us = 0;
  const Status status = time_both_ways(bytes, &us);
  require(status.ok(), status.message());
  bench.add(Row()
                .text("operation", operation)
                .text("variant", "page-locked")
                .number("width", size.width)
                .number("height", size.height)
                .number("bytes", static_cast<double>(2 * bytes))
                .number("us", us));
}

void time_all(Bench &bench, const Backend &backend) {
  if (!backend.cuda) return;
  for (const FrameSize &size : kSizes) {
    time_transfers(bench, size);
    for (int radius = 1; radius <= kBookMaxRadius; ++radius) {
      const Masks masks(bench, backend, size, radius);
      masks.time_generic();
      masks.time_separable();
    }
  }
}

}  // namespace

BenchCase book_filters_bench() {
  return {.name = "book-filters",
          .time = time_all,
          .cuda_variants = variant_trials,
          .of_library = false};
}

}  // namespace coalesce::test
