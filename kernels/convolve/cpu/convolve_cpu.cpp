// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of samples, with what stands around them, are laid out as lines of the type of the sums, the
// last ones in a ring as high as the mask. What is then added up is whole lines. A plane is cut
// into strips of columns, so that the lines fit a buffer on the stack, and the cache.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../../core/thread_pool.h"
#include "rows.h"
#include "source.h"
#include "sum_type.h"

namespace coalesce {
namespace {

constexpr int kMinStrip = 16;            // pixels
constexpr std::size_t kAlign = 64;       // of lines, in bytes
constexpr std::size_t kCache = 1 << 16;  // what lines may take, if that is wide enough
// Lines beside the ring: of what is added to sums and to their absolute values; which bytes are
// copied; a row of samples, if the ring holds sums; sums.
enum { kBefore, kAfter, kCopied, kSamples, kSums, kOthers };
constexpr std::size_t kMaxLine = (kMinStrip + kMaxTaps - 1) * 4 * sizeof(double);
constexpr std::size_t kScratch = (kMaxTaps + kOthers) * kMaxLine;
static_assert(kMaxLine % kAlign == 0 && kCache + 2 * (kMaxTaps + kOthers) * kAlign <= kScratch);

// A product for each element of the mask, of lines of samples; or across and then down, of lines of
// sums.
template <class Sample, class Sum, bool kSeparable>
class RowFilter {
  using Line = std::conditional_t<kSeparable, Sum, Sample>;  // of the ring

 public:
  RowFilter(const Filter &filter, const Source &source, const ConvolvePlane &plane,
            const SumPlan<Sum> &plan)
      : filter_(filter), source_(source), plane_(plane), plan_(plan) {
    const int pixel_bytes =
        plane.channels * static_cast<int>(std::max(sizeof(Sum), sizeof(Sample)));
    const int line_bytes = static_cast<int>(kCache) / (filter.height + kOthers);
    const int fits = std::max(line_bytes / pixel_bytes - (filter.width - 1), kMinStrip);
    const int strips = (source.width() - 1) / fits + 1;
    strip_pixels_ = (source.width() - 1) / strips + 1;  // all about equally wide
    const auto bytes = static_cast<std::size_t>((strip_pixels_ + filter.width - 1) * pixel_bytes);
    pitch_ = (bytes + kAlign - 1) / kAlign * kAlign;
    // Lines at the same place of every page would be in each other's way in the cache.
    if (pitch_ % 4096 == 0) pitch_ += kAlign;
  }

  // Rows first to last - 1.
  void operator()(int first, int last) const {
    alignas(kAlign) std::byte scratch[kScratch];
    const int lead = filter_.height - 1;
    for (int x = 0; x < source_.width(); x += strip_pixels_) {
      const int pixels = std::min(strip_pixels_, source_.width() - x);
      Strip strip = {scratch, pitch_, x, pixels, pixels * plane_.channels};
      prepare(&strip);
      for (int i = 0; i < last - first + lead; ++i) {
        load(strip, first - filter_.above + i, ring(strip, i));
        if (i < lead) continue;
        add_up(strip, i - lead);
        store(strip, first + i - lead);
      }
    }
  }

 private:
  struct Strip {
    std::byte *scratch;
    std::size_t pitch;
    int x, pixels, samples;
    int across_terms = 0;  // which are the same for all rows, for the line of samples is
    Term<Sample> across[kMaxTaps + 1] = {};

    template <class T>
    T *line(int i) const {
      return reinterpret_cast<T *>(scratch + static_cast<std::size_t>(i) * pitch);
    }
  };

  // The line of the i-th row that was loaded.
  Line *ring(const Strip &strip, int i) const {
    return strip.template line<Line>(kOthers + i % filter_.height);
  }

  void prepare(Strip *strip) const {
    const auto bytes = static_cast<std::ptrdiff_t>(filter_.depth.bytes());
    for (int i = 0; i < strip->samples; ++i) {
      const int c = i % plane_.channels;
      strip->template line<Sum>(kBefore)[i] = plan_.before[c];
      strip->template line<Sum>(kAfter)[i] = plan_.after[c];
      std::fill_n(strip->template line<std::uint8_t>(kCopied) + i * bytes, bytes,
                  plane_.role[c] == ChannelRole::copy ? 0xff : 0);
    }
    // Vectors of pairs go on behind the last: not used, but valgrind takes two sums for one.
    if constexpr (std::is_same_v<Sample, SamplePair>) {
      const int end = strip->samples + (filter_.width - 1) * plane_.channels;
      for (int i = kSamples; i < kOthers + filter_.height; ++i)
        std::fill_n(strip->template line<Sample>(i) + end, kVectorPairs - 1, Sample{});
    }
    if constexpr (kSeparable)
      strip->across_terms = make_terms(strip->template line<Sample>(kSamples),
                                       filter_.across.data(), filter_.width, strip->across);
  }

  // Terms for a row of weights, zeros left out: pairs, if samples are, two for each pair at most.
  // Returns how many.
  template <class T>
  int make_terms(const T *line, const std::int32_t *weights, int width, Term<T> *terms) const {
    int n = 0;
    for (int c = 0; c < width; ++c, line += plane_.channels) {
      if (weights[c] == 0) continue;
      if constexpr (std::is_same_v<T, SamplePair>) {
        std::int32_t first = weights[c], second = c + 1 < width ? weights[c + 1] : 0;
        while (first != 0 || second != 0) {
          const std::int32_t a = pair_part(first), b = pair_part(second);
          terms[n++] = {line, {static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)}};
          first -= a, second -= b;
        }
        ++c, line += plane_.channels;
      } else {
        terms[n++] = {line, static_cast<T>(weights[c])};
      }
    }
    return n;
  }

  void load(const Strip &strip, int row, Line *line) const {
    const int x = strip.x - filter_.left;
    const int pixels = strip.pixels + filter_.width - 1;
    if constexpr (kSeparable) {
      Sample *samples = strip.template line<Sample>(kSamples);
      source_.load(x, row, pixels, samples);
      if constexpr (std::is_same_v<SumOf<Sample>, Sum>) {
        add_terms(strip.across, strip.across_terms, strip.samples, false, line);
      } else {
        auto *sums = strip.template line<SumOf<Sample>>(kSums);
        add_terms(strip.across, strip.across_terms, strip.samples, false, sums);
        widen(sums, strip.samples, line);
      }
    } else {
      source_.load(x, row, pixels, line);
    }
  }

  // The lines from the i-th on that was loaded.
  void add_up(const Strip &strip, int i) const {
    constexpr int kBatch = 2 * kMaxTaps;
    Term<Line> terms[kBatch];
    int n = 0;
    bool onto = false;
    auto *sums = strip.template line<Sum>(kSums);
    const int width = kSeparable ? 1 : filter_.width;
    const std::int32_t *weights = kSeparable ? filter_.down.data() : filter_.weights.data();
    int slot = i % filter_.height;
    for (int r = 0; r < filter_.height; ++r, weights += width) {
      if (n + width + 1 > kBatch) {
        add_terms(terms, n, strip.samples, onto, sums);
        onto = true;
        n = 0;
      }
      n += make_terms(strip.template line<Line>(kOthers + slot), weights, width, terms + n);
      slot = slot + 1 < filter_.height ? slot + 1 : 0;
    }
    add_terms(terms, n, strip.samples, onto, sums);
  }

  void store(const Strip &strip, int y) const {
    auto *sums = strip.template line<Sum>(kSums);
    if (!plan_.same)
      add_offsets(strip.template line<Sum>(kBefore), filter_.absolute,
                  strip.template line<Sum>(kAfter), strip.samples, sums);
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(strip.x) * source_.pixel_bytes();
    std::uint8_t *out = plane_.out.row(y) + offset;
    finish_row(plan_.finish, sums, strip.samples, out);
    if (source_.copies())
      copy_some(plane_.in.row(y) + offset, strip.template line<std::uint8_t>(kCopied),
                strip.samples * filter_.depth.bytes(), out);
  }

  const Filter &filter_;
  const Source &source_;
  const ConvolvePlane &plane_;
  const SumPlan<Sum> &plan_;
  int strip_pixels_;
  std::size_t pitch_;
};

// At least this many products a range: waking a thread costs as much as some hundred thousand.
constexpr std::int64_t kGrain = 1 << 19;

template <class Sample, class Sum, bool kSeparable>
void filter_rows(const ConvolveParams &params, const ConvolvePlane &plane, const SumPlan<Sum> &plan,
                 ThreadPool *pool) {
  const Filter &f = *params.filter;
  const Source source(params, plane);
  const RowFilter<Sample, Sum, kSeparable> rows(f, source, plane, plan);
  const std::int64_t row_work = std::int64_t{source.width()} * plane.channels *
                                (kSeparable ? f.width + f.height : f.width * f.height);
  // Every range loads the rows above it anew, so not fewer rows than these.
  const std::int64_t grain = std::max<std::int64_t>(kGrain / row_work, f.height);
  for_ranges(pool, plane.in.height, static_cast<int>(grain), rows);
}

// With the sum of what pairs of samples lack added.
template <class Sum>
SumPlan<Sum> plan_pairs(const Filter &filter, SumPlan<Sum> plan) {
  const auto lacking = static_cast<Sum>(pair_middle(filter.depth) * sum_of_weights(filter));
  for (Sum &before : plan.before)
    before += lacking;
  plan.finish.offset += plan.same ? lacking : Sum{0};
  return plan;
}

// Of samples that are multiplied in 32 bits.
template <class Sum, bool kSeparable>
void filter_narrow(const ConvolveParams &params, const ConvolvePlane &plane,
                   const SumPlan<Sum> &plan, ThreadPool *pool) {
  if constexpr (kMultipliesPairs) {
    if (pairs_pay(*params.filter, kSeparable))
      return filter_rows<SamplePair, Sum, kSeparable>(params, plane,
                                                      plan_pairs(*params.filter, plan), pool);
  }
  filter_rows<std::uint32_t, Sum, kSeparable>(params, plane, plan, pool);
}

// With sums of the first type that they fit.
template <bool kSeparable>
void filter_plane(const ConvolveParams &params, const ConvolvePlane &plane, ThreadPool *pool) {
  const Filter &f = *params.filter;
  SumPlan<std::uint16_t> plan16;
  SumPlan<std::uint32_t> plan32;
  SumPlan<double> plan_double;
  SumPlan<std::uint64_t> plan64;
  if (plan_sums(f, plane, &plan16)) {
    filter_rows<std::uint16_t, std::uint16_t, kSeparable>(params, plane, plan16, pool);
  } else if (plan_sums(f, plane, &plan32)) {
    filter_narrow<std::uint32_t, kSeparable>(params, plane, plan32, pool);
  } else if (plan_sums(f, plane, &plan_double)) {
    if constexpr (kSeparable) {
      if (f.narrow_across) return filter_narrow<double, true>(params, plane, plan_double, pool);
    }
    filter_rows<double, double, kSeparable>(params, plane, plan_double, pool);
  } else if (plan_sums(f, plane, &plan64)) {
    // Across, a double always does.
    static_assert(kMaxTaps * std::int64_t{UINT16_MAX} <= std::int64_t{1} << (53 - 31));
    using Sample = std::conditional_t<kSeparable, double, std::uint64_t>;
    filter_rows<Sample, std::uint64_t, kSeparable>(params, plane, plan64, pool);
  }
}

bool all_copied(const ConvolvePlane &plane) {
  return std::all_of(plane.role, plane.role + plane.channels,
                     [](ChannelRole role) { return role == ChannelRole::copy; });
}

// Samples as they are. Of channels that are not ChannelRole::copy, only the bits that count.
void copy_plane(const ConvolvePlane &plane, SampleDepth depth, ThreadPool *pool) {
  const bool whole = depth.bits == 8 * depth.bytes() || all_copied(plane);
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

Status convolve_cpu(const ConvolveParams &params, const ConvolvePlanes &image,
                    ConvolveAlgorithm algorithm, ThreadPool *pool) {
  for (int i = 0; i < image.planes; ++i) {
    const ConvolvePlane &plane = image.plane[i];
    if (algorithm == ConvolveAlgorithm::copy || all_copied(plane)) {
      copy_plane(plane, params.filter->depth, pool);
    } else if (algorithm == ConvolveAlgorithm::separable) {
      filter_plane<true>(params, plane, pool);
    } else {
      filter_plane<false>(params, plane, pool);
    }
  }
  return {};
}

}  // namespace coalesce
