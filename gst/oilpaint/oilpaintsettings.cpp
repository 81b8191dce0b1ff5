// SPDX-License-Identifier: LGPL-2.1-or-later
#include "oilpaintsettings.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace coalesce::gst {
namespace {

const GEnumValue kMethods[] = {
    {int(OilMethod::strokes), "Strokes of brushes along edges, from the thickest brush on",
     "strokes"},
    {int(OilMethod::kuwahara), "Means of areas that lie along edges, the calmest ones most",
     "kuwahara"},
    {int(OilMethod::mode), "The mean colour of the commonest intensity around a pixel", "mode"},
    {0, nullptr, nullptr}};

const char *name_of(OilMethod method) {
  return kMethods[static_cast<int>(method)].value_nick;
}

bool is_brush(int radius) {
  return radius >= kMinOilBrush && std::has_single_bit(static_cast<unsigned>(radius));
}

std::string text_of(const char *property, int value) {
  return std::string(property) + "=" + std::to_string(value);
}

std::string brushes_problem(const OilpaintSettings &s) {
  std::string problem;
  for (const auto &[name, radius] : {std::pair("brush-thickest", s.brush_thickest),
                                     std::pair("brush-thinnest", s.brush_thinnest)})
    if (!is_brush(radius)) problem += (problem.empty() ? "" : ", ") + text_of(name, radius);
  if (!problem.empty()) return problem + ": it must be 2, 4, 8, 16 or 32";
  if (s.brush_thickest >= s.brush_thinnest) return {};
  const std::string thickest = text_of("brush-thickest", s.brush_thickest),
                    thinnest = text_of("brush-thinnest", s.brush_thinnest);
  // The one that has been set comes first.
  return s.brush_thickest == OilpaintSettings().brush_thickest
             ? thinnest + ": it is thicker than " + thickest
             : thickest + ": it is thinner than " + thinnest;
}

std::string method_problem(const OilpaintSettings &s) {
  if (s.method != OilMethod::kuwahara || s.radius == 0 ||
      (s.radius >= kMinOilKuwaharaRadius && s.radius <= kMaxOilKuwaharaRadius))
    return {};
  return text_of("radius", s.radius) + ": with method=kuwahara it must be 2 to 10, or 0 for 6";
}

}  // namespace

OilpaintParams OilpaintSettings::params() const {
  OilpaintParams p;
  p.method = method;
  p.brush_thickest = brush_thickest;
  p.brush_thinnest = brush_thinnest;
  p.threshold = threshold;
  p.least_length = least_length;
  if (radius != 0 && method == OilMethod::kuwahara) p.kuwahara_radius = radius;
  if (radius != 0 && method == OilMethod::mode) p.mode_radius = radius;
  p.mode_ratio = ratio;
  return p;
}

bool OilpaintSettings::has_strokes_of(const OilpaintSettings &other) const {
  return brush_thickest == other.brush_thickest && brush_thinnest == other.brush_thinnest &&
         least_length == other.least_length;
}

const PropertyTable<OilpaintSettings> &oilpaint_properties() {
  using S = OilpaintSettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE);
    static const GType method = g_enum_register_static("GstOilpaintMethod", kMethods);
    gst_type_mark_as_plugin_api(method, GstPluginAPIFlags(0));
    t.add(&S::method, {"method", "Method", "Method by which the picture is painted"}, method);
    t.add(&S::radius,
          {"radius", "Radius",
           "Radius of the window in pixels: 2 to 10 for method=kuwahara, 1 to 15 for method=mode "
           "(0 = 6 for kuwahara, 5 for mode)"},
          0, kMaxOilModeRadius);
    t.add(&S::ratio,
          {"ratio", "Ratio",
           "Levels of brightness that count as one, for method=mode: larger numbers give fewer and "
           "larger dabs"},
          1, kMaxOilModeRatio);
    t.add(&S::brush_thickest,
          {"brush-thickest", "Thickest brush",
           "Radius of the first brush of method=strokes in pixels: 2, 4, 8, 16 or 32. Where a "
           "control source gives another one, the next is used, as for brush-thinnest"},
          kMinOilBrush, kMaxOilBrush);
    t.add(&S::brush_thinnest,
          {"brush-thinnest", "Thinnest brush",
           "Radius of the last brush of method=strokes in pixels: 2, 4, 8, 16 or 32. Each brush is "
           "half as thick as the one before"},
          kMinOilBrush, kMaxOilBrush);
    t.add(&S::threshold,
          {"threshold", "Threshold",
           "Difference of picture and canvas above which a brush of method=strokes paints, in "
           "levels of a component"},
          0, 255);
    t.add(&S::least_length,
          {"least-length", "Least length",
           "Least number of points, half a radius apart, of a stroke of method=strokes, unless it "
           "runs over the border"},
          1, kMaxOilLength);
    t.add(&S::temporal, {"temporal", "Temporal",
                         "Keep strokes of the previous frame that still fit, for method=strokes, "
                         "so that video does not boil"});
    return t;
  }();
  return table;
}

void round_brushes(const OilpaintSettings &before, OilpaintSettings *settings) {
  for (const auto radius : {&OilpaintSettings::brush_thickest, &OilpaintSettings::brush_thinnest})
    if (settings->*radius != before.*radius)
      settings->*radius = static_cast<int>(std::bit_ceil(static_cast<unsigned>(settings->*radius)));
}

const OwnPart<OilpaintSettings> kBrushesPart = {
    brushes_problem, [](const OilpaintSettings &before, OilpaintSettings *settings) {
      settings->brush_thickest = before.brush_thickest;
      settings->brush_thinnest = before.brush_thinnest;
    }};

const OwnPart<OilpaintSettings> kMethodPart = {
    method_problem, [](const OilpaintSettings &before, OilpaintSettings *settings) {
      settings->method = before.method, settings->radius = before.radius;
    }};

std::vector<std::string> oilpaint_ignored(const OilpaintSettings &settings) {
  const OilpaintSettings initial;
  const auto has = [&](auto member) { return settings.*member != initial.*member; };
  using S = OilpaintSettings;
  const bool strokes = settings.method == OilMethod::strokes;
  std::vector<std::string> texts;
  const auto add = [&](const char *property, bool is_set, const char *needed) {
    if (is_set)
      texts.push_back(std::string(property) + " has no effect with method=" +
                      name_of(settings.method) + "; it requires " + needed);
  };
  add("radius", strokes && has(&S::radius), "method=kuwahara or method=mode");
  add("ratio", settings.method != OilMethod::mode && has(&S::ratio), "method=mode");
  const char *const needed = "method=strokes";
  add("brush-thickest", !strokes && has(&S::brush_thickest), needed);
  add("brush-thinnest", !strokes && has(&S::brush_thinnest), needed);
  add("threshold", !strokes && has(&S::threshold), needed);
  add("least-length", !strokes && has(&S::least_length), needed);
  add("temporal", !strokes && has(&S::temporal), needed);
  return texts;
}

}  // namespace coalesce::gst
