// SPDX-License-Identifier: LGPL-2.1-or-later
#include "oilpaint.h"

#include "kuwahara.h"
#include "oilpaint_job.h"

namespace coalesce {
namespace {

// Positions in a picture, those outside it included, and the bytes of a row fit an int.
constexpr int kMaxSize = 1 << 28;
constexpr std::size_t kAlignment = 16;

std::size_t words_bytes(const ConstImage &image) {
  const std::size_t bytes = static_cast<std::size_t>(image.width) *
                            static_cast<std::size_t>(image.height) * sizeof(std::uint32_t);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

Status check_kuwahara(const OilpaintParams &params) {
  if (params.kuwahara_radius < kMinOilKuwaharaRadius ||
      params.kuwahara_radius > kMaxOilKuwaharaRadius)
    return invalid_argument("oilpaint: the radius of kuwahara must be from 2 to 10");
  return {};
}

Status check_mode(const OilpaintParams &params) {
  if (params.mode_radius < 1 || params.mode_radius > kMaxOilModeRadius)
    return invalid_argument("oilpaint: the radius of mode must be from 1 to 15");
  if (params.mode_ratio < 1 || params.mode_ratio > kMaxOilModeRatio)
    return invalid_argument("oilpaint: the ratio of mode must be from 1 to 127");
  return {};
}

Status check(const OilpaintParams &params, const ConstImage &in, const Image &out,
             const void *scratch) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  if (Status s = check_oil_format(in.format); !s.ok()) return s;
  for (int p = 0; p < in.format.planes; ++p)
    if (in.plane[p].width > kMaxSize || in.plane[p].height > kMaxSize)
      return invalid_argument(
          "oilpaint: the picture is too large; width in bytes and height are limited to 2^28");
  if (params.method > OilMethod::mode) return invalid_argument("oilpaint: no such method");
  if (Status s = check_kuwahara(params); !s.ok()) return s;
  if (Status s = check_mode(params); !s.ok()) return s;
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % kAlignment != 0)
    return invalid_argument("oilpaint: scratch memory is missing, or not aligned to 16 bytes");
  return {};
}

// Intensities divided, halves to even.
OilMode make_mode(const OilpaintParams &params) {
  OilMode mode = {};
  mode.radius = params.mode_radius;
  for (std::uint32_t i = 0; i < 256; ++i)
    mode.bin[i] =
        static_cast<std::uint8_t>(oil_half_even(i, static_cast<std::uint32_t>(params.mode_ratio)));
  mode.bins = mode.bin[255] + 1;
  return mode;
}

struct Work {
  OilPicture picture;
  OilWords in, out;
  void *beside;  // memory of the method
};

OilKuwahara make_kuwahara(const OilpaintParams &params, const Work &work) {
  return {params.kuwahara_radius, oil_kuwahara_stride(params.kuwahara_radius),
          static_cast<std::uint32_t *>(work.beside)};
}

void paint_cpu(const OilpaintParams &params, const Work &work, ThreadPool *pool) {
  if (params.method == OilMethod::mode) {
    oil_mode_cpu(make_mode(params), work.in, work.out, pool);
    return;
  }
  const OilKuwahara kuwahara = make_kuwahara(params, work);
  oil_kuwahara_lists_cpu(kuwahara, pool);
  oil_kuwahara_codes_cpu(work.in, work.out, pool);
  oil_kuwahara_paint_cpu(kuwahara, work.in, work.out, pool);
}

Status run_cpu(const OilpaintParams &params, const Work &work, ThreadPool *pool) {
  oil_pack_cpu(work.picture, work.in, pool);
  paint_cpu(params, work, pool);
  oil_unpack_cpu(work.picture, work.out, pool);
  return {};
}

#if COALESCE_CUDA_KERNELS
Status paint_cuda(const OilpaintParams &params, const Work &work, void *stream) {
  if (params.method == OilMethod::mode)
    return oil_mode_cuda(make_mode(params), work.in, work.out, stream);
  return oil_kuwahara_cuda(make_kuwahara(params, work), work.in, work.out, stream);
}

Status run_cuda(const OilpaintParams &params, const Work &work, void *stream) {
  if (Status s = oil_pack_cuda(work.picture, work.in, stream); !s.ok()) return s;
  if (Status s = paint_cuda(params, work, stream); !s.ok()) return s;
  return oil_unpack_cuda(work.picture, work.out, stream);
}
#endif

// Of the method, after two pictures of words.
std::size_t beside_bytes(const OilpaintParams &params) {
  if (params.method != OilMethod::kuwahara || !check_kuwahara(params).ok()) return 0;
  return static_cast<std::size_t>(oil_kuwahara_stride(params.kuwahara_radius)) * kOilCodes *
         kOilLists * sizeof(std::uint32_t);
}

}  // namespace

std::size_t oilpaint_scratch_bytes(const OilpaintParams &params, const ConstImage &image) {
  return 2 * words_bytes(image) + beside_bytes(params);
}

Status oilpaint(const OilpaintParams &params, const ConstImage &in, const Image &out,
                const Queue &queue, void *scratch) {
  if (Status s = check(params, in, out, scratch); !s.ok()) return s;
  auto *const memory = static_cast<std::uint8_t *>(scratch);
  Work work = {make_oil_picture(in, out), {}, {}, memory + 2 * words_bytes(in)};
  work.in = {reinterpret_cast<std::uint32_t *>(memory), in.width, in.height};
  work.out = {reinterpret_cast<std::uint32_t *>(memory + words_bytes(in)), in.width, in.height};
  if (!queue.on_cuda()) return run_cpu(params, work, queue.pool());
#if COALESCE_CUDA_KERNELS
  return run_cuda(params, work, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
