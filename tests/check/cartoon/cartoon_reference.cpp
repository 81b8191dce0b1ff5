// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cartoon_reference.h"

#include "../../kernels/cartoon/cartoon_reference.h"
#include "../canny/canny_reference.h"
#include "../images.h"
#include "../yuv2yuv/conversion_reference.h"

namespace test {

std::string cartoon_difference(GstBuffer *in, GstBuffer *out, const GstVideoInfo &info,
                               const CartoonFilter &filter, bool interlaced, bool spare_rows) {
  coalesce::CartoonSettings settings = filter.settings;
  settings.range = params_of_caps(info, info).in_range;
  settings.colour = colour_of(info, filter.edge_color);
  const Mapped from(in, info, interlaced, spare_rows), to(out, info, interlaced);
  const Made expected(from.image);
  coalesce::test::cartoon_reference(settings, from.image, expected.image);
  return image_difference(GST_VIDEO_INFO_NAME(&info), to.image, expected.image);
}

}  // namespace test
