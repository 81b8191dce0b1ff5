// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels: a thread makes a run of bytes of a row, of all pictures of the frame. Rows above and
// below are taken as they are in memory, so that the same code serves every format whose samples
// are lanes of words; only methods that look at other columns know how far away those are.
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/trace.h"
#include "../picture/runs.cuh"
#include "../picture/sample.cuh"
#include "deinterlace_args.h"
#include "deinterlace_line.h"

namespace coalesce {
namespace {

// What a kernel is compiled for. columns: yadif and ela.
enum class Family : std::uint8_t { vertical, bwdif, w3fdif, columns };

// ---- Any sample ---------------------------------------------------------------------------------

// Component c of a plane, at column x, of a row that the picture's field has not.
__device__ __noinline__ std::uint32_t made_sample(const DeinterlaceArgs &args,
                                                  const FieldPicture &picture, const LineRows &rows,
                                                  int c, int x) {
  const DeinterlaceJob &job = args.job;
  const PixelComponent &component = picture.out.format.component[c];
  const int columns = -(-picture.out.width >> component.log2_width);
  const auto at = [&](const ConstImage &frame, int row, int column) {
    return read_sample(frame.plane[component.plane].row(row), component, column);
  };
  const ConstImage &current = job.frame[1];
  const auto column = [&](int row, int dx) {
    return at(current, row == 0 ? rows.above[0] : rows.below[0], x + dx);
  };
  const int maximum = (1 << component.bits) - 1;
  if (rows.kind == LineKind::copy) return column(0, 0);
  if (rows.kind == LineKind::linear) return (column(0, 0) + column(1, 0) + 1) >> 1;
  if (rows.kind == LineKind::ela)
    return ela<int>(column, job.params.ela_window, x, columns - 1 - x);
  LineSamples<int> s;
  for (int i = 0; i < 2; ++i)
    s.above[i] = at(current, rows.above[i], x), s.below[i] = at(current, rows.below[i], x);
  for (int i = 0; i < 5; ++i) {
    s.before[i] = at(job.field_before(picture), rows.other[i], x);
    s.after[i] = at(job.field_after(picture), rows.other[i], x);
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
  s.earlier_above = at(job.frame[0], rows.above[0], x);
  s.earlier_below = at(job.frame[0], rows.below[0], x);
  s.later_above = at(job.frame[2], rows.above[0], x);
  s.later_below = at(job.frame[2], rows.below[0], x);
  if (rows.kind == LineKind::yadif || rows.kind == LineKind::yadif_nearest)
    return static_cast<std::uint32_t>(
        yadif<int>(s, column, x >= 3 && x + 3 < columns, rows.kind == LineKind::yadif));
  return static_cast<std::uint32_t>(bwdif<int>(s, rows.kind, maximum));
}

// Of packed 4:2:2, field or container `number` of a row. False: the picture has none there, only
// the group that it is in.
__device__ __forceinline__ bool find_sample(const FieldPicture &picture, int plane, int number,
                                            int *component, int *x) {
  const PixelFormat &format = picture.out.format;
  for (int c = 0; c < format.components; ++c) {
    const PixelComponent &candidate = format.component[c];
    const int from = number - candidate.first;
    if (candidate.plane != plane || from < 0 || from % candidate.step != 0) continue;
    const int columns = -(-picture.out.width >> candidate.log2_width);
    *component = c;
    *x = min(from / candidate.step, columns - 1);
    // The second luma of an odd width's last pair repeats the first.
    const bool is_luma_of_pairs =
        candidate.log2_width == 0 && format.components > 1 && format.component[1].log2_width == 1;
    return from / candidate.step < columns + (is_luma_of_pairs ? columns & 1 : 0);
  }
  return false;
}

// Fields of a group of ten bits each, as many as `count`, from field `first` on.
__device__ __forceinline__ std::uint64_t made_fields(const DeinterlaceArgs &args,
                                                     const FieldPicture &picture,
                                                     const LineRows &rows, int plane, int first,
                                                     int count, bool lowest_first) {
  std::uint64_t word = 0;
  for (int k = 0; k < count; ++k) {
    int c, x;
    if (!find_sample(picture, plane, first + k, &c, &x)) continue;
    word |= std::uint64_t{made_sample(args, picture, rows, c, x)}
            << 10 * (lowest_first ? k : count - 1 - k);
  }
  return word;
}

// Bytes `begin` to `end` - 1 of row y, container by container. (Numbers in place of references keep
// what runs are made of in registers.)
__device__ __noinline__ void make_slowly(const DeinterlaceArgs &args, int number_of_picture,
                                         int plane, int y, int begin, int end) {
  const FieldPicture &picture = args.job.picture[number_of_picture];
  const LineRows rows = line_rows(args.job.rules(picture), y, args.plane[plane].rows);
  std::uint8_t *row = picture.out.plane[plane].row(y);
  const PixelFormat &format = picture.out.format;
  const PixelComponent *first = format.component;
  while (first->plane != plane)
    ++first;
  const Container container = first->container;
  const int bytes = container_bytes(container);
  for (int at = begin; at < end; at += bytes) {
    const int number = at / bytes;
    if (container == Container::be10) {
      const std::uint64_t pair = made_fields(args, picture, rows, plane, 4 * number, 4, false);
      for (int i = 0; i < 5; ++i)
        row[at + i] = static_cast<std::uint8_t>(pair >> (32 - 8 * i));
    } else if (container == Container::v210) {
      *reinterpret_cast<std::uint32_t *>(row + at) =
          static_cast<std::uint32_t>(made_fields(args, picture, rows, plane, 3 * number, 3, true));
    } else if (container == Container::u32) {
      std::uint32_t word = args.plane[plane].ones;
      for (int c = 0; c < format.components; ++c)
        word |= made_sample(args, picture, rows, c, number) << format.component[c].shift;
      *reinterpret_cast<std::uint32_t *>(row + at) = word;
    } else {
      int c, x;
      const bool found = find_sample(picture, plane, number, &c, &x);
      const std::uint32_t value =
          found ? made_sample(args, picture, rows, c, x) << first->shift : 0xffff;
      if (container == Container::u8)
        row[at] = static_cast<std::uint8_t>(value);
      else
        *reinterpret_cast<std::uint16_t *>(row + at) = static_cast<std::uint16_t>(value);
    }
  }
}

// ---- Runs ---------------------------------------------------------------------------------------

constexpr int kWords = kRunBytes / 4;
using RunWords = std::uint32_t[kWords];

COALESCE_HOST_DEVICE constexpr int lanes_of_word(Lanes lanes) {
  return lanes == Lanes::halves ? 2 : 4;
}

// Lane i of some words.
template <Lanes kLanes, int kCount>
__device__ __forceinline__ int lane(const std::uint32_t (&words)[kCount], int i,
                                    const PlaneRuns &plane) {
  if (kLanes == Lanes::bytes) return static_cast<int>(words[i / 4] >> 8 * (i % 4) & 0xff);
  if (kLanes == Lanes::halves)
    return static_cast<int>(words[i / 2] >> 16 * (i % 2) >> plane.shift) & plane.maximum;
  return static_cast<int>(words[i / 4] >> 10 * (i % 4) & 0x3ff);
}
template <Lanes kLanes>
__device__ __forceinline__ void put_lane(RunWords &words, int i, int shift, int value) {
  const auto v = static_cast<std::uint32_t>(value);
  if (kLanes == Lanes::bytes)
    words[i / 4] |= v << 8 * (i % 4);
  else if (kLanes == Lanes::halves)
    words[i / 2] |= v << shift << 16 * (i % 2);
  else
    words[i / 4] |= v << 10 * (i % 4);
}

// Where a run is: a plane, and bytes of its rows.
struct Run {
  const DeinterlaceArgs &args;
  const FieldPicture &picture;
  int number_of_picture, plane, byte;

  __device__ __forceinline__ void load(const ConstImage &frame, int row, RunWords &words) const {
    load_run<kRunBytes>(frame.plane[plane].row(row) + byte, args.plane[plane].alignment, words);
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
#pragma unroll
    for (int i = 0; i < (kAll ? 2 : 1); ++i) {
      run.load(job.frame[1], rows.above[i], above[i]);
      run.load(job.frame[1], rows.below[i], below[i]);
    }
    if (kHasOther) {
#pragma unroll
      for (int i = kAll ? 0 : 1; i < (kAll ? 5 : 4); ++i) {
        run.load(job.field_before(run.picture), rows.other[i], before[i]);
        run.load(job.field_after(run.picture), rows.other[i], after[i]);
      }
    }
    if (kHasRange) {
      run.load(job.frame[0], rows.above[0], earlier_above);
      run.load(job.frame[0], rows.below[0], earlier_below);
      run.load(job.frame[2], rows.above[0], later_above);
      run.load(job.frame[2], rows.below[0], later_below);
    }
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
  static constexpr int kLaneBytes = kLanes == Lanes::halves ? 2 : 1;
  static constexpr int kBytes = (3 * kMostStep * kLaneBytes + 3) / 4 * 4;
};

// A calculated run, all of whose columns are samples of the picture.
template <Family kFamily, Lanes kLanes, Steps kSteps>
__device__ __forceinline__ void make_run(const Run &run, const LineRows &rows, RunWords &out) {
  const PlaneRuns &plane = run.args.plane[run.plane];
  const RunRows<kFamily> loaded(run, rows);
  constexpr int kCount = kWords * lanes_of_word(kLanes);
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    out[i] = 0;
  if constexpr (kFamily == Family::columns) {
    using Window = Beside<kLanes, kSteps>;
    std::uint32_t window[2][(kRunBytes + 2 * Window::kBytes) / 4];
#pragma unroll
    for (int k = 0; k < 2; ++k)
      load_run<kRunBytes + 2 * Window::kBytes>(
          run.args.job.frame[1].plane[run.plane].row(k == 0 ? rows.above[0] : rows.below[0]) +
              run.byte - Window::kBytes,
          min(plane.alignment, 4), window[k]);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const auto column = [&](int row, int dx) {
        return lane<kLanes>(
            window[row], Window::kBytes / Window::kLaneBytes + i + dx * step_of<kSteps>(i), plane);
      };
      const auto s = loaded.template samples<int, kLanes>(i, plane);
      const int value = rows.kind == LineKind::ela
                            ? ela<int>(column, run.args.job.params.ela_window, 3, 3)
                            : yadif<int>(s, column, true, rows.kind == LineKind::yadif);
      put_lane<kLanes>(out, i, plane.shift, value);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const bool is_field2 = kLanes == Lanes::fields10 && i % 4 == 3;
      const int maximum = is_field2 ? 3 : plane.maximum;
      int value;
      if constexpr (kFamily == Family::w3fdif) {
        // (Sums of 16 bits do not fit an int.)
        using V = std::conditional_t<kLanes == Lanes::halves, long long, int>;
        value = static_cast<int>(w3fdif<V>(loaded.template samples<V, kLanes>(i, plane), maximum));
      } else {
        const auto s = loaded.template samples<int, kLanes>(i, plane);
        value = kFamily == Family::bwdif        ? bwdif<int>(s, rows.kind, maximum)
                : rows.kind == LineKind::linear ? (s.above[0] + s.below[0] + 1) >> 1
                                                : s.above[0];
      }
      put_lane<kLanes>(out, i, plane.shift, value);
    }
  }
}

template <Family kFamily, Lanes kLanes, Steps kSteps>
__device__ __forceinline__ bool is_whole(const PlaneRuns &plane, const LineRows &rows, int byte) {
  if (kLanes == Lanes::none || rows.kind == LineKind::copy) return false;
  constexpr int kBeside = kFamily == Family::columns ? Beside<kLanes, kSteps>::kBytes : 0;
  return byte >= kBeside && byte + kRunBytes + kBeside <= plane.whole;
}

// A row that stands in for another, byte by byte.
__device__ __forceinline__ void copy_run(const Run &run, int from, std::uint8_t *to) {
  const PlaneRuns &plane = run.args.plane[run.plane];
  const std::uint8_t *row = run.args.job.frame[1].plane[run.plane].row(from);
  if (plane.run_bytes == kRunBytes && run.byte + kRunBytes <= plane.row_bytes) {
    RunWords words;
    load_run<kRunBytes>(row + run.byte, plane.alignment, words);
    store_run<kRunBytes>(to + run.byte, plane.alignment, words);
    return;
  }
  const int end = min(run.byte + plane.run_bytes, plane.row_bytes);
  for (int i = run.byte; i < end; ++i)
    to[i] = load_global(row + i);
}

template <Family kFamily, Lanes kLanes, Steps kSteps>
__device__ __forceinline__ void make_row(const Run &run, int y) {
  const PlaneRuns &plane = run.args.plane[run.plane];
  std::uint8_t *row = run.picture.out.plane[run.plane].row(y);
  if (run.args.job.keeps(run.picture, y)) return copy_run(run, y, row);
  LineRules rules = run.args.job.rules(run.picture);
  // (What the compiler knows of the method, it leaves out.)
  if (kFamily == Family::bwdif) rules.method = DeinterlaceMethod::bwdif;
  if (kFamily == Family::w3fdif) rules.method = DeinterlaceMethod::w3fdif;
  if (kFamily == Family::vertical && rules.method != DeinterlaceMethod::line)
    rules.method = DeinterlaceMethod::linear;
  if (kFamily == Family::columns && rules.method != DeinterlaceMethod::ela)
    rules.method = DeinterlaceMethod::yadif;
  const LineRows rows = line_rows(rules, y, plane.rows);
  if (!is_whole<kFamily, kLanes, kSteps>(plane, rows, run.byte)) {
    make_slowly(run.args, run.number_of_picture, run.plane, y, run.byte,
                min(run.byte + plane.run_bytes, plane.row_bytes));
    return;
  }
  RunWords words;
  make_run<kFamily, kLanes, kSteps>(run, rows, words);
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    words[i] = (words[i] | plane.ones) & ~plane.zeros;
  store_run<kRunBytes>(row + run.byte, plane.alignment, words);
}

template <Family kFamily, Lanes kLanes, Steps kSteps>
__global__ void __launch_bounds__(128, 6)
    deinterlace_rows(const __grid_constant__ DeinterlaceArgs args, int first) {
  wait_for_grid_before();
  const int plane = first + static_cast<int>(blockIdx.z);
  const PlaneRuns &runs = args.plane[plane];
  const int byte = runs.run_bytes * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (byte >= runs.row_bytes) return;
  const auto step = static_cast<int>(gridDim.y * blockDim.y);
  for (auto y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); y < runs.rows; y += step)
#pragma unroll 1
    for (int i = 0; i < args.job.pictures; ++i)
      make_row<kFamily, kLanes, kSteps>({args, args.job.picture[i], i, plane, byte}, y);
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
    case Lanes::none:
      break;
  }
  return deinterlace_rows<Family::vertical, Lanes::none, Steps::any>;
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
  return kernel_of_lanes<Family::vertical>(Lanes::none);
}

Kernel kernel_of(DeinterlaceMethod method, const PlaneRuns &plane) {
  switch (method) {
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
      runs = std::max(runs, (plane.row_bytes - 1) / plane.run_bytes + 1);
      rows = std::max(rows, plane.rows);
    }
    const dim3 grid(static_cast<unsigned>((runs - 1) / kAcross + 1),
                    static_cast<unsigned>(std::min((rows - 1) / kDown + 1, 65535)),
                    static_cast<unsigned>(last - first));
    const Status s = launch_early(kernel, grid, dim3(kAcross, kDown), 0,
                                  static_cast<cudaStream_t>(stream), args, first);
    if (!s.ok()) return s;
  }
  return {};
}

}  // namespace coalesce
