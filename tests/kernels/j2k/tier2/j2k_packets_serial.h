// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA kernels of Tier-2 do, one thread after the other: for machines without a GPU.
#pragma once

#include "j2k/tier2/packet_format.h"

namespace coalesce::test {

// As packets_cuda() and count_headers_cuda(), on memory of the host.
void packets_serial(const j2k::PacketFormat &format, const j2k::PacketScratch &scratch,
                    const j2k::PacketInput &input, std::uint8_t *out, std::uint64_t room);
void count_headers_serial(const j2k::PacketFormat &format, const j2k::PacketScratch &scratch,
                          const j2k::PacketInput &input, const j2k::HeadersAsked &asked,
                          std::uint64_t *bytes);

}  // namespace coalesce::test
