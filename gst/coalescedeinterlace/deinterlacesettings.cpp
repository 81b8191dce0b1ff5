// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlacesettings.h"

#include <gst/gst.h>

namespace coalesce::gst {
namespace {

GType method_type() {
  using Method = DeinterlaceMethod;
  static const GEnumValue values[] = {
      {int(Method::weave), "Both fields as they are, combed where something moves", "weave"},
      {int(Method::line), "The row above is repeated", "line"},
      {int(Method::linear), "The mean of the rows above and below", "linear"},
      {int(Method::ela), "Edge-based line average: the mean along an edge", "ela"},
      {int(Method::yadif), "FFmpeg's yadif, with the same bytes", "yadif"},
      {int(Method::bwdif), "FFmpeg's bwdif, with the same bytes", "bwdif"},
      {int(Method::w3fdif), "The filter of Martin Weston, BBC, over three fields", "w3fdif"},
      {int(Method::best), "bwdif, mixed with the same part of the picture in other fields", "best"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceDeinterlaceMethod", values);
  return type;
}

GType fields_type() {
  static const GEnumValue values[] = {
      {int(DeinterlaceFields::all), "A picture for each field, at twice the frame rate", "all"},
      {int(DeinterlaceFields::top), "A picture for each frame, of the top field", "top"},
      {int(DeinterlaceFields::bottom), "A picture for each frame, of the bottom field", "bottom"},
      {int(DeinterlaceFields::automatic), "A picture for each frame, of its first field", "auto"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceDeinterlaceFields", values);
  return type;
}

GType mode_type() {
  static const GEnumValue values[] = {
      {int(DeinterlaceMode::automatic),
       "Interlaced video by its caps; in mixed video, frames that are flagged as interlaced",
       "auto"},
      {int(DeinterlaceMode::interlaced), "Every frame, whatever the caps say", "interlaced"},
      {int(DeinterlaceMode::disabled), "No frame", "disabled"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceDeinterlaceMode", values);
  return type;
}

GType order_type() {
  static const GEnumValue values[] = {
      {int(DeinterlaceOrder::automatic),
       "Order of the caps, or of each frame's flags if the caps have none", "auto"},
      {int(DeinterlaceOrder::top_first), "Top field first", "tff"},
      {int(DeinterlaceOrder::bottom_first), "Bottom field first", "bff"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceDeinterlaceOrder", values);
  return type;
}

GType pattern_type() {
  static const GEnumValue values[] = {
      {int(DeinterlacePattern::none), "Every frame is video", "none"},
      {int(DeinterlacePattern::automatic),
       "Frames of film where the cadence of fields is certain, at their own rate", "auto"},
      {int(DeinterlacePattern::three_two),
       "Frames of film of three and two fields by turns, at four fifths of the frame rate", "3:2"},
      {int(DeinterlacePattern::two_two),
       "Frames of film of two fields, of one frame of video or of two neighbouring ones", "2:2"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceDeinterlacePattern", values);
  return type;
}

}  // namespace

const PropertyTable<DeinterlaceSettings> &deinterlace_properties() {
  using Settings = DeinterlaceSettings;
  static const PropertyTable<Settings> table = [] {
    PropertyTable<Settings> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
    t.add(&Settings::method, {"method", "Method", "Interpolation of the rows that a field lacks"},
          method_type());
    t.add(&Settings::fields,
          {"fields", "Fields", "Fields that become pictures: all, or one of each frame"},
          fields_type());
    t.add(&Settings::mode, {"mode", "Mode", "Frames that are deinterlaced; the others pass"},
          mode_type());
    t.add(&Settings::order,
          {"field-order", "Field order", "Field of a frame that is the earlier one"}, order_type());
    t.add(&Settings::pattern,
          {"pattern", "Pattern", "Telecine pattern of video whose frames of film are restored"},
          pattern_type());
    t.add(&Settings::ela_window,
          {"ela-window", "Window of ela",
           "Columns in pixels that the directions of method=ela span: 3, 5 or 7; an even number "
           "counts as the next odd one"},
          3, 7);
    t.add(&Settings::spatial_check, {"spatial-check", "Spatial check",
                                     "Limit method=yadif also by the rows two above and below"});
    return t;
  }();
  return table;
}

std::vector<std::string> deinterlace_ignored(const DeinterlaceSettings &settings) {
  const DeinterlaceSettings initial;
  std::vector<std::string> texts;
  if (settings.ela_window != initial.ela_window && settings.method != DeinterlaceMethod::ela)
    texts.push_back("ela-window=" + std::to_string(settings.ela_window) +
                    " has no effect; it requires method=ela");
  if (settings.spatial_check != initial.spatial_check &&
      settings.method != DeinterlaceMethod::yadif)
    texts.emplace_back("spatial-check=false has no effect; it requires method=yadif");
  return texts;
}

void deinterlace_register_types() {
  for (GType type : {method_type(), fields_type(), mode_type(), order_type(), pattern_type()})
    gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
}

}  // namespace coalesce::gst
