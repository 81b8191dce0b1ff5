// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_packets_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// The true kernels, with something wrong in what they are told.

template <class T>
T *in_image(const PacketTables &tables, PacketFrame *frame, const T *at) {
  const auto offset = reinterpret_cast<const std::uint8_t *>(at) - tables.image().data();
  return reinterpret_cast<T *>(frame->image.data() + offset);
}

void one_segment(const PacketTables &, PacketFrame *frame) {
  frame->format.one_segment = true;
}

void no_eph(const PacketTables &, PacketFrame *frame) {
  frame->format.eph = false;
}

void one_zero_plane_less(const PacketTables &, PacketFrame *frame) {
  for (CodedBlock &block : frame->coded)
    if (block.zero_planes > 0) --block.zero_planes;
}

void turned_trees(const PacketTables &tables, PacketFrame *frame) {
  FlatBand *bands = in_image(tables, frame, frame->format.bands);
  for (std::uint32_t i = 0; i < frame->format.num_bands; ++i)
    std::swap(bands[i].wide, bands[i].high);
}

void other_bytes(const PacketTables &, PacketFrame *frame) {
  if (!frame->plan.empty()) frame->plan.back().first_byte /= 2;
}

void sop_goes_on(const PacketTables &tables, PacketFrame *frame) {
  FlatPart *parts = in_image(tables, frame, frame->format.parts);
  for (std::uint32_t i = 0; i < frame->format.num_parts; ++i)
    parts[i].tile_packet = 0;
}

void first_tlm_only(const PacketTables &tables, PacketFrame *frame) {
  FlatPart *parts = in_image(tables, frame, frame->format.parts);
  for (std::uint32_t i = 1; i < frame->format.num_parts; ++i)
    parts[i].tlm = parts[0].tlm;
}

void headers_of_others(const PacketTables &tables, PacketFrame *frame) {
  FlatPrecinct *precincts = in_image(tables, frame, frame->format.precincts);
  for (std::uint32_t i = 0; i < frame->format.num_precincts; ++i)
    precincts[i].component ^= 1;
}

void add(const char *name, const PacketDamage &damage, std::vector<PlantedBug> *bugs) {
  for (const bool cuda : {false, true})
    bugs->push_back({name, cuda, [damage](Random &random, int index, const Backend &backend) {
                       return j2k_packets_trial(damage, random, index, backend);
                     }});
}

}  // namespace

std::vector<PlantedBug> j2k_packets_planted() {
  std::vector<PlantedBug> bugs;
  add("j2k-packets, lengths of whole runs where there are segments", one_segment, &bugs);
  add("j2k-packets, without EPH", no_eph, &bugs);
  add("j2k-packets, a zero plane less", one_zero_plane_less, &bugs);
  add("j2k-packets, tag trees that lie on their side", turned_trees, &bugs);
  add("j2k-packets, the last block's bytes from elsewhere", other_bytes, &bugs);
  add("j2k-packets, SOP counts on in the next tile", sop_goes_on, &bugs);
  add("j2k-packets, one entry of TLM for all", first_tlm_only, &bugs);
  add("j2k-packets, headers counted for another component", headers_of_others, &bugs);
  return bugs;
}

}  // namespace coalesce::test
