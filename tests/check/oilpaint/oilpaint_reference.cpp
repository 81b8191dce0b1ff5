// SPDX-License-Identifier: LGPL-2.1-or-later
#include "oilpaint_reference.h"

#include "../images.h"

namespace test {

std::string oilpaint_difference(GstBuffer *in, GstBuffer *out, const GstVideoInfo &info,
                                const coalesce::OilpaintParams &params, bool interlaced,
                                coalesce::test::OilStateReference *before) {
  const Mapped from(in, info, interlaced, true), to(out, info, interlaced, true);
  const Made expected(from.image);
  coalesce::test::oilpaint_reference(params, from.image, expected.image, before);
  return image_difference(GST_VIDEO_INFO_NAME(&info), to.image, expected.image);
}

}  // namespace test
