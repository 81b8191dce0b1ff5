// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels: a thread makes a run of bytes of a row, of all pictures of the frame. Rows above and
// below are taken as they are in memory, so that the same code serves every format whose samples
// are lanes of words; only methods that look at other columns know how far away those are. `best`
// is a second kernel, behind that of bwdif.
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/trace.h"
#include "../picture/runs.cuh"
#include "../picture/sample.cuh"
#include "deinterlace_args.h"
#include "deinterlace_line.h"
#include "deinterlace_motion.cuh"
#include "deinterlace_pairs.cuh"

namespace coalesce {
namespace {

// What a kernel is compiled for. columns: yadif and ela.
enum class Family : std::uint8_t { vertical, bwdif, w3fdif, columns, any };

// What the compiler knows of the method, it leaves out.
template <Family kFamily>
__device__ __forceinline__ LineRules known_rules(LineRules rules) {
  if (kFamily == Family::bwdif) rules.method = DeinterlaceMethod::bwdif;
  if (kFamily == Family::w3fdif) rules.method = DeinterlaceMethod::w3fdif;
  if (kFamily == Family::vertical && rules.method != DeinterlaceMethod::line)
    rules.method = DeinterlaceMethod::linear;
  if (kFamily == Family::columns && rules.method != DeinterlaceMethod::ela)
    rules.method = DeinterlaceMethod::yadif;
  return rules;
}

// ---- Any sample ---------------------------------------------------------------------------------

// Where a sample is in the rows of its plane. None has bits in more than two bytes: loads without
// branches, so that many are under way at once.
struct SamplePlace {
  int low, high, shift;
  std::uint32_t mask;

  __device__ __forceinline__ SamplePlace(const PixelComponent &c, int x)
      : shift(c.shift), mask((1u << c.bits) - 1) {
    const int at = c.first + x * c.step;
    low = at * container_bytes(c.container);
    if (c.container == Container::v210) low = at / 3 * 4, shift = at % 3 * 10;
    if (c.container == Container::be10) {
      const Be10Place place = be10_place(at);
      high = static_cast<int>(place.byte), low = high + 1, shift = place.shift;
    } else {
      low += shift / 8, shift %= 8;
      high = low + (shift + c.bits > 8 ? 1 : 0);
    }
  }

  __device__ __forceinline__ int read(const std::uint8_t *row) const {
    const int word = load_global(row + high) << 8 | load_global(row + low);
    return static_cast<int>(static_cast<std::uint32_t>(word) >> shift & mask);
  }
};

// Component c of a plane, at column x, of a row that the picture's field has not.
template <Family kFamily>
__device__ __noinline__ std::uint32_t made_sample(const DeinterlaceArgs &args,
                                                  const FieldPicture &picture, int c, int x,
                                                  int y) {
  const DeinterlaceJob &job = args.job;
  const PixelComponent component = picture.out.format.component[c];
  const int columns = -(-picture.out.width >> component.log2_width);
  const int maximum = (1 << component.bits) - 1;
  const LineRows rows =
      line_rows(known_rules<kFamily>(job.rules(picture)), y, args.plane[component.plane].rows);
  const SamplePlace place(component, x);
  const Plane<const std::uint8_t> earlier = job.frame[0].plane[component.plane];
  const Plane<const std::uint8_t> current = job.frame[1].plane[component.plane];
  const Plane<const std::uint8_t> later = job.frame[2].plane[component.plane];
  LineSamples<int> s = {};
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    s.above[i] = place.read(current.row(rows.above[i]));
    s.below[i] = place.read(current.row(rows.below[i]));
  }
  if (rows.kind == LineKind::copy) return s.above[0];
  if (rows.kind == LineKind::linear) return (s.above[0] + s.below[0] + 1) >> 1;
  int beside[2][7] = {};
  const auto column = [&](int row, int dx) { return beside[row][3 + dx]; };
  if (rows.kind <= LineKind::yadif_nearest) {
    // (What is beyond the picture is not asked for.)
#pragma unroll
    for (int i = 0; i < 7; ++i) {
      const SamplePlace near(component, min(max(x + i - 3, 0), columns - 1));
      beside[0][i] = near.read(current.row(rows.above[0]));
      beside[1][i] = near.read(current.row(rows.below[0]));
    }
    if (rows.kind == LineKind::ela)
      return ela<int>(column, job.params.ela_window, x, columns - 1 - x);
  }
  const Plane<const std::uint8_t> before = picture.second ? current : earlier;
  const Plane<const std::uint8_t> after = picture.second ? later : current;
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    s.before[i] = place.read(before.row(rows.other[i]));
    s.after[i] = place.read(after.row(rows.other[i]));
  }
  if (rows.kind == LineKind::w3fdif) {
    // (Sums of 16 bits do not fit an int.)
    LineSamples<long long> wide = {};
    for (int i = 0; i < 2; ++i)
      wide.above[i] = s.above[i], wide.below[i] = s.below[i];
    for (int i = 0; i < 5; ++i)
      wide.before[i] = s.before[i], wide.after[i] = s.after[i];
    return static_cast<std::uint32_t>(w3fdif<long long>(wide, maximum));
  }
  s.earlier_above = place.read(earlier.row(rows.above[0]));
  s.earlier_below = place.read(earlier.row(rows.below[0]));
  s.later_above = place.read(later.row(rows.above[0]));
  s.later_below = place.read(later.row(rows.below[0]));
  if (rows.kind >= LineKind::bwdif_intra)
    return static_cast<std::uint32_t>(bwdif<int>(s, rows.kind, maximum));
  const int prediction = yadif_prediction<int>(column, x >= 3 && x + 3 < columns);
  return static_cast<std::uint32_t>(yadif<int>(s, prediction, rows.kind == LineKind::yadif));
}

// Bytes `begin` to `end` - 1 of row y, container by container. (Numbers in place of references keep
// what runs are made of in registers.)
template <Family kFamily>
__device__ __noinline__ void make_slowly(const DeinterlaceArgs &args, int number_of_picture,
                                         int plane, int y, int begin, int end) {
  const FieldPicture &picture = args.job.picture[number_of_picture];
  std::uint8_t *row = picture.out.plane[plane].row(y);
  const PixelFormat &format = picture.out.format;
  const PixelComponent *first = format.component;
  while (first->plane != plane)
    ++first;
  const Container container = first->container;
  const bool is_be10 = container == Container::be10, is_v210 = container == Container::v210;
  const bool is_u32 = container == Container::u32;
  const int bytes = container_bytes(container);
  // Of a container: fields that are found by their number, or a component each.
  const int fields = is_be10 ? 4 : is_v210 ? 3 : 1;
  const int count = is_u32 ? format.components : fields;
#pragma unroll 1
  for (int at = begin; at < end; at += bytes) {
    const int number = at / bytes;
    std::uint64_t word = is_u32 ? args.plane[plane].ones : 0;
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      int c = k, x = number;
      if (!is_u32 &&
          !find_sample(picture.out.format, picture.out.width, plane, fields * number + k, &c, &x)) {
        if (fields == 1) word = 0xffff;
        continue;
      }
      const int shift = is_be10 ? 10 * (3 - k) : is_v210 ? 10 * k : format.component[c].shift;
      word |= std::uint64_t{made_sample<kFamily>(args, picture, c, x, y)} << shift;
    }
#pragma unroll 1
    for (int i = 0; i < bytes; ++i)
      row[at + i] = static_cast<std::uint8_t>(word >> 8 * (is_be10 ? bytes - 1 - i : i));
  }
}

// ---- Runs ---------------------------------------------------------------------------------------

COALESCE_HOST_DEVICE constexpr int lane_bits(Lanes lanes) {
  return lanes == Lanes::bytes ? 8 : lanes == Lanes::halves ? 16 : 10;
}

// Lane i of some words.
template <Lanes kLanes, int kCount>
__device__ __forceinline__ int lane(const std::uint32_t (&words)[kCount], int i,
                                    const PlaneRuns &plane) {
  constexpr int kInWord = lanes_of_word(kLanes), kBits = lane_bits(kLanes);
  const std::uint32_t from = words[i / kInWord] >> kBits * (i % kInWord);
  if (kLanes == Lanes::halves) return static_cast<int>(from >> plane.shift) & plane.maximum;
  return static_cast<int>(from & ((1u << kBits) - 1));
}
template <Lanes kLanes>
__device__ __forceinline__ void put_lane(RunWords &words, int i, int shift, int value) {
  constexpr int kInWord = lanes_of_word(kLanes);
  const auto v = static_cast<std::uint32_t>(value) << (kLanes == Lanes::halves ? shift : 0);
  words[i / kInWord] |= v << lane_bits(kLanes) * (i % kInWord);
}

// Where a run is: a plane, and bytes of its rows.
struct Run {
  const DeinterlaceArgs &args;
  const FieldPicture &picture;
  int number_of_picture, plane, byte, bytes;

  // The last run of a row may begin anywhere.
  __device__ __forceinline__ int alignment() const {
    return min(args.plane[plane].alignment, (byte | 16) & -(byte | 16));
  }
};

// The rows of a run that a family uses.
template <Family kFamily>
struct RunRows {
  static constexpr bool kAll = kFamily == Family::bwdif || kFamily == Family::w3fdif;
  static constexpr bool kHasOther = kFamily != Family::vertical;
  static constexpr bool kHasRange = kFamily == Family::bwdif || kFamily == Family::columns;
  RunWords above[kAll ? 2 : 1], below[kAll ? 2 : 1];
  RunWords before[5], after[5];
  RunWords earlier_above, earlier_below, later_above, later_below;

  __device__ __forceinline__ RunRows(const Run &run, const LineRows &rows) {
    const DeinterlaceJob &job = run.args.job;
    const ConstImage &earlier = job.frame[0], &current = job.frame[1], &later = job.frame[2];
    const ConstImage &field_before = job.field_before(run.picture);
    const ConstImage &field_after = job.field_after(run.picture);
    // Calls `visit` with words, and the frame and row that they come from.
    const auto each = [&](const auto &visit) {
#pragma unroll
      for (int i = 0; i < (kAll ? 2 : 1); ++i)
        visit(above[i], current, rows.above[i]), visit(below[i], current, rows.below[i]);
      if (kHasOther) {
#pragma unroll
        for (int i = kAll ? 0 : 1; i < (kAll ? 5 : 4); ++i) {
          visit(before[i], field_before, rows.other[i]);
          visit(after[i], field_after, rows.other[i]);
        }
      }
      if (kHasRange) {
        visit(earlier_above, earlier, rows.above[0]), visit(earlier_below, earlier, rows.below[0]);
        visit(later_above, later, rows.above[0]), visit(later_below, later, rows.below[0]);
      }
    };
    constexpr int kMost = 18;
    const std::uint8_t *from[kMost];
    int count = 0;
    each([&](RunWords &, const ConstImage &frame, int row) {
      from[count++] = frame.plane[run.plane].row(row) + run.byte;
    });
    // (One branch for all rows: no load waits for it.)
    const auto load = [&](int alignment) {
      int i = 0;
      each([&](RunWords &words, const ConstImage &, int) {
        load_run<kRunBytes>(from[i++], alignment, words);
      });
    };
    const int alignment = run.alignment();
    if (alignment >= 16) {
      load(16);
    } else if (alignment >= 8 && !kHasOther) {  // (others do more than they load)
      load(8);
    } else if (alignment >= 4) {
      load(4);
    } else {
      // A loop over rows, as there would be much code for all of them.
      const std::uint8_t *at[kMost];
      RunWords loaded[kMost];
#pragma unroll
      for (int i = 0; i < count; ++i)
        at[i] = from[i];
#pragma unroll 1
      for (int i = 0; i < count; ++i)
        load_run<kRunBytes>(at[i], 1, loaded[i]);
      int i = 0;
      each([&](RunWords &words, const ConstImage &, int) {
#pragma unroll
        for (int k = 0; k < kWords; ++k)
          words[k] = loaded[i][k];
        ++i;
      });
    }
  }

  // Rows two above and below that do not limit a result more than the nearest ones do.
  __device__ __forceinline__ void repeat_nearest() {
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      before[1][k] = after[1][k] = above[0][k];
      before[3][k] = after[3][k] = below[0][k];
    }
  }

  // To the words after the first `kPast` ones.
  template <int kPast>
  __device__ __forceinline__ void advance() {
    const auto pass = [](RunWords &words) {
#pragma unroll
      for (int k = 0; k + kPast < kWords; ++k)
        words[k] = words[k + kPast];
    };
#pragma unroll
    for (int i = 0; i < (kAll ? 2 : 1); ++i)
      pass(above[i]), pass(below[i]);
    if (kHasOther) {
#pragma unroll
      for (int i = kAll ? 0 : 1; i < (kAll ? 5 : 4); ++i)
        pass(before[i]), pass(after[i]);
    }
    if (kHasRange) pass(earlier_above), pass(earlier_below), pass(later_above), pass(later_below);
  }

  template <class V, Lanes kLanes>
  __device__ __forceinline__ LineSamples<V> samples(int i, const PlaneRuns &plane) const {
    LineSamples<V> s = {};
#pragma unroll
    for (int k = 0; k < (kAll ? 2 : 1); ++k) {
      s.above[k] = lane<kLanes>(above[k], i, plane);
      s.below[k] = lane<kLanes>(below[k], i, plane);
    }
    if (kHasOther) {
#pragma unroll
      for (int k = kAll ? 0 : 1; k < (kAll ? 5 : 4); ++k) {
        s.before[k] = lane<kLanes>(before[k], i, plane);
        s.after[k] = lane<kLanes>(after[k], i, plane);
      }
    }
    if (kHasRange) {
      s.earlier_above = lane<kLanes>(earlier_above, i, plane);
      s.earlier_below = lane<kLanes>(earlier_below, i, plane);
      s.later_above = lane<kLanes>(later_above, i, plane);
      s.later_below = lane<kLanes>(later_below, i, plane);
    }
    return s;
  }
};

// Containers from lane i of a run to the next sample of its component.
template <Steps kSteps>
__device__ __forceinline__ constexpr int step_of(int i) {
  if (kSteps == Steps::luma_first) return i % 2 == 0 ? 2 : 4;
  if (kSteps == Steps::chroma_first) return i % 2 == 0 ? 4 : 2;
  return static_cast<int>(kSteps) + 1;
}

// What a kernel that looks at columns has beside a run, on either side.
template <Lanes kLanes, Steps kSteps>
struct Beside {
  static constexpr int kMostStep = kSteps >= Steps::luma_first ? 4 : static_cast<int>(kSteps) + 1;
  static constexpr int kWords = (3 * kMostStep - 1) / lanes_of_word(kLanes) + 1;
  static constexpr int kAllWords = kRunBytes / 4 + 2 * kWords;
};

// Words of a row, some of which may be outside of it. alignment: at most 4.
template <int kCount>
__device__ __forceinline__ void load_window(const std::uint8_t *row, int begin, int row_bytes,
                                            int alignment, std::uint32_t (&words)[kCount]) {
  if (begin >= 0 && begin <= row_bytes - 4 * kCount)
    return load_run<4 * kCount>(row + begin, alignment, words);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    words[i] = 0;
    for (int k = 0; k < 4; ++k) {
      // (As unsigned numbers: what is before the row is behind it, too.)
      const auto at = static_cast<unsigned>(begin) + static_cast<unsigned>(4 * i + k);
      if (at < static_cast<unsigned>(row_bytes))
        words[i] |= std::uint32_t{load_global(row + at)} << 8 * k;
    }
  }
}

// Few interlaced videos are so: yadif and ela share code.
COALESCE_HOST_DEVICE constexpr bool is_rare(Lanes lanes, Steps steps) {
  return lanes == Lanes::fields10 || steps == Steps::four ||
         (lanes == Lanes::halves && steps == Steps::luma_first);
}

// What lanes of a run become, and from what.
template <Family kFamily, Lanes kLanes, Steps kSteps>
struct RunMaker {
  static constexpr int kCount = kWords * lanes_of_word(kLanes);
  using Window = Beside<kLanes, kSteps>;

  const Run &run;
  const PlaneRuns &plane;
  const LineKind kind;
  RunRows<kFamily> loaded;
  std::uint32_t window[2][kFamily == Family::columns ? Window::kAllWords : 1];
  int passed = 0;  // lanes before the first word

  __device__ __forceinline__ RunMaker(const Run &of, const LineRows &rows)
      : run(of), plane(of.args.plane[of.plane]), kind(rows.kind), loaded(of, rows) {
    if constexpr (RunRows<kFamily>::kHasRange)
      if (kind == LineKind::yadif_nearest || kind == LineKind::bwdif_edge) loaded.repeat_nearest();
    if constexpr (kFamily == Family::columns) {
#pragma unroll
      for (int k = 0; k < 2; ++k)
        load_window(
            run.args.job.frame[1].plane[run.plane].row(k == 0 ? rows.above[0] : rows.below[0]),
            run.byte - 4 * Window::kWords, plane.row_bytes, min(run.alignment(), 4), window[k]);
    }
  }

  __device__ __forceinline__ static int lanes_before(int byte) {
    constexpr int kInWord = lanes_of_word(kLanes);
    return byte / 4 * kInWord + byte % 4 * kInWord / 4;
  }

  // Lanes on either side of lane i that are of the picture.
  __device__ __forceinline__ void sides(int i, int *left, int *right) const {
    constexpr bool kPairs = kSteps == Steps::luma_first || kSteps == Steps::chroma_first;
    const int here = lanes_before(run.byte) + passed + i;
    *left = here;
    *right = (kPairs && step_of<kSteps>(i) == 2 ? plane.luma_end : plane.end) - 1 - here;
  }

  template <LineKind kKind>
  __device__ __forceinline__ int value(int i) const {
    // (A field of two bits is alpha.)
    const int maximum = kLanes == Lanes::fields10 && i % 4 == 3 ? 3 : plane.maximum;
    if constexpr (kFamily == Family::columns) {
      const auto column = [&](int row, int dx) {
        return lane<kLanes>(window[row],
                            Window::kWords * lanes_of_word(kLanes) + i + dx * step_of<kSteps>(i),
                            plane);
      };
      int left, right;
      sides(i, &left, &right);
      constexpr int kReach = 3;
      const int step = step_of<kSteps>(i);
      if (kKind == LineKind::ela || (is_rare(kLanes, kSteps) && kind == LineKind::ela))
        return ela<int>(column, run.args.job.params.ela_window, min(left / step, kReach),
                        min(right / step, kReach));
      // (No branch for the sides: so lanes share the distances of their columns.)
      const int steep = yadif_prediction<int>(column, true);
      const int mean = yadif_prediction<int>(column, false);
      return yadif<int>(loaded.template samples<int, kLanes>(i, plane),
                        min(left, right) >= kReach * step ? steep : mean, true);
    } else if constexpr (kKind == LineKind::w3fdif) {
      // (Sums of 16 bits do not fit an int.)
      using V = std::conditional_t<kLanes == Lanes::halves, long long, int>;
      return static_cast<int>(w3fdif<V>(loaded.template samples<V, kLanes>(i, plane), maximum));
    } else {
      const auto s = loaded.template samples<int, kLanes>(i, plane);
      if (kKind == LineKind::copy) return s.above[0];
      if (kKind == LineKind::linear) return (s.above[0] + s.below[0] + 1) >> 1;
      return bwdif<int>(s, kind, maximum);
    }
  }

  template <LineKind kKind>
  __device__ __forceinline__ void make(RunWords &out) const {
    // One component after the other: what its lanes share is not kept for long.
    constexpr int kFirst = kFamily == Family::columns ? 4 : 1;
#pragma unroll
    for (int first = 0; first < kFirst; ++first)
#pragma unroll
      for (int i = first; i < kCount; i += kFirst == 1 ? 1 : step_of<kSteps>(i))
        if (kFirst == 1 || first < step_of<kSteps>(first))
          put_lane<kLanes>(out, i, plane.shift, value<kKind>(i));
  }

  // The same with a quarter of the code, for what is rare. (As a copy: what is made at once keeps
  // its registers.)
  template <LineKind kKind>
  __device__ __forceinline__ void make_in_turn(RunWords &out) const {
    constexpr int kStep = kLanes == Lanes::v210 ? 2 : 1;  // words whose steps are the run's
    RunMaker rest = *this;
#pragma unroll 1
    for (int word = 0; word < kWords; word += kStep) {
#pragma unroll
      for (int k = 0; k + kStep < kWords; ++k)
        out[k] = out[k + kStep];
      RunWords made = {};
#pragma unroll
      for (int i = 0; i < kStep * lanes_of_word(kLanes); ++i)
        put_lane<kLanes>(made, i, plane.shift, rest.value<kKind>(i));
#pragma unroll
      for (int k = 0; k < kStep; ++k)
        out[kWords - kStep + k] = made[k];
      if (kKind != LineKind::ela) rest.loaded.template advance<kStep>();
      rest.template advance<kStep>();
    }
  }

  template <int kStep>
  __device__ __forceinline__ void advance() {
    passed += kStep * lanes_of_word(kLanes);
    if constexpr (kFamily == Family::columns) {
#pragma unroll
      for (int k = 0; k + kStep < Window::kAllWords; ++k)
        window[0][k] = window[0][k + kStep], window[1][k] = window[1][k + kStep];
    }
  }

  __device__ __forceinline__ void make_bwdif(RunWords &out) const {
    if (kLanes == Lanes::halves && plane.maximum >= 1 << 12)
      return make_in_turn<LineKind::bwdif>(out);
    const PairRules rules(kind);
#pragma unroll
    for (int j = 0; j < kCount / 2; ++j) {
      const int maximum = kLanes == Lanes::fields10 && j % 4 == 3 ? 3 : plane.maximum;
      put_pair<kLanes>(out, j, plane.shift, bwdif_pair<kLanes>(loaded, j, maximum, rules, plane));
    }
  }
};

// A calculated run, all of whose lanes are samples of the picture.
template <Family kFamily, Lanes kLanes, Steps kSteps>
__device__ __forceinline__ void make_run(const Run &run, const LineRows &rows, RunWords &out) {
  const RunMaker<kFamily, kLanes, kSteps> maker(run, rows);
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    out[i] = 0;
  if constexpr (kFamily == Family::vertical) {
    if (rows.kind == LineKind::linear)
      maker.template make<LineKind::linear>(out);
    else
      maker.template make<LineKind::copy>(out);
  } else if constexpr (kFamily == Family::w3fdif) {
    maker.template make<LineKind::w3fdif>(out);
  } else if constexpr (kFamily == Family::columns) {
    if (is_rare(kLanes, kSteps))
      maker.template make_in_turn<LineKind::yadif>(out);
    else if (rows.kind == LineKind::ela)
      maker.template make_in_turn<LineKind::ela>(out);
    else
      maker.template make<LineKind::yadif>(out);
  } else {
    maker.make_bwdif(out);
  }
}

template <Family kFamily, Lanes kLanes>
__device__ __forceinline__ bool is_whole(const Run &run, const LineRows &rows) {
  // (A plane may have no row of the field that other methods look at.)
  if (rows.kind == LineKind::copy && kFamily != Family::vertical) return false;
  return kLanes != Lanes::none && run.byte <= run.args.plane[run.plane].whole - kRunBytes;
}

// A row that stands in for another, byte by byte.
__device__ __forceinline__ void copy_run(const Run &run, const ConstImage &frame, int from,
                                         std::uint8_t *to) {
  const PlaneRuns &plane = run.args.plane[run.plane];
  const std::uint8_t *row = frame.plane[run.plane].row(from);
  if (run.byte <= plane.whole - kRunBytes) {
    RunWords words;
    load_run<kRunBytes>(row + run.byte, run.alignment(), words);
    store_run<kRunBytes>(to + run.byte, run.alignment(), words);
    return;
  }
  for (int i = run.byte; i < run.byte + run.bytes; ++i)
    to[i] = load_global(row + i);
}

template <Family kFamily, Lanes kLanes, Steps kSteps>
__device__ __forceinline__ void make_row(const Run &run, int y) {
  const PlaneRuns &plane = run.args.plane[run.plane];
  std::uint8_t *row = run.picture.out.plane[run.plane].row(y);
  const DeinterlaceJob &job = run.args.job;
  if (job.keeps(run.picture, y)) return copy_run(run, job.kept_frame(run.picture, y), y, row);
  const LineRows rows = line_rows(known_rules<kFamily>(job.rules(run.picture)), y, plane.rows);
  if (!is_whole<kFamily, kLanes>(run, rows)) {
    make_slowly<kFamily>(run.args, run.number_of_picture, run.plane, y, run.byte,
                         run.byte + run.bytes);
    return;
  }
  if constexpr (kLanes != Lanes::none) {  // as is_whole() has it
    RunWords words;
    make_run<kFamily, kLanes, kSteps>(run, rows, words);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      words[i] |= plane.ones;
    store_run<kRunBytes>(row + run.byte, run.alignment(), words);
  }
}

template <Family kFamily, Lanes kLanes, Steps kSteps>
__global__ void __launch_bounds__(128, kFamily == Family::vertical ? 8 : 4)
    deinterlace_rows(const __grid_constant__ DeinterlaceArgs args, int first) {
  wait_for_grid_before();
  const int plane = first + static_cast<int>(blockIdx.z);
  const PlaneRuns &runs = args.plane[plane];
  // Runs, then what is left of the row.
  const auto number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int whole_runs = runs.whole_runs();
  const bool is_run = number < whole_runs;
  if (number - whole_runs >= runs.rest()) return;
  const int byte = is_run ? min(number * kRunBytes, runs.whole - kRunBytes)
                          : runs.whole + (number - whole_runs) * runs.container_bytes;
  const int bytes = is_run ? kRunBytes : runs.container_bytes;
  const auto step = static_cast<int>(gridDim.y * blockDim.y);
  for (auto y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); y < runs.rows; y += step)
#pragma unroll 1
    for (int i = 0; i < args.job.pictures; ++i)
      make_row<kFamily, kLanes, kSteps>({args, args.job.picture[i], i, plane, byte, bytes}, y);
}

// ---- Motion -------------------------------------------------------------------------------------

// A tile whose missing rows are bwdif's, and are to be mixed with what its vectors lead to.
struct TileMix {
  const DeinterlaceArgs &args;
  const FieldPicture &picture;
  const Motion (*motion)[kTileBlocks];  // of each component
  int plane, left, top;                 // columns of the plane

  // Component c at (x, y).
  template <Lanes kLanes>
  __device__ __forceinline__ std::uint32_t sample(int c, int x, int y, std::uint32_t bwdif) const {
    const PixelComponent component = known_component<kLanes>(picture.out.format, c);
    const PlaneRuns &runs = args.plane[plane];
    const int columns = -(-picture.out.width >> component.log2_width);
    const int block = (x - (left >> (component.log2_width - runs.least_log2))) / kMotionBlock +
                      (y - top) / kMotionBlock * kBlocksAcross;
    const Motion m = motion[c][block];
    const auto at = [&](const ConstImage &frame, int dx, int dy) {
      return read_sample(frame.plane[plane].row(inside_field(y + dy, y, runs.rows)), component,
                         min(max(x + dx, 0), columns - 1));
    };
    return static_cast<std::uint32_t>(along_motion(
        static_cast<int>(bwdif), at(args.job.field_before(picture), -m.columns, -m.rows),
        at(args.job.field_after(picture), m.columns, m.rows), m.weight));
  }

  // Of a group of fields of ten bits each, as many as `count`, from field `first` on.
  template <Lanes kLanes>
  __device__ __forceinline__ std::uint64_t fields(std::uint64_t group, int y, int first, int count,
                                                  bool lowest_first) const {
#pragma unroll kLanes == Lanes::none ? 1 : 3
    for (int k = 0; k < count; ++k) {
      int c, x;
      if (!find_sample(picture.out.format, picture.out.width, plane, first + k, &c, &x)) continue;
      const int shift = 10 * (lowest_first ? k : count - 1 - k);
      const auto field = static_cast<std::uint32_t>(group >> shift & 0x3ff);
      group ^= std::uint64_t{field ^ sample<kLanes>(c, x, y, field)} << shift;
    }
    return group;
  }

  // A container of row y.
  template <Lanes kLanes>
  __device__ __forceinline__ void container(int number, int y) const {
    const PlaneRuns &runs = args.plane[plane];
    std::uint8_t *at = picture.out.plane[plane].row(y) + number * runs.container_bytes;
    int c, x;
    if (kLanes == Lanes::bytes) {
      if (find_sample(picture.out.format, picture.out.width, plane, number, &c, &x))
        *at = static_cast<std::uint8_t>(sample<kLanes>(c, x, y, load_global(at)));
    } else if (kLanes == Lanes::halves) {
      auto *half = reinterpret_cast<std::uint16_t *>(at);
      if (find_sample(picture.out.format, picture.out.width, plane, number, &c, &x))
        *half = static_cast<std::uint16_t>(sample<kLanes>(c, x, y, load_global(half) >> runs.shift)
                                           << runs.shift);
    } else if (kLanes == Lanes::v210) {
      auto *word = reinterpret_cast<std::uint32_t *>(at);
      *word = static_cast<std::uint32_t>(fields<kLanes>(load_global(word), y, 3 * number, 3, true));
    } else if (kLanes == Lanes::fields10) {
      auto *word = reinterpret_cast<std::uint32_t *>(at);
      std::uint32_t all = load_global(word);
      const PixelFormat &format = picture.out.format;
      for (c = 0; c < format.components; ++c) {
        const PixelComponent &component = format.component[c];
        const std::uint32_t field = all >> component.shift & ((1u << component.bits) - 1);
        all ^= (field ^ sample<kLanes>(c, number, y, field)) << component.shift;
      }
      *word = all;
    } else {
      std::uint64_t pair = 0;
      for (int i = 0; i < 5; ++i)
        pair = pair << 8 | load_global(at + i);
      pair = fields<kLanes>(pair, y, 4 * number, 4, false);
      for (int i = 0; i < 5; ++i)
        at[i] = static_cast<std::uint8_t>(pair >> (32 - 8 * i));
    }
  }
};

// Tiles of one picture and plane: the vectors first.
template <Lanes kLanes>
__global__ void __launch_bounds__(kMotionThreads)
    mix_tiles(const __grid_constant__ DeinterlaceArgs args) {
  __shared__ MotionTile tile;
  __shared__ Motion motion[4][kTileBlocks];
  wait_for_grid_before();
  const FieldPicture &picture = args.job.picture[static_cast<int>(blockIdx.z) % args.job.pictures];
  const int plane = static_cast<int>(blockIdx.z) / args.job.pictures;
  const PixelFormat &format = picture.out.format;
  const PlaneRuns &runs = args.plane[plane];
  const int left = static_cast<int>(blockIdx.x) * kTileColumns;
  // (Of a single row nothing was made.)
  if (left >= runs.columns || runs.rows < 2 || !args.job.follows_motion(picture)) return;
  const int across = runs.tile_bytes / runs.container_bytes;
  const int all = runs.row_bytes / runs.container_bytes;
  for (int top = static_cast<int>(blockIdx.y) * kTileRows; top < runs.rows;
       top += static_cast<int>(gridDim.y) * kTileRows) {
    for (int c = 0; c < format.components; ++c)
      if (format.component[c].plane == plane)
        find_motion<kLanes>(args.job, picture,
                            {c, left >> (format.component[c].log2_width - runs.least_log2), top},
                            tile, motion[c]);
    const TileMix mix = {args, picture, motion, plane, left, top};
    for (auto i = static_cast<int>(threadIdx.x); i < across * (kTileRows / 2);
         i += kMotionThreads) {
      const int y = top + i / across * 2 + 1 - picture.field;
      const int number = static_cast<int>(blockIdx.x) * across + i % across;
      if (y < runs.rows && number < all) mix.container<kLanes>(number, y);
    }
    __syncthreads();
  }
}

// ---- Launches -----------------------------------------------------------------------------------

using Kernel = void (*)(DeinterlaceArgs, int);

template <Family kFamily>
Kernel kernel_of_lanes(Lanes lanes) {
  switch (lanes) {
    case Lanes::bytes:
      return deinterlace_rows<kFamily, Lanes::bytes, Steps::any>;
    case Lanes::halves:
      return deinterlace_rows<kFamily, Lanes::halves, Steps::any>;
    case Lanes::fields10:
      return deinterlace_rows<kFamily, Lanes::fields10, Steps::any>;
    case Lanes::v210:
      return deinterlace_rows<kFamily, Lanes::v210, Steps::any>;
    case Lanes::none:
      break;
  }
  return deinterlace_rows<Family::any, Lanes::none, Steps::any>;
}

Kernel kernel_of_columns(const PlaneRuns &plane) {
  constexpr Family kColumns = Family::columns;
  if (plane.lanes == Lanes::bytes) {
    switch (plane.steps) {
      case Steps::one:
        return deinterlace_rows<kColumns, Lanes::bytes, Steps::one>;
      case Steps::two:
        return deinterlace_rows<kColumns, Lanes::bytes, Steps::two>;
      case Steps::three:
        return deinterlace_rows<kColumns, Lanes::bytes, Steps::three>;
      case Steps::four:
        return deinterlace_rows<kColumns, Lanes::bytes, Steps::four>;
      case Steps::luma_first:
        return deinterlace_rows<kColumns, Lanes::bytes, Steps::luma_first>;
      case Steps::chroma_first:
        return deinterlace_rows<kColumns, Lanes::bytes, Steps::chroma_first>;
      case Steps::any:
        break;
    }
  }
  if (plane.lanes == Lanes::halves) {
    switch (plane.steps) {
      case Steps::one:
        return deinterlace_rows<kColumns, Lanes::halves, Steps::one>;
      case Steps::two:
        return deinterlace_rows<kColumns, Lanes::halves, Steps::two>;
      case Steps::four:
        return deinterlace_rows<kColumns, Lanes::halves, Steps::four>;
      case Steps::luma_first:
        return deinterlace_rows<kColumns, Lanes::halves, Steps::luma_first>;
      default:
        break;
    }
  }
  if (plane.lanes == Lanes::v210)
    return deinterlace_rows<kColumns, Lanes::v210, Steps::chroma_first>;
  if (plane.lanes == Lanes::fields10)
    return deinterlace_rows<kColumns, Lanes::fields10, Steps::four>;
  return kernel_of_lanes<Family::vertical>(Lanes::none);
}

Kernel kernel_of(DeinterlaceMethod method, const PlaneRuns &plane) {
  switch (method) {
    case DeinterlaceMethod::best:
    case DeinterlaceMethod::bwdif:
      return kernel_of_lanes<Family::bwdif>(plane.lanes);
    case DeinterlaceMethod::w3fdif:
      return kernel_of_lanes<Family::w3fdif>(plane.lanes);
    case DeinterlaceMethod::yadif:
    case DeinterlaceMethod::ela:
      return kernel_of_columns(plane);
    default:
      return kernel_of_lanes<Family::vertical>(plane.lanes);
  }
}

using TilesKernel = void (*)(DeinterlaceArgs);

TilesKernel tiles_kernel_of(Lanes lanes) {
  switch (lanes) {
    case Lanes::bytes:
      return mix_tiles<Lanes::bytes>;
    case Lanes::halves:
      return mix_tiles<Lanes::halves>;
    case Lanes::fields10:
      return mix_tiles<Lanes::fields10>;
    case Lanes::v210:
      return mix_tiles<Lanes::v210>;
    case Lanes::none:
      break;
  }
  return mix_tiles<Lanes::none>;
}

Status launch_tiles(const DeinterlaceArgs &args, cudaStream_t stream) {
  const int planes = args.job.frame[1].format.planes;
  int columns = 0, rows = 0;
  for (int p = 0; p < planes; ++p) {
    columns = std::max(columns, args.plane[p].columns);
    rows = std::max(rows, args.plane[p].rows);
  }
  const dim3 grid(static_cast<unsigned>((columns - 1) / kTileColumns + 1),
                  static_cast<unsigned>(std::min((rows - 1) / kTileRows + 1, 65535)),
                  static_cast<unsigned>(planes * args.job.pictures));
  return launch_early(tiles_kernel_of(args.plane[0].lanes), grid, dim3(kMotionThreads), 0, stream,
                      args);
}

}  // namespace

Status deinterlace_cuda(const DeinterlaceJob &job, void *stream) {
  const TraceRange range("deinterlace");
  const DeinterlaceArgs args = make_args(job);
  constexpr int kAcross = 32, kDown = 4;  // threads of a block
  const int planes = job.frame[1].format.planes;
  for (int first = 0, last = 0; first < planes; first = last) {
    // Planes that one kernel makes are one launch.
    const Kernel kernel = kernel_of(job.params.method, args.plane[first]);
    int runs = 0, rows = 0;
    for (; last < planes && kernel_of(job.params.method, args.plane[last]) == kernel; ++last) {
      const PlaneRuns &plane = args.plane[last];
      runs = std::max(runs, plane.whole_runs() + plane.rest());
      rows = std::max(rows, plane.rows);
    }
    const dim3 grid(static_cast<unsigned>((runs - 1) / kAcross + 1),
                    static_cast<unsigned>(std::min((rows - 1) / kDown + 1, 65535)),
                    static_cast<unsigned>(last - first));
    const Status s = launch_early(kernel, grid, dim3(kAcross, kDown), 0,
                                  static_cast<cudaStream_t>(stream), args, first);
    if (!s.ok()) return s;
  }
  const auto follows = [&](const FieldPicture &picture) { return job.follows_motion(picture); };
  if (std::none_of(job.picture, job.picture + job.pictures, follows)) return {};
  return launch_tiles(args, static_cast<cudaStream_t>(stream));
}

}  // namespace coalesce
