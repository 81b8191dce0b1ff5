// SPDX-License-Identifier: LGPL-2.1-or-later
// NPP's nearest functions to uyvy2y, packed 4:2:2 to planes, and to rgb2yuv. Each is set against a
// copy of its own bytes. Meson builds this where it finds NPP; by hand:
//   nvcc -O3 -std=c++17 -arch=native -Itests tests/kernels/bench_npp.cu tests/support/device.cu
//        -lnppicc -lnppc -o bench-npp
#include <cmath>

#include "bench_npp.h"

namespace {

using namespace coalesce::test;

using Planes = Npp8u *[3];

struct Function {
  const char *name;
  // Rows without padding: width * in_step, width * out_step and chroma of what width that makes.
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

const Function kFunctions[] = {
    {"nppiYCbCr422_8u_C2P3R (YUY2 -> Y42B)", halved<nppiYCbCr422_8u_C2P3R_Ctx, 2>, 2, 1, 2,
     [](const Npp8u *p) -> double { return p[0]; }, 0},
    {"nppiCbYCr422ToYCbCr420_8u_C2P3R (UYVY -> I420)",
     halved<nppiCbYCr422ToYCbCr420_8u_C2P3R_Ctx, 2>, 2, 1, 1,
     [](const Npp8u *p) -> double { return p[1]; }, 0},
    {"nppiRGBToYUV_8u_C3P3R (RGB -> Y444)", three_planes<nppiRGBToYUV_8u_C3P3R_Ctx>, 3, 1, 4,
     luma_full, 1.5},
    {"nppiRGBToYCbCr_8u_C3P3R (RGB -> Y444)", three_planes<nppiRGBToYCbCr_8u_C3P3R_Ctx>, 3, 1, 4,
     luma_limited, 1.5},
    {"nppiRGBToYUV_8u_C3R (RGB -> packed YUV)", one_plane<nppiRGBToYUV_8u_C3R_Ctx, 3>, 3, 3, 0,
     luma_full, 1.5},
    {"nppiRGBToYUV420_8u_C3P3R (RGB -> I420)", halved<nppiRGBToYUV420_8u_C3P3R_Ctx, 3>, 3, 1, 1,
     luma_full, 1.5},
    {"nppiRGBToYCbCr420_8u_C3P3R (RGB -> I420)", halved<nppiRGBToYCbCr420_8u_C3P3R_Ctx, 3>, 3, 1, 1,
     luma_limited, 1.5},
#if NPP_VER_MAJOR >= 12
    {"nppiRGBToNV12_8u_ColorTwist32f_C3P2R (RGB -> NV12)", to_nv12, 3, 1, 1, luma_limited, 1.5},
#endif
    {"nppiRGBToGray_8u_C3C1R (RGB -> GRAY8)", one_plane<nppiRGBToGray_8u_C3C1R_Ctx, 1>, 3, 1, 0,
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

bool time(const Function &f, int width, int height, const NppStreamContext &npp) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t in_bytes = f.in_step * pixels;
  const std::size_t chroma_bytes = f.chroma_of_2 * pixels / 2;
  const std::size_t moved = in_bytes + f.out_step * pixels + chroma_bytes;
  const int buffers = static_cast<int>(std::max<std::size_t>(2, kFootprint / moved + 1));
  std::vector<DeviceMemory> in, out;
  for (int i = 0; i < buffers; ++i) {
    // The copy reads and writes half of the bytes each.
    in.emplace_back(std::max(in_bytes, moved / 2));
    in.back().fill_random(static_cast<std::uint64_t>(i));
    out.emplace_back(std::max(moved - in_bytes, moved / 2));
  }
  const auto run = [&](int i) {
    Npp8u *chroma = out[i].data() + f.out_step * pixels;
    Planes planes = {out[i].data(), chroma, chroma + chroma_bytes / 2};
    check(f.call(in[i].data(), planes, {width, height}, npp) == NPP_SUCCESS, f.name);
  };

  run(0);
  if (!correct(f, in[0], out[0], pixels)) {
    std::printf("%-50s %5dx%-5d not timed: luma differs\n", f.name, width, height);
    return false;
  }

  time_against_copy(f.name, width, height, buffers, run,
                    [&](int i) { device_copy_async(out[i].data(), in[i].data(), moved / 2); });
  return true;
}

}  // namespace

int main() {
  if (!device_usable()) {
    std::printf("SKIP: %s\n", device_text().c_str());
    return 77;
  }
  std::printf("NPP on %s\n", device_text().c_str());
  bool all_correct = true;
  try {
    const NppStreamContext npp = npp_context();
    for (const Function &f : kFunctions)
      for (const auto &size : kSizes)
        all_correct &= time(f, size[0], size[1], npp);
  } catch (const std::exception &e) {
    std::printf("FAIL %s\n", e.what());
    return 1;
  }
  return all_correct ? 0 : 1;
}
