// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, for the back ends.
#pragma once

#include "deinterlace_rows.h"

namespace coalesce {

struct DeinterlaceJob {
  DeinterlaceParams params;
  ConstImage frame[3];  // before, current, after
  FieldPicture picture[2];
  int pictures = 0;

  COALESCE_HOST_DEVICE LineRules rules(const FieldPicture &of) const {
    return {params.method, params.spatial_check, of.end, of.out.format.component[0].bits > 8};
  }
  COALESCE_HOST_DEVICE bool keeps(const FieldPicture &p, int row) const {
    return row % 2 == p.field || params.method == DeinterlaceMethod::weave;
  }
  // What a row is kept of.
  COALESCE_HOST_DEVICE const ConstImage &kept_frame(const FieldPicture &p, int row) const {
    return frame[p.across && row % 2 != p.field ? 2 : 1];
  }
  COALESCE_HOST_DEVICE bool follows_motion(const FieldPicture &p) const {
    return params.method == DeinterlaceMethod::best && !p.end;
  }
  // The fields of the other parity that come before and after the picture's.
  COALESCE_HOST_DEVICE const ConstImage &field_before(const FieldPicture &p) const {
    return frame[p.second ? 1 : 0];
  }
  COALESCE_HOST_DEVICE const ConstImage &field_after(const FieldPicture &p) const {
    return frame[p.second ? 2 : 1];
  }
};

Status deinterlace_cpu(const DeinterlaceJob &job, ThreadPool *pool);
Status deinterlace_cuda(const DeinterlaceJob &job, void *stream);

}  // namespace coalesce
