// SPDX-License-Identifier: LGPL-2.1-or-later
// The covering array of JPEG 2000: codestreams in which every value of whatever decides about them
// meets every other value that it can meet.
#pragma once

#include <string>
#include <vector>

#include "../../../support/covering_array.h"
#include "../encoder/j2k_picture.h"
#include "j2k/params/encoder_params.h"

namespace coalesce::test {

using J2kArray = CoveringArray<j2k::EncoderParams>;

// Formats, sizes, wavelets, styles and so on. Byte targets are not yet what they say.
const J2kArray &j2k_array();
// What can be chosen within profiles.
const J2kArray &j2k_profile_array();

// One of them.
struct J2kEntry {
  j2k::EncoderParams params;
  Picture picture;
  std::string text;
  bool whole = false;  // without loss, if the wavelet has none
};

// The entries of both, the small pictures first; the first ones are a sample of all.
int j2k_entries();
int j2k_small_entries();
J2kEntry j2k_entry(int index);
std::string j2k_entry_text(int index);  // without making its picture

// Targets of bytes are in thousandths of the samples' bytes: makes them what they say, beside what
// headers take at least. For J2kArray::at()'s params.
void resolve_bytes(j2k::EncoderParams *params);

}  // namespace coalesce::test
