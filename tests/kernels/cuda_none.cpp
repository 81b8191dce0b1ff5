// SPDX-License-Identifier: LGPL-2.1-or-later
// planted.h, and stages of the library, in a build without CUDA.
#include "convolve/cuda/choice.h"
#include "j2k/pcrd/rate_cuda.h"
#include "j2k/tier1/context/context_model_cuda.h"
#include "j2k/tier1/mq/mq_cuda.h"
#include "j2k/tier2/packets_cuda.h"
#include "j2k/transform/cuda/transform_cuda.h"
#include "planted.h"

namespace coalesce::test {

Status planted_uyvy2y_cuda(Planted, const ConstImage &, const Image &, const Queue &) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

Status planted_rgb2yuv_cuda(Planted, const Rgb2yuvParams &, const ConstImage &, const Image &,
                            const Queue &) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

Status planted_convolve_cuda(Planted, const ConvolveParams &, const ConvolvePlanes &,
                             const Queue &) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

int run_planted_oob() {
  return 2;
}

}  // namespace coalesce::test

namespace coalesce {

namespace j2k {

Status packets_cuda(const PacketJob &, std::uint8_t *, std::uint64_t, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}
Status make_headers_cuda(const PacketJob &, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}
Status lay_out_packets_cuda(const PacketJob &, std::uint8_t *, std::uint64_t, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}
Status write_packets_cuda(const PacketJob &, std::uint8_t *, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}
Status count_headers_cuda(const PacketJob &, const HeadersAsked *, std::uint64_t *, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}
Status find_hulls_cuda(const RateJob &, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}
Status allocate_cuda(const RateJob &, int, int, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

}  // namespace j2k

Status convolve_cuda_by(ConvolveKernel, const ConvolveParams &, const ConvolvePlanes &, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

Status j2k::transform_cuda(const TransformPlan &, const TransformTile *, const Samples *,
                           std::int32_t *, void *, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

}  // namespace coalesce

namespace coalesce::j2k {

ModelShape model_shape(const BlockPlan *, int) {
  return {};
}

Status model_blocks(const DeviceFrame &, const ModelShape &, int, int, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

std::size_t code_blocks_scratch(std::size_t, std::size_t) {
  return 0;
}

Status code_blocks(const DeviceFrame &, std::size_t, void *, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

bool has_memory_for(MqKernel) {
  return false;
}

Status code_blocks_by(MqKernel, const DeviceFrame &, std::size_t, void *, void *) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

}  // namespace coalesce::j2k
