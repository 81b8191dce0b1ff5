// SPDX-License-Identifier: LGPL-2.1-or-later
#include "encoder_params.h"

#include <algorithm>

#include "coding_plan.h"

namespace coalesce::jpeg {
namespace {

constexpr std::int64_t kMostCounted = 1000000000;  // symbols, by optimal_table()

bool between(int first, int x, int last) {
  return first <= x && x <= last;
}

bool is_known(const PixelFormat &format) {
  if (!format.in_bytes()) return false;
  const PixelComponent *c = format.component;
  const int colours = format.has(Role::grey) ? 1 : 3;
  return format.components >= colours &&
         (c[0].role == Role::grey || c[0].role == Role::r || c[0].role == Role::y);
}

Status check_subsampling(const EncoderParams &params) {
  if (params.subsampling == Subsampling::automatic) return {};
  if (params.subsampling > Subsampling::s420)
    return invalid_argument("jpeg: subsampling is automatic, 4:4:4, 4:2:2 or 4:2:0");
  const bool rgb = params.format.has(Role::r);
  if (rgb && params.keep_rgb && params.subsampling != Subsampling::s444)
    return invalid_argument("jpeg: RGB that is kept as RGB has a subsampling of 4:4:4");
  if (rgb) return {};
  const PixelComponent *u = params.format.find(Role::u);
  if (u == nullptr) return {};  // grey has none
  const int width = params.subsampling == Subsampling::s444 ? 0 : 1;
  const int height = params.subsampling == Subsampling::s420 ? 1 : 0;
  if (u->log2_width != width || u->log2_height != height)
    return invalid_argument("jpeg: YUV is coded with the subsampling that it has");
  return {};
}

bool is_sound(const std::optional<QuantTable> &table) {
  return !table ||
         std::all_of(table->begin(), table->end(), [](int step) { return between(1, step, 255); });
}

}  // namespace

Status check_params(const EncoderParams &params) {
  if (!is_known(params.format))
    return invalid_argument("jpeg: a picture is grey, YUV or RGB of 8 bits");
  if (!between(1, params.width, kMostSize) || !between(1, params.height, kMostSize))
    return invalid_argument("jpeg: width and height are 1 to 65500");
  if (!between(1, params.quality, 100)) return invalid_argument("jpeg: quality is 1 to 100");
  if (Status s = check_subsampling(params); !s.ok()) return s;
  if (params.keep_rgb && !params.format.has(Role::r))
    return invalid_argument("jpeg: keep-rgb requires RGB");
  if (!between(0, params.restart_interval, kMostRestartInterval))
    return invalid_argument("jpeg: restart-interval is 0 to 65535");
  if (!is_sound(params.luma_table) || !is_sound(params.chroma_table))
    return invalid_argument("jpeg: steps of quantisation tables are 1 to 255");
  if (!between(1, params.density_x, 65535) || !between(1, params.density_y, 65535))
    return invalid_argument("jpeg: a density is 1 to 65535");
  if (params.optimize && make_plan(params).blocks() * kCoefficients >= kMostCounted)
    return {StatusCode::unsupported, "jpeg: a picture has too many samples for optimize"};
  return {};
}

}  // namespace coalesce::jpeg
