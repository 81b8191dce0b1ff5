// SPDX-License-Identifier: LGPL-2.1-or-later
// The decoders of others that judge the covering array, each with what is known to be wrong with
// it.
#pragma once

#include <climits>
#include <cstdint>
#include <vector>

#include "../array/j2k_array.h"
#include "../codestream/j2k_markers.h"
#include "j2k_decoded.h"

namespace coalesce::test {

// An entry of the array, coded.
struct JudgedStream {
  J2kEntry entry;
  std::vector<std::uint8_t> bytes;
  Stream stream;     // its markers
  bool lossless;     // what is decoded is the picture again
  Decoded expected;  // the picture; or what the tests' own decoder makes of the bytes

  const j2k::EncoderParams &params() const { return entry.params; }
};

// Why a decoder need not decode what is right.
struct KnownFault {
  const char *what;
  const char *says;                   // part of what the decoder says then; nullptr: it may not
  bool (*has)(const JudgedStream &);  // whether the codestream is of this kind
  int most = INT_MAX;                 // samples differ by no more
  bool judges = false;                // `has` had it judge all the same
};

struct Judge {
  const char *name;
  bool (*here)();
  Decoded (*decode)(const JudgedStream &);
  int lossy_deep;  // with loss, samples of more than 14 bits differ by so much; others by 1
  std::vector<KnownFault> faults;
};

const std::vector<Judge> &judges();

// The largest difference from what is expected that is still the same.
int tolerance(const Judge &judge, const JudgedStream &coded);

struct Verdict {
  bool agrees = false;                // the samples are right
  const KnownFault *fault = nullptr;  // it is known that they are not, or what it complains of
  int difference = 0;
  std::string complaint;

  bool judged() const { return agrees || (fault != nullptr && fault->judges); }
  bool is_known() const { return (agrees && complaint.empty()) || fault != nullptr; }
};
Verdict ask(const Judge &judge, const JudgedStream &coded, Decoded *decoded);

}  // namespace coalesce::test
