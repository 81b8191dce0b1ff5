// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/convolve/planes.h"
#include "../twin.h"

namespace coalesce {
namespace {

bool same(const Filter::Offsets &a, const Filter::Offsets &b) {
  return a.before == b.before && a.after == b.after;
}

// Kernels would take from a cache what they had made of the filter before.
bool is_of(ArgumentCache *cache, const Filter &f) {
  if (cache == nullptr) return true;
  const auto &made = cache->get<Filter>(0, [&] { return f; });
  return made.width == f.width && made.height == f.height && made.left == f.left &&
         made.above == f.above && made.weights == f.weights && made.across == f.across &&
         made.down == f.down && made.divisor == f.divisor && made.absolute == f.absolute &&
         same(made.level, f.level) && same(made.chroma, f.chroma) &&
         made.depth.bits == f.depth.bits && made.depth.shift == f.depth.shift;
}

}  // namespace

Status convolve_cuda(const ConvolveParams &params, const ConvolvePlanes &image,
                     ConvolveAlgorithm algorithm, void *stream) {
  for (int i = 0; i < image.planes; ++i)
    if (Status s = twin::check_access({image.plane[i].in, image.plane[i].out}); !s.ok()) return s;
  if (!is_of(params.cache, *params.filter))
    return {StatusCode::device_error, "convolve: the cache is that of another filter"};
  // The filter is the caller's, and may go when this call returns.
  return twin::launch(stream, [params, filter = *params.filter, image, algorithm] {
    ConvolveParams own = params;
    own.filter = &filter;
    (void)convolve_cpu(own, image, algorithm, nullptr);
  });
}

bool separable_cuda_wants_planes(const ConvolveParams &, const ConvolvePlanes &) {
  return true;
}

}  // namespace coalesce
