// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cannysmoothing.h"

#include <string>
#include <utility>

#include "picture/formats.h"
#include "picture/scratch_picture.h"

namespace coalesce::gst {
namespace {

constexpr SampleDepth k8Bits = {8, 0};

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

Image picture_of(const PixelFormat &format, int width, int height) {
  Image picture = {format, width, height, false, {}};
  for (int p = 0; p < format.planes; ++p) {
    picture.plane[p].width = static_cast<int>(row_bytes(format, p, width));
    picture.plane[p].height = plane_rows(format, p, height);
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
  return scratch_picture_bytes(picture_of(part.format, part.width, part.height)) +
         (sigma_ >= kMinBlurSigma ? blur_scratch_bytes(blur_, part)
                                  : container_scratch_bytes(part));
}

Status CannySmoothing::run(const ConstImage &picture, const Queue &queue, void *scratch,
                           ConstImage *smoothed) {
  *smoothed = picture;
  if (sigma_ == 0) return {};
  const ConstImage part = looked_at(picture);
  Image out = picture_of(part.format, part.width, part.height);
  put_in_scratch(&out, scratch);
  *smoothed = out;
  void *rest = static_cast<std::uint8_t *>(scratch) + scratch_picture_bytes(out);
  const bool luma_only = part.format.has(Role::y);
  if (sigma_ >= kMinBlurSigma)
    return blur({&blur_, Border::replicate, 0, luma_only, false}, part, out, queue, rest);
  const ConvolveParams params = {&filter_, Border::replicate, 0, luma_only, false, &cache_};
  return convolve(params, part, out, queue, rest);
}

}  // namespace coalesce::gst
