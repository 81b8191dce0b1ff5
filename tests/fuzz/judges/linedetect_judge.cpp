// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linedetect_judge.h"

#include <algorithm>
#include <string>

#include "../../check/linedetect/lines_reference.h"
#include "../fuzz.h"
#include "canny_judge.h"

namespace test {

void check_linedetect(const Work &work, bool interlaced) {
  LineFilter filter;
  gdouble sigma = 0;
  gboolean l2 = FALSE, draw = FALSE;
  g_object_get(work.element, "low-threshold", &filter.edges.low, "high-threshold",
               &filter.edges.high, "aperture", &filter.edges.aperture, "l2-gradient", &l2, "sigma",
               &sigma, "tolerance", &filter.lines.tolerance, "min-length", &filter.lines.min_length,
               "max-lines", &filter.lines.max_lines, "draw", &draw, "thickness", &filter.thickness,
               "line-color", &filter.line_color, nullptr);
  if (!canny_is_sound(work.element)) return;
  const LinesSaid said = lines_on(work.out);
  DEMAND(said.count <= said.found && said.count <= static_cast<guint>(filter.lines.max_lines),
         "%u lines of %u", said.count, said.found);
  if (sigma > 0) return;
  filter.edges.low = std::clamp(filter.edges.low, 0., coalesce::kMaxCannyThreshold);
  filter.edges.high = std::clamp(filter.edges.high, 0., coalesce::kMaxCannyThreshold);
  filter.edges.l2 = l2 != FALSE;
  filter.lines.tolerance = std::clamp(filter.lines.tolerance, 0., coalesce::kMaxLineTolerance);
  filter.draw = draw != FALSE;
  const std::string difference =
      lines_difference(work.in, work.in_info, work.out, work.out_info, filter, interlaced);
  DEMAND(difference.empty(), "%s", difference.c_str());
}

}  // namespace test
