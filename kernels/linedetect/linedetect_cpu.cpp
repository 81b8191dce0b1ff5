// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains are split into pieces, and lines are fitted to the longest of these.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "../picture/rows.h"
#include "line_scratch.h"

namespace coalesce {
namespace {

// One chain, and where its pieces begin; its last pixel counts, too.
class Pieces {
 public:
  Pieces(const LineJob &job, const LinePixel *pixel, std::uint8_t *cut, int count)
      : tolerance_(job.tolerance), pixel_(pixel), cut_(cut), last_(count - 1) {}

  void split() {
    std::memset(cut_, 0, static_cast<std::size_t>(last_) + 1);
    for (int k = 0; k < last_; k += kLineWindow)
      cut_[k] = 1;
    cut_[last_] = 1;
    for (int from = 0; from < last_;) {
      const int to = next(from), at = farthest(from, to);
      at == 0 ? void(from = to) : void(cut_[at] = 1);
    }
    // Windows are joined where a line crosses their border: in each round every second one.
    for (int step = kLineWindow; step < last_; step *= 2)
      for (int k = step; k < last_; k += 2 * step) {
        const int before = previous(k), behind = next(k);
        if (farthest(before, behind) == 0) cut_[k] = 0;
      }
  }

  int next(int at) const {
    return static_cast<int>(static_cast<const std::uint8_t *>(std::memchr(
                                cut_ + at + 1, 1, static_cast<std::size_t>(last_ - at))) -
                            cut_);
  }

 private:
  int previous(int at) const {
    while (cut_[--at] == 0) {
    }
    return at;
  }

  // The pixel that deviates the most, the first of several; 0 if none does too much.
  int farthest(int from, int to) const {
    const Chord chord(pixel_[from], pixel_[to]);
    std::int64_t most = chord.limit(tolerance_);
    int found = 0;
    for (int i = from + 1; i < to; ++i) {
      const std::int64_t deviation = chord.deviation(pixel_[i]);
      if (deviation <= most) continue;
      most = deviation;
      found = i;
    }
    return found;
  }

  std::int64_t tolerance_;
  const LinePixel *pixel_;
  std::uint8_t *cut_;
  int last_;
};

// Sums of a channel's gradients at pixels, by Sobel's filter.
class Gradients {
 public:
  Gradients(const LineJob &job, int channel)
      : plane_(job.in[channel]),
        first_(job.channel[channel].first),
        step_(job.channel[channel].step),
        width_(job.width),
        height_(job.height) {}

  void add(LinePixel p) {
    const int x = pixel_x(p), y = pixel_y(p);
    const int left = at(x - 1), here = at(x), right = at(x + 1);
    const std::uint8_t *above = row(y - 1), *middle = row(y), *below = row(y + 1);
    x_ += above[right] - above[left] + 2 * (middle[right] - middle[left]) + below[right] -
          below[left];
    y_ += below[left] - above[left] + 2 * (below[here] - above[here]) + below[right] - above[right];
  }
  double across(const FittedLine &line) const { return slope_across(line, x_, y_); }

 private:
  int at(int x) const { return first_ + step_ * std::clamp(x, 0, width_ - 1); }
  const std::uint8_t *row(int y) const { return plane_.row(std::clamp(y, 0, height_ - 1)); }

  Plane<const std::uint8_t> plane_;
  int first_, step_, width_, height_;
  std::int64_t x_ = 0, y_ = 0;
};

Line make_line(const LineJob &job, const LinePixel *begin, const LinePixel *last) {
  const int x = pixel_x(*begin), y = pixel_y(*begin);
  LineSums sums;
  for (const LinePixel *p = begin; p <= last; ++p)
    sums.add(pixel_x(*p) - x, pixel_y(*p) - y);
  const FittedLine line = fit_line(sums, pixel_x(*last) - x, pixel_y(*last) - y);
  int least = 0, most = 0;
  for (const LinePixel *p = begin; p <= last; ++p) {
    const int at = across(line, pixel_x(*p) - x, pixel_y(*p) - y);
    least = std::min(least, at), most = std::max(most, at);
  }
  double slope = 0;
  for (int c = 0; c < job.channels; ++c) {
    Gradients gradients(job, c);
    for (const LinePixel *p = begin; p <= last; ++p)
      gradients.add(*p);
    slope = std::max(slope, gradients.across(line));
  }
  return line_of(line, *begin, *last, least, most, sums.n, slope);
}

std::uint32_t find_pieces(const LineJob &job, const LineCpuScratch &s, std::uint32_t chains,
                          ThreadPool *pool) {
  std::atomic<std::uint32_t> count = 0;
  for_ranges(pool, static_cast<int>(chains), 16, [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      const LineChain chain = s.chains[i];
      const LinePixel *pixel = s.order + chain.first;
      const int end = static_cast<int>(chain.count) - 1;
      Pieces pieces(job, pixel, s.cuts() + chain.first, end + 1);
      pieces.split();
      for (int from = 0, to; from < end; from = to) {
        to = pieces.next(from);
        const std::int64_t length2 = Chord(pixel[from], pixel[to]).length2;
        if (length2 < squared(job.min_length)) continue;
        s.candidates[count.fetch_add(1, std::memory_order_relaxed)] = {
            line_key(length2, pixel[from]), chain.first + static_cast<std::uint32_t>(from),
            chain.first + static_cast<std::uint32_t>(to)};
      }
    }
  });
  return count;
}

}  // namespace

Status linedetect_cpu(const LineJob &job, ThreadPool *pool) {
  const LineCpuScratch s(job.scratch, job.width, job.height);
  const std::uint32_t chains = find_chains(job, s, pool);
  const std::uint32_t found = find_pieces(job, s, chains, pool);
  const std::uint32_t count = std::min(found, static_cast<std::uint32_t>(job.max_lines));
  const auto is_longer = [](const LineCandidate &a, const LineCandidate &b) {
    return a.key > b.key;
  };
  if (count < found)
    std::nth_element(s.candidates, s.candidates + count, s.candidates + found, is_longer);
  std::sort(s.candidates, s.candidates + count, is_longer);
  for_ranges(pool, static_cast<int>(count), 16, [&](int first, int last) {
    for (int i = first; i < last; ++i)
      job.lines[i] =
          make_line(job, s.order + s.candidates[i].first, s.order + s.candidates[i].last);
  });
  *job.count = {count, found};
  return {};
}

}  // namespace coalesce
