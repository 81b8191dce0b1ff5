// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlace.h"

#include "deinterlace_job.h"

namespace coalesce {
namespace {

Status check(const DeinterlaceParams &params, const DeinterlaceJob &job) {
  if (params.method > DeinterlaceMethod::best)
    return invalid_argument("deinterlace: no such method");
  if (params.ela_window != 3 && params.ela_window != 5 && params.ela_window != 7)
    return invalid_argument("deinterlace: the window of ela must be 3, 5 or 7 columns");
  const ConstImage &current = job.frame[1];
  for (const ConstImage &frame : job.frame) {
    if (Status s = check_image(frame); !s.ok()) return s;
    if (!(frame.format == current.format))
      return invalid_argument("deinterlace: the frames differ in format");
    if (frame.width != current.width || frame.height != current.height)
      return invalid_argument("deinterlace: the frames differ in size");
  }
  for (int i = 0; i < job.pictures; ++i) {
    const FieldPicture &picture = job.picture[i];
    if (Status s = check_image(picture.out); !s.ok()) return s;
    if (!(picture.out.format == current.format))
      return invalid_argument("deinterlace: a picture's format is not that of the frames");
    if (picture.out.width != current.width || picture.out.height != current.height)
      return invalid_argument("deinterlace: a picture's size is not that of the frames");
    if (picture.field != 0 && picture.field != 1)
      return invalid_argument("deinterlace: a field must be 0 or 1");
  }
  return {};
}

}  // namespace

Status deinterlace(const DeinterlaceParams &params, const ConstImage &before,
                   const ConstImage &current, const ConstImage &after, const FieldPicture *pictures,
                   int count, const Queue &queue) {
  if (count < 1 || count > 2)
    return invalid_argument("deinterlace: a frame becomes one or two pictures");
  DeinterlaceJob job = {params, {before, current, after}, {}, count};
  for (int i = 0; i < count; ++i)
    job.picture[i] = pictures[i];
  if (Status s = check(params, job); !s.ok()) return s;
  if (!queue.on_cuda()) return deinterlace_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return deinterlace_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
