// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edge_overlay.h"

#include "../picture/formats.h"
#include "edge_overlay_job.h"

namespace coalesce {
namespace {

Status check(const EdgeColour &colour, const ConstImage &edges, const ConstImage &in,
             const Image &out) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  if (Status s = check_image(edges); !s.ok()) return s;
  if (!in.format.in_bytes()) return invalid_argument("edges: samples must have 8 bits");
  if (!(edges.format == pixel_format("GRAY8"))) return invalid_argument("edges must be GRAY8");
  if (edges.width != in.width || edges.height != in.height)
    return invalid_argument("edges: the pictures differ in size");
  if (colour.opacity < 0 || colour.opacity > 255)
    return invalid_argument("edges: the opacity must be from 0 to 255");
  return {};
}

}  // namespace

Status draw_edges(const EdgeColour &colour, const ConstImage &edges, const ConstImage &in,
                  const Image &out, const Queue &queue) {
  if (Status s = check(colour, edges, in, out); !s.ok()) return s;
  OverlayJob job;
  job.edges = edges.plane[0];
  job.interlaced = in.interlaced;
  job.opacity = colour.opacity;
  job.planes = in.format.planes;
  for (int p = 0; p < job.planes; ++p) {
    job.plane[p].in = in.plane[p];
    job.plane[p].in.height = used_rows(in, p);
    job.plane[p].out = out.plane[p];
  }
  for (int c = 0; c < in.format.components; ++c) {
    const PixelComponent &component = in.format.component[c];
    OverlayPlane &plane = job.plane[component.plane];
    plane.log2_height = component.log2_height;
    if (component.role == Role::alpha) continue;
    plane.component[plane.components++] = {component.first, component.step, component.log2_width,
                                           colour.sample[c]};
  }
  if (!queue.on_cuda()) {
    draw_edges_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return draw_edges_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
