// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stereo_judge.h"

#include <algorithm>
#include <cmath>

#include "../../check/images.h"
#include "../../kernels/stereo/stereo_reference.h"
#include "../fuzz.h"
#include "picture/luma.h"
#include "stereo/view.h"

namespace test {
namespace {

using namespace coalesce;

// Samples that are compared for all candidates of a frame.
constexpr long kMostSamples = 1 << 23;

struct Asked {
  StereoParams params;
  gint output = 0;
  gdouble focal_length = 0, baseline = 0;
};

Asked asked_of(GstElement *element) {
  Asked asked;
  StereoParams &p = asked.params;
  gint method = 0;
  gboolean adaptive = FALSE, subpixel = FALSE;
  g_object_get(element, "method", &method, "min-disparity", &p.min_disparity, "num-disparities",
               &p.disparities, "window-size", &p.window, "paths", &p.paths, "p1", &p.p1, "p2",
               &p.p2, "adaptive-p2", &adaptive, "subpixel", &subpixel, "uniqueness", &p.uniqueness,
               "left-right-check", &p.left_right, "median", &p.median, "speckle-size",
               &p.speckle_size, "speckle-range", &p.speckle_range, "output", &asked.output,
               "focal-length", &asked.focal_length, "baseline", &asked.baseline, nullptr);
  p.method = static_cast<StereoMethod>(method);
  p.adaptive = adaptive != FALSE, p.subpixel = subpixel != FALSE;
  return asked;
}

constexpr gint kDepth = 1, kTurbo = 2;

}  // namespace

bool stereo_is_sound(GstElement *element) {
  const Asked asked = asked_of(element);
  const StereoParams &p = asked.params;
  return p.window % 2 == 1 && p.disparities % 16 == 0 && p.p1 <= p.p2 &&
         (asked.output != kDepth || (asked.focal_length > 0 && asked.baseline > 0));
}

void check_stereo(const Work &work) {
  const Asked asked = asked_of(work.element);
  const StereoParams &params = asked.params;
  const int window = params.method == StereoMethod::sgm ? 9 : params.window;
  const long pixels = long{work.in_info.width} * work.in_info.height;
  if (pixels * params.disparities * window * window > kMostSamples) return;
  // (Where a grey picture is made of the format's, the element's own tests judge it.)
  if (!luma_by_itself(pixel_format(GST_VIDEO_INFO_NAME(&work.in_info)))) return;
  const Mapped left(work.in, work.in_info, false), right(work.inputs[1], work.in_info, false),
      out(work.out, work.out_info, false);
  const int width = work.in_info.width, height = work.in_info.height;
  const ConstImage shape = {
      pixel_format("GRAY16_LE"), width, height, false, {{nullptr, 2 * width, height, 0}}};
  const Made found(shape), seen(out.image);
  coalesce::test::stereo_reference(params, left.image, right.image, found.image);
  // What the tests of the kernel library judge.
  if (asked.output == kDepth) {
    const double scale = std::round(kDisparityUnit * asked.focal_length * asked.baseline);
    DEMAND(depths(static_cast<std::uint32_t>(std::clamp(scale, 1., double{kMaxDepthScale})),
                  found.image, found.image, Queue::cpu())
               .ok(),
           "depths");
  } else if (asked.output >= kTurbo) {
    const ColourRange range = {kDisparityUnit * params.min_disparity,
                               kDisparityUnit * (params.min_disparity + params.disparities - 1)};
    DEMAND(colours(asked.output == kTurbo ? ColourMap::turbo : ColourMap::viridis, range,
                   found.image, seen.image, Queue::cpu())
               .ok(),
           "colours in %s", GST_VIDEO_INFO_NAME(&work.out_info));
  }
  const std::string difference =
      image_difference(GST_VIDEO_INFO_NAME(&work.in_info), out.image,
                       asked.output >= kTurbo ? seen.image : found.image);
  DEMAND(difference.empty(), "%s", difference.c_str());
}

}  // namespace test
