// SPDX-License-Identifier: LGPL-2.1-or-later
// Tier-2 on a CUDA stream: from blocks and layers to the codestream, all in device memory. See
// docs/jpeg2000.md. Everything is enqueued; nothing allocates or waits.
#pragma once

#include <cstdint>

#include "../../core/status.h"
#include "packet_format.h"

namespace coalesce::j2k {

// Tables and scratch memory (PacketTables) and a frame, all of them in device memory. The layers
// must be as Encoder::write() wants them: never fewer passes than in the layer before, nor more
// than the block has.
struct PacketJob {
  PacketFormat format;
  PacketScratch scratch;
  PacketInput input;
};

// The codestream, to `out`, which has room for so many bytes. Its length, or what is wrong, is then
// in PacketScratch::result.
Status packets_cuda(const PacketJob &job, std::uint8_t *out, std::uint64_t room, void *stream);

// The same in its three stages: headers, and how long everything is; where it goes, and main header
// and EOC; all the rest.
Status make_headers_cuda(const PacketJob &job, void *stream);
Status lay_out_packets_cuda(const PacketJob &job, std::uint8_t *out, std::uint64_t room,
                            void *stream);
Status write_packets_cuda(const PacketJob &job, std::uint8_t *out, void *stream);

// What HeaderCounter::count() says for what `asked` says: to bytes, of which there are
// kMaxComponents. Both are in device memory; bytes stay what they are if nobody asks. Layers behind
// need not be known. Calls come in the order of layers, the last one for each with what it stays to
// be; a first layer may come again at any time.
Status count_headers_cuda(const PacketJob &job, const HeadersAsked *asked, std::uint64_t *bytes,
                          void *stream);

}  // namespace coalesce::j2k
