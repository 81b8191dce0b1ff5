// SPDX-License-Identifier: LGPL-2.1-or-later
#include "multiview.h"

#include <algorithm>
#include <cmath>

#include "../picture/formats.h"
#include "../picture/luma.h"
#include "cuda/scratch.h"
#include "multiview_job.h"

namespace coalesce {
namespace {

// ---- Cameras ------------------------------------------------------------------------------------

struct Camera {
  double p[3][4];
};

double determinant(const Camera &of) {
  const auto &a = of.p;
  return (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) +
          a[0][1] * (a[1][2] * a[2][0] - a[1][0] * a[2][2])) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

double length(const double (&row)[4]) {
  return std::sqrt((row[0] * row[0] + row[1] * row[1]) + row[2] * row[2]);
}

Camera camera_of(const double (&matrix)[3][4]) {
  Camera camera;
  std::memcpy(camera.p, matrix, sizeof camera.p);
  const double size = determinant(camera) < 0 ? -length(camera.p[2]) : length(camera.p[2]);
  for (auto &row : camera.p)
    for (double &number : row)
      number /= size;
  return camera;
}

// From `from` to `to`, in pixels.
struct Map {
  double m[3][3], e[3];
};

Map map_of(const Camera &from, const Camera &to) {
  const auto &a = from.p;
  double adjugate[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      adjugate[j][i] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
    }
  const double size = determinant(from);
  Map map;
  for (int i = 0; i < 3; ++i) {
    const auto &b = to.p[i];
    for (int c = 0; c < 3; ++c)
      map.m[i][c] =
          ((b[0] * adjugate[0][c] + b[1] * adjugate[1][c]) + b[2] * adjugate[2][c]) / size;
    map.e[i] = b[3] - ((map.m[i][0] * a[0][3] + map.m[i][1] * a[1][3]) + map.m[i][2] * a[2][3]);
  }
  return map;
}

Epipolar epipolar_of(const Map &map) {
  Epipolar epipolar;
  for (int i = 0; i < 3; ++i) {
    const double size = i < 2 ? kPositions : 1;
    for (int c = 0; c < 3; ++c)
      epipolar.m[i][c] = static_cast<float>(map.m[i][c] * size);
    epipolar.e[i] = static_cast<float>(map.e[i] * size);
  }
  return epipolar;
}

bool moves(const Map &map, double nearest) {
  return std::any_of(map.e, map.e + 3, [&](double e) { return std::abs(e) / nearest > 1e-6; });
}

bool is_usable(const Epipolar &epipolar) {
  const auto fits = [](float number) { return std::abs(number) <= kMostEpipolar; };
  return std::all_of(&epipolar.m[0][0], &epipolar.m[0][0] + 9, fits) &&
         std::all_of(epipolar.e, epipolar.e + 3, fits);
}

// ---- Checks -------------------------------------------------------------------------------------

Status check(const MultiviewParams &p, int views) {
  if (p.method > MultiviewMethod::ncc) return invalid_argument("multiview: no such method");
  if (views < kMinMultiviewViews || views > kMaxMultiviewViews)
    return invalid_argument("multiview: there must be 2 to 16 views");
  if (p.window < kMinMultiviewWindow || p.window > kMaxMultiviewWindow || p.window % 2 == 0)
    return invalid_argument("multiview: the window must be odd, from 3 to 21");
  if (p.depths < kMinMultiviewDepths || p.depths > kMaxMultiviewDepths)
    return invalid_argument("multiview: depths must be from 2 to 256");
  if (!(p.nearest >= kMinMultiviewDepth && p.nearest < p.farthest &&
        p.farthest <= kMaxMultiviewDepth))
    return invalid_argument(
        "multiview: depths must be 0.000001 <= nearest < farthest <= 1000000000");
  if (p.tolerance < 0) return invalid_argument("multiview: the tolerance must be 0 or more");
  if (p.min_count < 1 || p.min_count >= views)
    return invalid_argument(
        "multiview: min-count must be from 1 to the number of neighbours: one less than views");
  if (p.output > MultiviewDepth::floats) return invalid_argument("multiview: no such output");
  if (!(p.scale > 0 && p.scale <= kMaxMultiviewScale))
    return invalid_argument("multiview: the scale must be above 0, and at most 1000000000");
  return {};
}

bool is_size(int size) {
  return size >= 1 && size <= kMaxMultiviewSize;
}

Status check(const MultiviewParams &params, const MultiviewView *views, int count, int reference,
             const Image &depth, const Image *confidence, const void *scratch) {
  if (Status s = check(params, count); !s.ok()) return s;
  if (reference < 0 || reference >= count)
    return invalid_argument("multiview: the reference is none of the views");
  const ConstImage &first = views[0].picture;
  for (int i = 0; i < count; ++i) {
    const ConstImage &picture = views[i].picture;
    if (Status s = check_image(picture); !s.ok()) return s;
    if (!(picture.format == first.format))
      return invalid_argument("multiview: the pictures differ in format");
    if (picture.width != first.width || picture.height != first.height)
      return invalid_argument("multiview: the pictures differ in size");
    if (!is_camera_matrix(views[i].matrix))
      return invalid_argument(
          "multiview: a matrix is not that of a camera: its first three columns must be "
          "invertible, and all numbers finite");
  }
  if (luma_by_itself(first.format) == nullptr)
    return invalid_argument(
        "multiview: pictures must have luma or grey in bytes or in words of 16 bits");
  if (!is_size(first.width) || !is_size(first.height))
    return invalid_argument("multiview: the pictures are too large; sizes are limited to 16384");
  if (Status s = check_image(depth); !s.ok()) return s;
  if (!(depth.format == pixel_format("GRAY16_LE")))
    return invalid_argument("multiview: the depths must be GRAY16_LE");
  const int words = params.output == MultiviewDepth::floats ? 2 : 1;
  if (depth.width != words * first.width || depth.height != first.height)
    return invalid_argument(
        "multiview: the depths must have the pictures' size, as floats twice the width");
  if (confidence != nullptr) {
    if (Status s = check_image(*confidence); !s.ok()) return s;
    if (!(confidence->format == pixel_format("GRAY8")) || confidence->width != first.width ||
        confidence->height != first.height)
      return invalid_argument("multiview: the confidences must be GRAY8, of the pictures' size");
  }
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % 256 != 0)
    return invalid_argument("multiview: no scratch memory that is aligned to 256 bytes");
  return {};
}

MultiviewJob make_job(const MultiviewParams &params, const ConstImage &picture) {
  MultiviewJob job;
  job.params = params;
  job.width = picture.width, job.height = picture.height;
  job.component = *luma_by_itself(picture.format);
  const double first = 1 / params.farthest;
  const double step = (1 / params.nearest - first) / (params.depths - 1);
  job.first = static_cast<float>(first), job.step = static_cast<float>(step);
  job.fine_step = static_cast<float>(step / 16);
  job.scale = static_cast<float>(params.scale);
  return job;
}

Status find_epipolar(const Camera &from, const double (&matrix)[3][4], double nearest,
                     Epipolar *epipolar) {
  const Map map = map_of(from, camera_of(matrix));
  if (!moves(map, nearest))
    return invalid_argument(
        "multiview: a view has its camera where that of the reference is: it sees no depths");
  *epipolar = epipolar_of(map);
  if (!is_usable(*epipolar))
    return invalid_argument("multiview: the numbers of two matrices differ too much in size");
  return {};
}

Status add_views(const MultiviewView *views, int count, int reference, MultiviewJob *job) {
  const Camera from = camera_of(views[reference].matrix);
  job->in[0] = views[reference].picture.of(job->component);
  for (int i = 0; i < count; ++i) {
    if (i == reference) continue;
    if (Status s = find_epipolar(from, views[i].matrix, job->params.nearest,
                                 &job->epipolar[job->neighbours]);
        !s.ok())
      return s;
    job->in[++job->neighbours] = views[i].picture.of(job->component);
  }
  return {};
}

}  // namespace

bool is_camera_matrix(const double (&matrix)[3][4]) {
  Camera camera;
  std::memcpy(camera.p, matrix, sizeof camera.p);
  const double *const numbers = &camera.p[0][0];
  if (!std::all_of(numbers, numbers + 12, [](double number) { return std::isfinite(number); }))
    return false;
  const double most = length(camera.p[0]) * length(camera.p[1]) * length(camera.p[2]);
  return std::isfinite(most) && std::abs(determinant(camera)) > 1e-12 * most;
}

Status check_neighbour(const double (&reference)[3][4], const double (&neighbour)[3][4],
                       double nearest) {
  Epipolar unused;
  return find_epipolar(camera_of(reference), neighbour, nearest, &unused);
}

bool multiview_takes(const PixelFormat &format) {
  return luma_by_itself(format) != nullptr;
}

std::size_t multiview_scratch_bytes(const MultiviewParams &params, int views, int width, int height,
                                    bool on_cuda) {
  if (!check(params, views).ok() || !is_size(width) || !is_size(height)) return 0;
  // (So much that the CPU back end may take the place of CUDA's, in tests.)
  return on_cuda ? MultiviewCudaScratch(nullptr, params, views - 1, width, height).bytes
                 : MultiviewScratch(nullptr, views - 1, width, height).layout.end();
}

Status multiview(const MultiviewParams &params, const MultiviewView *views, int count,
                 int reference, const Image &depth, const Image *confidence, const Queue &queue,
                 void *scratch) {
  if (Status s = check(params, views, count, reference, depth, confidence, scratch); !s.ok())
    return s;
  MultiviewJob job = make_job(params, views[reference].picture);
  if (Status s = add_views(views, count, reference, &job); !s.ok()) return s;
  job.depth = depth.plane[0];
  if (confidence != nullptr) job.confidence = confidence->plane[0];
  job.scratch = scratch;
  if (!queue.on_cuda()) return find_depths_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return find_depths_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
