// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cannysmoothing.h"

#include <string>
#include <utility>

#include "picture/formats.h"

namespace coalesce::gst {
namespace {

constexpr SampleDepth k8Bits = {8, 0};

std::size_t pitch_of(const PixelFormat &format, int plane, int width) {
  return aligned_bytes(static_cast<std::size_t>(row_bytes(format, plane, width)));
}

// The part of a picture that edges come from. Luma that has a plane of its own is a grey picture;
// so what is left has no chroma of fields.
ConstImage looked_at(const ConstImage &picture) {
  const PixelComponent &c = picture.format.component[0];
  const bool alone = c.role == Role::y && c.step == 1;
  ConstImage part = picture;
  if (alone) part = {pixel_format("GRAY8"), picture.width, picture.height, false, {picture.of(c)}};
  part.interlaced = false;  // of both fields together
  return part;
}

}  // namespace

std::size_t scratch_picture_bytes(const PixelFormat &format, int width, int height) {
  std::size_t bytes = 0;
  for (int p = 0; p < format.planes; ++p)
    bytes += pitch_of(format, p, width) * static_cast<std::size_t>(plane_rows(format, p, height));
  return bytes;
}

Image scratch_picture(const PixelFormat &format, int width, int height, void *memory) {
  Image picture = {format, width, height, false, {}};
  auto *at = static_cast<std::uint8_t *>(memory);
  for (int p = 0; p < format.planes; ++p) {
    const std::size_t pitch = pitch_of(format, p, width);
    const int rows = plane_rows(format, p, height);
    picture.plane[p] = {at, static_cast<int>(row_bytes(format, p, width)), rows, pitch};
    at += pitch * static_cast<std::size_t>(rows);
  }
  return picture;
}

// What is called here fails for other sigmas only.
void CannySmoothing::set_sigma(double sigma) {
  sigma_ = sigma;
  cache_.clear();
  if (sigma >= kMinBlurSigma) {
    (void)make_blur(sigma, k8Bits, &blur_);
  } else if (sigma > 0) {
    Mask across, down;
    std::string problem;
    (void)preset_rows(RowPreset::blur, 0, sigma, &across, &down, &problem);
    FilterSettings settings;
    settings.horizontal = std::move(across.at);
    settings.vertical = std::move(down.at);
    FilterError error;
    (void)make_filter(settings, k8Bits, &filter_, &error);
  }
}

std::size_t CannySmoothing::scratch_bytes(const ConstImage &picture) const {
  if (sigma_ == 0) return 0;
  const ConstImage part = looked_at(picture);
  return scratch_picture_bytes(part.format, part.width, part.height) +
         (sigma_ >= kMinBlurSigma ? blur_scratch_bytes(blur_, part)
                                  : container_scratch_bytes(part));
}

Status CannySmoothing::run(const ConstImage &picture, const Queue &queue, void *scratch,
                           ConstImage *smoothed) {
  *smoothed = picture;
  if (sigma_ == 0) return {};
  const ConstImage part = looked_at(picture);
  const Image out = scratch_picture(part.format, part.width, part.height, scratch);
  *smoothed = out;
  void *rest = static_cast<std::uint8_t *>(scratch) +
               scratch_picture_bytes(part.format, part.width, part.height);
  const bool luma_only = part.format.has(Role::y);
  if (sigma_ >= kMinBlurSigma)
    return blur({&blur_, Border::replicate, 0, luma_only, false}, part, out, queue, rest);
  const ConvolveParams params = {&filter_, Border::replicate, 0, luma_only, false, &cache_};
  return convolve(params, part, out, queue, rest);
}

}  // namespace coalesce::gst
