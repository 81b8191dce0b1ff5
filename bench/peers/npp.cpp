// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-npp: NPP's nearest functions to uyvy2y, packed 4:2:2 to planes, to rgb2yuv and to yuv2rgb.
// Rows are without padding.
#include <algorithm>
#include <cmath>

#include "bench/peers/npp.h"

namespace {

using namespace coalesce;
using namespace coalesce::test;

using Planes = Npp8u *[3];

struct Function {
  const char *format, *name;
  NppStatus (*call)(const Npp8u *in, Planes out, NppiSize size, NppStreamContext npp);
  std::size_t in_step;            // bytes of a pixel
  std::size_t out_step;           // of the first plane
  std::size_t chroma_of_2;        // bytes of chroma in other planes, for two pixels
  double (*luma)(const Npp8u *);  // of a pixel, as it should be
  double within;                  // this much: NPP cuts fractions off
};

double luma_full(const Npp8u *p) {
  return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
}

double luma_limited(const Npp8u *p) {
  return 16 + luma_full(p) * 219 / 255;
}

template <NppStatus (*kCall)(const Npp8u *, int, Npp8u *[3], int[3], NppiSize, NppStreamContext),
          int kInStep>
NppStatus halved(const Npp8u *in, Planes out, NppiSize size, NppStreamContext npp) {
  int steps[3] = {size.width, size.width / 2, size.width / 2};
  return kCall(in, kInStep * size.width, out, steps, size, npp);
}

template <NppStatus (*kCall)(const Npp8u *, int, Npp8u *[3], int, NppiSize, NppStreamContext)>
NppStatus three_planes(const Npp8u *in, Planes out, NppiSize size, NppStreamContext npp) {
  return kCall(in, 3 * size.width, out, size.width, size, npp);
}

template <NppStatus (*kCall)(const Npp8u *, int, Npp8u *, int, NppiSize, NppStreamContext),
          int kOutStep>
NppStatus one_plane(const Npp8u *in, Planes out, NppiSize size, NppStreamContext npp) {
  return kCall(in, 3 * size.width, out[0], kOutStep * size.width, size, npp);
}

#if NPP_VER_MAJOR >= 12
NppStatus to_nv12(const Npp8u *in, Planes out, NppiSize size, NppStreamContext npp) {
  constexpr Npp32f kLimited[3][4] = {{0.256788f, 0.504129f, 0.097906f, 16},
                                     {-0.148223f, -0.290993f, 0.439216f, 128},
                                     {0.439216f, -0.367788f, -0.071427f, 128}};
  int steps[2] = {size.width, size.width};
  return nppiRGBToNV12_8u_ColorTwist32f_C3P2R_Ctx(in, 3 * size.width, out, steps, size, kLimited,
                                                  npp);
}
#endif

NppStatus uyvy_to_nv12(const Npp8u *in, Planes out, NppiSize size, NppStreamContext npp) {
  return nppiCbYCr422ToYCbCr420_8u_C2P2R_Ctx(in, 2 * size.width, out[0], size.width, out[1],
                                             size.width, size, npp);
}

// Names as NPP's manual has them.
const Function kFunctions[] = {
    {"YUY2->Y42B", "nppiYCbCr422_8u_C2P3R", halved<nppiYCbCr422_8u_C2P3R_Ctx, 2>, 2, 1, 2,
     [](const Npp8u *p) -> double { return p[0]; }, 0},
    {"UYVY->I420", "nppiCbYCr422ToYCbCr420_8u_C2P3R",
     halved<nppiCbYCr422ToYCbCr420_8u_C2P3R_Ctx, 2>, 2, 1, 1,
     [](const Npp8u *p) -> double { return p[1]; }, 0},
    {"UYVY->NV12", "nppiCbYCr422ToYCbCr420_8u_C2P2R", uyvy_to_nv12, 2, 1, 1,
     [](const Npp8u *p) -> double { return p[1]; }, 0},
    {"RGB->Y444", "nppiRGBToYUV_8u_C3P3R", three_planes<nppiRGBToYUV_8u_C3P3R_Ctx>, 3, 1, 4,
     luma_full, 1.5},
    {"RGB->Y444", "nppiRGBToYCbCr_8u_C3P3R", three_planes<nppiRGBToYCbCr_8u_C3P3R_Ctx>, 3, 1, 4,
     luma_limited, 1.5},
    {"RGB->packed YUV", "nppiRGBToYUV_8u_C3R", one_plane<nppiRGBToYUV_8u_C3R_Ctx, 3>, 3, 3, 0,
     luma_full, 1.5},
    {"RGB->I420", "nppiRGBToYUV420_8u_C3P3R", halved<nppiRGBToYUV420_8u_C3P3R_Ctx, 3>, 3, 1, 1,
     luma_full, 1.5},
    {"RGB->I420", "nppiRGBToYCbCr420_8u_C3P3R", halved<nppiRGBToYCbCr420_8u_C3P3R_Ctx, 3>, 3, 1, 1,
     luma_limited, 1.5},
#if NPP_VER_MAJOR >= 12
    {"RGB->NV12", "nppiRGBToNV12_8u_ColorTwist32f_C3P2R", to_nv12, 3, 1, 1, luma_limited, 1.5},
#endif
    {"RGB->GRAY8", "nppiRGBToGray_8u_C3C1R", one_plane<nppiRGBToGray_8u_C3C1R_Ctx, 1>, 3, 1, 0,
     luma_full, 1.5},
};

bool correct(const Function &f, const DeviceMemory &in, const DeviceMemory &out,
             std::size_t pixels) {
  std::vector<std::uint8_t> from(in.size()), to(out.size());
  in.download(from.data());
  out.download(to.data());
  for (std::size_t i = 0; i < pixels; ++i)
    if (std::abs(to[f.out_step * i] - f.luma(&from[f.in_step * i])) > f.within) return false;
  return true;
}

bool time(Bench *bench, const Function &f, FrameSize size, const NppStreamContext &npp) {
  const std::size_t pixels =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  const std::size_t chroma_bytes = f.chroma_of_2 * pixels / 2;
  FrameWork work = {std::string(f.format) + ", " + f.name, size, f.in_step * pixels,
                    f.out_step * pixels + chroma_bytes, 0};
  work.useful_bytes = work.in_bytes + work.out_bytes;
  if (!bench->wants(work.operation, size.width, size.height)) return true;
  const FrameRun run = [&](const std::uint8_t *in, std::uint8_t *out) {
    Npp8u *chroma = out + f.out_step * pixels;
    Planes planes = {out, chroma, chroma + chroma_bytes / 2};
    return status_of(f.call(in, planes, {size.width, size.height}, npp));
  };

  return time_right(bench, work, run, [&](const DeviceMemory &in, const DeviceMemory &out) {
    return correct(f, in, out, pixels);
  });
}

// ---- YUV of 4:2:0 to RGB ------------------------------------------------------------------------

using ConstPlanes = const Npp8u *[3];

struct Reverse {
  const char *format, *name;
  NppStatus (*call)(const ConstPlanes in, Npp8u *out, NppiSize size, NppStreamContext npp);
  bool semi_planar;
  double (*red)(int luma, int chroma);  // of a pixel, as it should be, without the limits
};

double red_full(int luma, int chroma) {
  return luma + 1.140 * (chroma - 128);
}

double red_limited(int luma, int chroma) {
  return 1.164 * (luma - 16) + 1.596 * (chroma - 128);
}

template <NppStatus (*kCall)(const Npp8u *const[3], int[3], Npp8u *, int, NppiSize,
                             NppStreamContext)>
NppStatus from_planes(const ConstPlanes in, Npp8u *out, NppiSize size, NppStreamContext npp) {
  int steps[3] = {size.width, size.width / 2, size.width / 2};
  return kCall(in, steps, out, 3 * size.width, size, npp);
}

NppStatus from_nv12(const ConstPlanes in, Npp8u *out, NppiSize size, NppStreamContext npp) {
  const Npp8u *const planes[2] = {in[0], in[1]};
  return nppiNV12ToRGB_8u_P2C3R_Ctx(planes, size.width, out, 3 * size.width, size, npp);
}

const Reverse kReverse[] = {
    {"NV12->RGB", "nppiNV12ToRGB_8u_P2C3R", from_nv12, true, red_full},
    {"I420->RGB", "nppiYUV420ToRGB_8u_P3C3R", from_planes<nppiYUV420ToRGB_8u_P3C3R_Ctx>, false,
     red_full},
    {"I420->RGB", "nppiYCbCr420ToRGB_8u_P3C3R", from_planes<nppiYCbCr420ToRGB_8u_P3C3R_Ctx>, false,
     red_limited},
};

// Every pixel has the chroma of its four: NPP does not interpolate.
bool correct(const Reverse &f, FrameSize size, const DeviceMemory &in, const DeviceMemory &out) {
  std::vector<std::uint8_t> from(in.size()), to(out.size());
  in.download(from.data());
  out.download(to.data());
  const int pixels = size.width * size.height;
  for (int i = 0; i < pixels; ++i) {
    const int x = i % size.width / 2, y = i / size.width / 2;
    const int red_chroma = f.semi_planar ? pixels + y * size.width + 2 * x + 1
                                         : pixels + pixels / 4 + y * (size.width / 2) + x;
    const double red =
        f.red(from[static_cast<std::size_t>(i)], from[static_cast<std::size_t>(red_chroma)]);
    if (std::abs(to[3 * static_cast<std::size_t>(i)] - std::min(std::max(red, 0.0), 255.0)) > 2)
      return false;
  }
  return true;
}

bool time(Bench *bench, const Reverse &f, FrameSize size, const NppStreamContext &npp) {
  const std::size_t pixels =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  FrameWork work = {std::string(f.format) + ", " + f.name, size, pixels * 3 / 2, 3 * pixels, 0};
  work.useful_bytes = work.in_bytes + work.out_bytes;
  if (!bench->wants(work.operation, size.width, size.height)) return true;
  const FrameRun run = [&](const std::uint8_t *in, std::uint8_t *out) {
    const ConstPlanes planes = {in, in + pixels, in + pixels + pixels / 4};
    return status_of(f.call(planes, out, {size.width, size.height}, npp));
  };
  return time_right(bench, work, run, [&](const DeviceMemory &in, const DeviceMemory &out) {
    return correct(f, size, in, out);
  });
}

}  // namespace

int main(int argc, char **argv) {
  return run_npp("bench-npp", argc, argv, [](Bench *bench, const NppStreamContext &npp) {
    bool right = true;
    for (const Function &f : kFunctions)
      for (const FrameSize &size : kCudaSizes)
        right &= time(bench, f, size, npp);
    for (const Reverse &f : kReverse)
      for (const FrameSize &size : kCudaSizes)
        right &= time(bench, f, size, npp);
    return right;
  });
}
