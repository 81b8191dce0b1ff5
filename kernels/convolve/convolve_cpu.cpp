// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of samples, with what stands around them, are laid out as lines of the type of the sums, the
// last ones in a ring as high as the mask. What is then added up is whole lines. A plane is cut
// into strips of columns, so that the lines fit a buffer on the stack, and the cache.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "../core/thread_pool.h"
#include "convolve_rows.h"
#include "convolve_source.h"
#include "convolve_sums.h"

namespace coalesce {
namespace {

// Lines beside the ring: what sums start with, what is added to their absolute values, which bytes
// are copied, zeros, a row of samples if the ring holds sums, sums.
enum { kStart, kAfter, kCopied, kZeros, kSamples, kSums, kOthers };

constexpr int kMinStrip = 16;            // pixels
constexpr std::size_t kAlign = 64;       // of lines, in bytes
constexpr std::size_t kCache = 1 << 16;  // what lines may take, if that is wide enough
constexpr std::size_t kMaxLine = (kMinStrip + kMaxTaps - 1) * 4 * sizeof(double);
constexpr std::size_t kScratch = (kMaxTaps + kOthers) * kMaxLine;
static_assert(kMaxLine % kAlign == 0 && kCache <= kScratch);

template <class T>
struct Strip {
  std::byte *scratch;
  std::size_t pitch;
  int x, pixels, samples;

  T *line(int i) const {
    return reinterpret_cast<T *>(scratch + static_cast<std::size_t>(i) * pitch);
  }
};

// Filters rows of one plane with sums of type T.
template <class T>
class RowFilter {
 public:
  RowFilter(const Filter &filter, bool separable, const Source &source, const ConvolvePlane &plane,
            const Finish<T> &finish)
      : filter_(filter), separable_(separable), source_(source), plane_(plane), finish_(finish) {
    const int pixel_bytes = plane.channels * static_cast<int>(sizeof(T));
    const int line_bytes = static_cast<int>(kCache) / (filter.height + kOthers);
    const int fits = std::max(line_bytes / pixel_bytes - (filter.width - 1), kMinStrip);
    const int strips = (source.width() - 1) / fits + 1;
    strip_pixels_ = (source.width() - 1) / strips + 1;  // all about equally wide
    const auto bytes = static_cast<std::size_t>((strip_pixels_ + filter.width - 1) * pixel_bytes);
    pitch_ = (bytes + kAlign - 1) / kAlign * kAlign;
  }

  // Rows first to last - 1.
  void operator()(int first, int last) const {
    alignas(kAlign) std::byte scratch[kScratch];
    for (int x = 0; x < source_.width(); x += strip_pixels_) {
      const int pixels = std::min(strip_pixels_, source_.width() - x);
      const Strip<T> strip = {scratch, pitch_, x, pixels, pixels * plane_.channels};
      prepare(strip);
      const int lead = filter_.height - 1;
      for (int i = 0; i < last - first + lead; ++i) {
        load(strip, first - filter_.above + i, ring(strip, i));
        if (i < lead) continue;
        add_up(strip, i - lead);
        store(strip, first + i - lead);
      }
    }
  }

 private:
  // The line of the i-th row that was loaded.
  T *ring(const Strip<T> &strip, int i) const { return strip.line(kOthers + i % filter_.height); }

  void prepare(const Strip<T> &strip) const {
    const auto bytes = static_cast<std::ptrdiff_t>(filter_.depth.bytes());
    auto *copied = reinterpret_cast<std::uint8_t *>(strip.line(kCopied));
    for (int i = 0; i < strip.samples; ++i) {
      const int c = i % plane_.channels;
      strip.line(kStart)[i] = finish_.start[c];
      strip.line(kAfter)[i] = finish_.after[c];
      strip.line(kZeros)[i] = 0;
      std::fill_n(copied + i * bytes, bytes, plane_.role[c] == ChannelRole::copy ? 0xff : 0);
    }
  }

  void load(const Strip<T> &strip, int row, T *line) const {
    T *samples = separable_ ? strip.line(kSamples) : line;
    source_.load(strip.x - filter_.left, row, strip.pixels + filter_.width - 1, samples);
    if (!separable_) return;
    Term<T> terms[kMaxTaps];
    int n = 0;
    for (int c = 0; c < filter_.width; ++c)
      terms[n++] = {samples + c * plane_.channels,
                    static_cast<T>(filter_.across[static_cast<std::size_t>(c)])};
    add_terms(strip.line(kZeros), terms, n, strip.samples, line);
  }

  // Of the lines from the i-th on that was loaded.
  void add_up(const Strip<T> &strip, int i) const {
    constexpr int kBatch = 64;
    static_assert(kBatch >= kMaxTaps);
    Term<T> terms[kBatch];
    int n = 0;
    const T *start = strip.line(kStart);
    const std::int32_t *weight = separable_ ? filter_.down.data() : filter_.weights.data();
    const int width = separable_ ? 1 : filter_.width;
    for (int r = 0; r < filter_.height; ++r) {
      const T *line = ring(strip, i + r);
      for (int c = 0; c < width; ++c, ++weight) {
        if (*weight == 0) continue;
        if (n == kBatch) {
          add_terms(start, terms, n, strip.samples, strip.line(kSums));
          start = strip.line(kSums);
          n = 0;
        }
        terms[n++] = {line + c * plane_.channels, static_cast<T>(*weight)};
      }
    }
    add_terms(start, terms, n, strip.samples, strip.line(kSums));
  }

  void store(const Strip<T> &strip, int y) const {
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(strip.x) * source_.pixel_bytes();
    std::uint8_t *out = plane_.out.row(y) + offset;
    finish_row(finish_, finish_.absolute ? strip.line(kAfter) : nullptr, strip.samples,
               strip.line(kSums), out);
    if (source_.copies())
      copy_some(plane_.in.row(y) + offset,
                reinterpret_cast<const std::uint8_t *>(strip.line(kCopied)),
                strip.samples * filter_.depth.bytes(), out);
  }

  const Filter &filter_;
  bool separable_;
  const Source &source_;
  const ConvolvePlane &plane_;
  const Finish<T> &finish_;
  int strip_pixels_;
  std::size_t pitch_;
};

// At least this many products a range: waking a thread costs as much as some hundred thousand.
constexpr std::int64_t kGrain = 1 << 19;

template <class T>
bool filter_plane(const ConvolveParams &params, const ConvolvePlane &plane, bool separable,
                  ThreadPool *pool) {
  const Filter &f = *params.filter;
  Finish<T> finish;
  if (!make_finish(f, plane, &finish)) return false;
  const Source source(params, plane);
  const RowFilter<T> rows(f, separable, source, plane, finish);
  const std::int64_t row_work = std::int64_t{source.width()} * plane.channels *
                                (separable ? f.width + f.height : f.width * f.height);
  // Every range loads the rows above it anew, so not fewer rows than these.
  const std::int64_t grain = std::max<std::int64_t>(kGrain / row_work, f.height);
  for_ranges(pool, plane.in.height, static_cast<int>(grain), rows);
  return true;
}

// Samples as they are. Of channels that are not ChannelRole::copy, only the bits that count.
void copy_plane(const ConvolvePlane &plane, SampleDepth depth, ThreadPool *pool) {
  bool whole = depth.bits == 8 * depth.bytes();
  if (!whole)
    whole = std::all_of(plane.role, plane.role + plane.channels,
                        [](ChannelRole role) { return role == ChannelRole::copy; });
  const int grain = std::max(1, (1 << 16) / plane.in.width);
  for_ranges(pool, plane.in.height, grain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      if (whole) {
        std::memcpy(plane.out.row(y), plane.in.row(y), static_cast<std::size_t>(plane.in.width));
        continue;
      }
      const auto *in = reinterpret_cast<const std::uint16_t *>(plane.in.row(y));
      auto *out = reinterpret_cast<std::uint16_t *>(plane.out.row(y));
      for (int i = 0; i < plane.in.width / 2; ++i) {
        const bool all = plane.role[i % plane.channels] == ChannelRole::copy;
        out[i] = static_cast<std::uint16_t>(in[i] & (all ? 0xffff : depth.max() << depth.shift));
      }
    }
  });
}

}  // namespace

Status convolve_cpu(const ConvolveParams &params, const ConvolveImage &image,
                    ConvolveAlgorithm algorithm, ThreadPool *pool) {
  const bool separable = algorithm == ConvolveAlgorithm::separable;
  for (int i = 0; i < image.planes; ++i) {
    const ConvolvePlane &plane = image.plane[i];
    const bool all_copied = std::all_of(plane.role, plane.role + plane.channels,
                                        [](ChannelRole role) { return role == ChannelRole::copy; });
    if (algorithm == ConvolveAlgorithm::copy || all_copied) {
      copy_plane(plane, params.filter->depth, pool);
    } else {
      filter_plane<std::uint16_t>(params, plane, separable, pool) ||
          filter_plane<std::uint32_t>(params, plane, separable, pool) ||
          filter_plane<double>(params, plane, separable, pool) ||
          filter_plane<std::uint64_t>(params, plane, separable, pool);
    }
  }
  return {};
}

}  // namespace coalesce
