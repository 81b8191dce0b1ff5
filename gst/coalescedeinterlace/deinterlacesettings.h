// SPDX-License-Identifier: LGPL-2.1-or-later
// What the properties of coalescedeinterlace say.
#pragma once

#include <string>
#include <vector>

#include "deinterlace/deinterlace.h"
#include "object/propertytable.h"

namespace coalesce::gst {

enum class DeinterlaceFields { all, top, bottom, automatic };
enum class DeinterlaceMode { automatic, interlaced, disabled };
enum class DeinterlaceOrder { automatic, top_first, bottom_first };

enum class DeinterlacePattern { none, automatic, three_two, two_two };

// Pictures in the time of frames: one, two, or four in five.
enum class DeinterlaceRate { frame, field, film };

struct DeinterlaceSettings : DeinterlaceParams {
  DeinterlaceFields fields = DeinterlaceFields::automatic;
  DeinterlaceMode mode = DeinterlaceMode::automatic;
  DeinterlaceOrder order = DeinterlaceOrder::automatic;
  DeinterlacePattern pattern = DeinterlacePattern::none;

  // Do caps depend on a change between these?
  bool same_caps(const DeinterlaceSettings &other) const {
    return (fields == DeinterlaceFields::all) == (other.fields == DeinterlaceFields::all) &&
           mode == other.mode && pattern == other.pattern;
  }
};

// Their ids count from 1 on.
const PropertyTable<DeinterlaceSettings> &deinterlace_properties();
// What has been set and has no effect, for messages.
std::vector<std::string> deinterlace_ignored(const DeinterlaceSettings &settings);
// Registers the types of their values.
void deinterlace_register_types();

}  // namespace coalesce::gst
