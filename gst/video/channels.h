// SPDX-License-Identifier: LGPL-2.1-or-later
// What filters of neighbourhoods have in common: formats, border, and which channels they filter.
#pragma once

#include <gst/video/video.h>

#include <string>

#include "core/border.h"
#include "object/propertytable.h"

namespace coalesce::gst {

// Planes of channels (picture/channels.h), as a list for caps.
const std::string &channel_formats();

struct ChannelSettings {
  Border border = Border::replicate;
  int border_value = 0;
  bool luma_only = false;
  bool filter_alpha = false;
};

// Why frames of these caps cannot be filtered so; empty if they can.
std::string border_problem(const ChannelSettings &settings, const GstVideoInfo &info);
std::string planes_problem(const ChannelSettings &settings, const GstVideoInfo &info);
// A border-value without effect, for messages; empty if it has one.
std::string ignored_border_value(const ChannelSettings &settings);
// Once for each format that `last` remembers: a warning if there is no alpha to filter.
void warn_without_alpha(gpointer element, const ChannelSettings &settings, const GstVideoInfo &info,
                        GstVideoFormat *last);

// Types of enums, each element's own by its name.
GType border_type(const char *name);
GType planes_type(const char *name);

// Adds border, border-value, planes and filter-alpha. T is made on ChannelSettings.
template <class T>
void add_channel_properties(PropertyTable<T> *table, GType border, GType planes) {
  using S = ChannelSettings;
  table->add(&S::border, {"border", "Border", "Sample values outside the picture"}, border);
  table->add(
      &S::border_value,
      {"border-value", "Border value",
       "Sample value outside the picture with border=constant: 0 to 255, 1023, 4095 or 65535, by "
       "the format's bits. Chroma has the middle of its range"},
      0, 65535);
  table->add(&S::luma_only, {"planes", "Planes", "Planes that are filtered; the others are copied"},
             planes);
  table->add(&S::filter_alpha, {"filter-alpha", "Filter alpha",
                                "Filter the alpha channel like luma instead of copying it"});
}

}  // namespace coalesce::gst
