// SPDX-License-Identifier: LGPL-2.1-or-later
// Why two caps have nothing in common, in words for an error message.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>

namespace coalesce::gst {

// The fields that differ, as in "width=320, format={ RGB, BGR }": of the two structures that have
// the fewest. Where no media type is in both, `media` is set, and the texts name the types.
struct Conflict {
  int fields = 0;
  bool media = false;
  std::string ours, theirs;
  std::string advice;  // which elements convert one into the other; empty if it is not known
};

// Nothing if the caps have something in common, or `ours` are empty. `in` are the caps of the
// input, or of what comes before it: the advice is about their format.
std::optional<Conflict> caps_conflict(const GstCaps *ours, const GstCaps *theirs,
                                      const GstCaps *in);

}  // namespace coalesce::gst
