// SPDX-License-Identifier: LGPL-2.1-or-later
#include "multiview_judge.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "../../check/images.h"
#include "../../kernels/multiview/multiview_reference.h"
#include "../../support/cameras.h"
#include "../fuzz.h"
#include "picture/luma.h"
#include "stereo/view.h"

namespace test {
namespace {

using namespace coalesce;

// Samples that are compared for all candidates of a frame.
constexpr long kMostSamples = 1 << 23;

enum Output : gint { kDepth, kFloat, kConfidence, kDepthConfidence, kTurbo, kViridis };

struct Asked {
  MultiviewParams params;
  gint output = 0, reference = 0;
};

Asked asked_of(GstElement *element) {
  Asked asked;
  MultiviewParams &p = asked.params;
  gint method = 0;
  g_object_get(element, "method", &method, "window-size", &p.window, "num-depths", &p.depths,
               "near", &p.nearest, "far", &p.farthest, "tolerance", &p.tolerance, "min-count",
               &p.min_count, "depth-scale", &p.scale, "output", &asked.output, "reference",
               &asked.reference, nullptr);
  p.method = static_cast<MultiviewMethod>(method);
  p.min_count = std::min(p.min_count, element->numsinkpads - 1);
  if (asked.output == kFloat) p.output = MultiviewDepth::floats;
  // As docs/multiview.md has it.
  if (asked.output >= kTurbo)
    p.scale = std::clamp(std::max(65535 / p.farthest, 256 / p.nearest), 1e-9, kMaxMultiviewScale);
  return asked;
}

// Colours of words, of which there are none after this.
void colour(const Asked &asked, const Image &words, const Image &seen) {
  const auto word = [&](double depth) {
    return std::clamp(std::round(depth * asked.params.scale), 1., 65535.);
  };
  const double near = word(asked.params.nearest), far = word(asked.params.farthest);
  const double scale = std::min(near * 65535, double{kMaxDepthScale});
  ColourRange range;
  range.last = std::max(2, static_cast<int>(scale / near));
  range.first = std::min(static_cast<int>(scale / far), range.last - 1);
  DEMAND(depths(static_cast<std::uint32_t>(scale), words, words, Queue::cpu()).ok(), "depths");
  DEMAND(colours(asked.output == kTurbo ? ColourMap::turbo : ColourMap::viridis, range, words, seen,
                 Queue::cpu())
             .ok(),
         "colours");
}

}  // namespace

bool multiview_is_sound(GstElement *element) {
  const Asked asked = asked_of(element);
  const MultiviewParams &p = asked.params;
  if (p.window % 2 == 0 || p.nearest >= p.farthest || asked.reference >= element->numsinkpads)
    return false;
  double reference[3][4], neighbour[3][4];
  camera_matrix(asked.reference, reference);
  for (int i = 0; i < element->numsinkpads; i++) {
    camera_matrix(i, neighbour);
    if (i != asked.reference && !check_neighbour(reference, neighbour, p.nearest).ok())
      return false;
  }
  return true;
}

void check_multiview(const Work &work) {
  const Asked asked = asked_of(work.element);
  const MultiviewParams &params = asked.params;
  const int width = work.in_info.width, height = work.in_info.height;
  const auto count = static_cast<int>(work.inputs.size());
  if (long{width} * height * params.depths * params.window * params.window * (count - 1) >
      kMostSamples)
    return;
  // (Where a grey picture is made of the format's, the element's own tests judge it.)
  if (!luma_by_itself(pixel_format(GST_VIDEO_INFO_NAME(&work.in_info)))) return;
  std::deque<Mapped> mapped;
  std::vector<MultiviewView> views(work.inputs.size());
  for (int i = 0; i < count; i++) {
    const auto n = static_cast<gsize>(i);
    views[n].picture = mapped.emplace_back(work.inputs[n], work.in_info, false).image;
    camera_matrix(i, views[n].matrix);
  }
  const Mapped out(work.out, work.out_info, false);
  const auto picture_of = [&](const char *format, int of_width, int of_height) {
    const PixelFormat is = pixel_format(format);
    const auto row = static_cast<int>(row_bytes(is, 0, of_width));
    return Made({is, of_width, of_height, false, {{nullptr, row, of_height, 0}}});
  };
  const Made depth = picture_of("GRAY16_LE", asked.output == kFloat ? 2 * width : width, height);
  const Made confidence = picture_of("GRAY8", width, height);
  coalesce::test::multiview_reference(params, views.data(), count, asked.reference, depth.image,
                                      &confidence.image);
  const Made seen(out.image);
  const auto &rows_of_both = seen.image.plane[0];
  switch (asked.output) {
    case kDepthConfidence:
      DEMAND(rows_of_both.height == 2 * height, "%d rows", rows_of_both.height);
      for (int y = 0; y < height; y++) {
        std::copy_n(depth.image.plane[0].row(y), 2 * width, rows_of_both.row(y));
        for (int x = 0; x < width; x++)
          std::fill_n(rows_of_both.row(height + y) + 2 * x, 2, confidence.image.plane[0].row(y)[x]);
      }
      break;
    case kTurbo:
    case kViridis:
      colour(asked, depth.image, seen.image);
      break;
    default:
      break;
  }
  const Image &expected = asked.output == kConfidence ? confidence.image
                          : asked.output <= kFloat    ? depth.image
                                                      : seen.image;
  DEMAND(out.image.width == expected.width && out.image.height == expected.height, "%dx%d",
         out.image.width, out.image.height);
  const std::string difference =
      image_difference(GST_VIDEO_INFO_NAME(&work.in_info), out.image, expected);
  DEMAND(difference.empty(), "%s", difference.c_str());
}

}  // namespace test
