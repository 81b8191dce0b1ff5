// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of oilpaint, and what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include "object/propertytable.h"
#include "oilpaint/oilpaint.h"
#include "video/channelsettings.h"

namespace coalesce::gst {

struct OilpaintSettings {
  OilMethod method = OilMethod::strokes;
  int radius = 0;  // 0: the method's own
  int ratio = OilpaintParams().mode_ratio;
  int brush_thickest = OilpaintParams().brush_thickest;
  int brush_thinnest = OilpaintParams().brush_thinnest;
  int threshold = OilpaintParams().threshold;
  int least_length = OilpaintParams().least_length;
  bool temporal = false;

  // Without a state. The settings must be sound.
  OilpaintParams params() const;
  // Can strokes of the one be kept by the other?
  bool has_strokes_of(const OilpaintSettings &other) const;
};

const PropertyTable<OilpaintSettings> &oilpaint_properties();

// Brushes that have changed become the next thicker one, where there is none like them.
void round_brushes(const OilpaintSettings &before, OilpaintSettings *settings);

// Brushes; and the method with its radius.
extern const OwnPart<OilpaintSettings> kBrushesPart, kMethodPart;

// What has been set and has no effect with the method, for messages.
std::vector<std::string> oilpaint_ignored(const OilpaintSettings &settings);

}  // namespace coalesce::gst
