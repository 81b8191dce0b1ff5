// SPDX-License-Identifier: LGPL-2.1-or-later
#include "oilpaint_judge.h"

#include <algorithm>

#include "../../check/oilpaint/oilpaint_reference.h"
#include "../fuzz.h"

namespace test {
namespace {

using coalesce::OilMethod;

// Of what is looked at for all pixels of a frame, and pixels.
constexpr int kMostSamples = 1 << 24, kMostPixels = 1 << 17;

struct OilpaintSettings {
  coalesce::OilpaintParams params;
  int radius = 0;
  bool temporal = false;
};

OilpaintSettings settings_of(GstElement *element) {
  OilpaintSettings settings;
  coalesce::OilpaintParams &params = settings.params;
  gint method = 0;
  gboolean temporal = FALSE;
  g_object_get(element, "method", &method, "radius", &settings.radius, "ratio", &params.mode_ratio,
               "brush-thickest", &params.brush_thickest, "brush-thinnest", &params.brush_thinnest,
               "threshold", &params.threshold, "least-length", &params.least_length, "temporal",
               &temporal, nullptr);
  params.method = static_cast<OilMethod>(method);
  if (settings.radius != 0)
    (params.method == OilMethod::mode ? params.mode_radius : params.kuwahara_radius) =
        settings.radius;
  settings.temporal = temporal != FALSE;
  return settings;
}

}  // namespace

bool oilpaint_is_sound(GstElement *element) {
  const OilpaintSettings settings = settings_of(element);
  const auto is_brush = [](int radius) { return (radius & (radius - 1)) == 0; };
  const bool radius_is_sound =
      settings.params.method != OilMethod::kuwahara ||
      (settings.params.kuwahara_radius >= 2 && settings.params.kuwahara_radius <= 10);
  return is_brush(settings.params.brush_thickest) && is_brush(settings.params.brush_thinnest) &&
         settings.params.brush_thickest >= settings.params.brush_thinnest && radius_is_sound;
}

void check_oilpaint(const Work &work, bool interlaced) {
  const OilpaintSettings settings = settings_of(work.element);
  const coalesce::OilpaintParams &params = settings.params;
  const bool strokes = params.method == OilMethod::strokes;
  if (strokes && settings.temporal) return;
  const int pixels = work.in_info.width * work.in_info.height;
  const int side = params.method == OilMethod::mode ? 2 * params.mode_radius + 1
                   : strokes                        ? 16
                                                    : 4 * params.kuwahara_radius;
  if (pixels > std::min(kMostPixels, kMostSamples / (side * side))) return;
  const std::string difference =
      oilpaint_difference(work.in, work.out, work.in_info, params, interlaced);
  DEMAND(difference.empty(), "%s", difference.c_str());
}

}  // namespace test
