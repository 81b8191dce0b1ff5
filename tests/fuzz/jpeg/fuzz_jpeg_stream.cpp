// SPDX-License-Identifier: LGPL-2.1-or-later
// Where coalescejpegdec finds pictures in a stream: at the same places, however it is cut. The
// first byte is the size of the pieces, the second the caps' height, the others are the stream.
#include <vector>

#include "../fuzz.h"
#include "coalescejpegdec/jpegframing.h"

namespace coalesce::test {
namespace {

using gst::JpegFraming;

void expect_alike(const JpegFraming &whole, const JpegFraming &cut, bool ended) {
  DEMAND(whole.has_begun() == cut.has_begun(), "one has begun, at %zu", whole.begin());
  DEMAND(whole.begin() == cut.begin(), "begin %zu, and cut %zu", whole.begin(), cut.begin());
  DEMAND(whole.end() == cut.end(), "end %zu, and cut %zu", whole.end(), cut.end());
  DEMAND(whole.second() == cut.second(), "second %zu, cut %zu", whole.second(), cut.second());
  DEMAND(whole.hints().height == cut.hints().height, "height %d, and cut %d", whole.hints().height,
         cut.hints().height);
  DEMAND(whole.hints().polarity == cut.hints().polarity, "another polarity");
  if (!ended) return;
  DEMAND(whole.begin() + 2 <= whole.end() && whole.end() <= whole.seen(), "%zu to %zu of %zu",
         whole.begin(), whole.end(), whole.seen());
}

// Picture after picture, each with framing of its own, as the element has it.
void find_pictures(const std::vector<std::uint8_t> &stream, std::size_t piece, int height) {
  for (std::size_t at = 0; at < stream.size();) {
    const std::uint8_t *data = stream.data() + at;
    const std::size_t bytes = stream.size() - at;
    JpegFraming whole(height), cut(height);
    const bool ended = whole.look_at(data, bytes);
    bool cut_ended = false;
    for (std::size_t from = 0; from < bytes && !cut_ended; from += piece) {
      // Memory of its own, with nothing behind the last byte.
      const std::vector<std::uint8_t> part(data + from, data + std::min(bytes, from + piece));
      cut_ended = cut.look_at(part.data(), part.size());
    }
    DEMAND(ended == cut_ended, "only one of them has ended");
    expect_alike(whole, cut, ended);
    if (!ended) return;
    at += whole.end();
  }
}

}  // namespace
}  // namespace coalesce::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size < 2) return 0;
  coalesce::test::find_pictures({data + 2, data + size}, std::size_t{data[0]} + 1, data[1]);
  return 0;
}
