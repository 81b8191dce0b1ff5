// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges and lines of a grey picture by the CPU back ends, for quality.py.
#include <memory>
#include <vector>

#include "canny/canny.h"
#include "core/thread_pool.h"
#include "linedetect/linedetect.h"
#include "picture/formats.h"

namespace {

// Memory that is aligned to 16 bytes.
class Memory {
 public:
  void *data(std::size_t bytes) {
    if (words_.size() < bytes / 8 + 2) words_.resize(bytes / 8 + 2);
    void *at = words_.data();
    std::size_t room = 8 * words_.size();
    return std::align(16, bytes, at, room);
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Settings {
  coalesce::CannyParams canny;
  coalesce::LineParams lines;
};

struct Finder {
  explicit Finder(int threads) : pool(threads) {}
  coalesce::ThreadPool pool;
  Settings settings;
  std::vector<std::uint8_t> edges;
  Memory scratch;
  coalesce::Queue queue() { return coalesce::Queue::cpu(pool.threads() > 1 ? &pool : nullptr); }
};

template <class Byte>
coalesce::ImageOf<Byte> grey(Byte *data, int width, int height) {
  return {coalesce::pixel_format("GRAY8"),
          width,
          height,
          false,
          {{data, width, height, static_cast<std::size_t>(width)}}};
}

}  // namespace

extern "C" {

Finder *finder_open(double low, double high, int l2, double tolerance, int min_length,
                    int max_lines, int threads) {
  auto *finder = new Finder(threads);
  finder->settings = {{low, high, 3, l2 != 0}, {tolerance, min_length, max_lines}};
  return finder;
}

void finder_close(Finder *finder) {
  delete finder;
}

// Rows without gaps. 0 if all went well. Edges remain those of the last picture.
int finder_edges(Finder *f, const std::uint8_t *in, int width, int height) {
  f->edges.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  void *scratch = f->scratch.data(coalesce::canny_scratch_bytes(width, height));
  return static_cast<int>(canny(f->settings.canny, grey(in, width, height),
                                grey(f->edges.data(), width, height), f->queue(), scratch)
                              .code());
}
const std::uint8_t *finder_edge_bytes(const Finder *f) {
  return f->edges.data();
}

// lines: room for max_lines of six numbers. Their number, or -1.
int finder_lines(Finder *f, const std::uint8_t *in, int width, int height, coalesce::Line *lines) {
  coalesce::LineCount count = {};
  void *scratch = f->scratch.data(coalesce::linedetect_scratch_bytes(width, height));
  const coalesce::ConstImage edges =
      grey(static_cast<const std::uint8_t *>(f->edges.data()), width, height);
  const coalesce::Status s = linedetect(f->settings.lines, grey(in, width, height), edges, lines,
                                        &count, f->queue(), scratch);
  return s.ok() ? static_cast<int>(count.lines) : -1;
}

}  // extern "C"
