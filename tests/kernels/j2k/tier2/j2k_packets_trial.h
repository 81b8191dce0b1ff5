// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstring>
#include <optional>

#include "../../../support/device.h"
#include "../../check.h"
#include "j2k/encoder/packet_tables.h"
#include "j2k/tier2/packets_cuda.h"
#include "j2k_made_blocks.h"

namespace coalesce::test {

// Memory of a back end.
class BackendMemory {
 public:
  BackendMemory(std::size_t bytes, bool cuda) : host_(cuda ? 0 : bytes) {
    if (cuda) device_.emplace(bytes);
  }
  template <class T>
  BackendMemory(const std::vector<T> &list, bool cuda)
      : BackendMemory(std::max(list.size() * sizeof(T), std::size_t{1}), cuda) {
    if (cuda && !list.empty())
      device_->upload(list.data());
    else if (!list.empty())
      std::memcpy(host_.data(), list.data(), host_.size());
  }
  std::uint8_t *data() { return device_ ? device_->data() : host_.data(); }
  template <class T>
  T *as() {
    return reinterpret_cast<T *>(data());
  }
  // Waits.
  std::vector<std::uint8_t> bytes() const {
    if (!device_) return host_;
    std::vector<std::uint8_t> all(device_->size());
    device_->download(all.data());
    return all;
  }
  // What it begins with. Waits.
  template <class T>
  T first() const {
    T value;
    if (device_)
      device_->download(&value, sizeof value);
    else
      std::memcpy(&value, host_.data(), sizeof value);
    return value;
  }

 private:
  std::vector<std::uint8_t> host_;
  std::optional<DeviceMemory> device_;
};

// What Tier-2 works on, on the host, before it goes where the back end wants it: planted bugs
// change it.
struct PacketFrame {
  j2k::PacketFormat format;  // of PacketTables::image()
  std::vector<std::uint8_t> image;
  std::vector<j2k::BlockPlan> plan;
  std::vector<j2k::CodedBlock> coded;
};
PacketFrame frame_of(const j2k::PacketTables &tables, const MadeBlocks &made);
using PacketDamage = std::function<void(const j2k::PacketTables &tables, PacketFrame *frame)>;

// The frame in a back end's memory, with room for what is made of it.
struct PlacedPackets {
  BackendMemory image, plan, coded, passes, bytes, layers, scratch, out;
  j2k::PacketJob job;

  PlacedPackets(const MadeBlocks &made, const j2k::PacketTables &tables, const PacketFrame &frame,
                const std::vector<std::uint8_t> &out_memory, bool cuda);
};

std::string j2k_packets_trial(const PacketDamage &damage, Random &random, int index,
                              const Backend &backend);
std::vector<PlantedBug> j2k_packets_planted();
}  // namespace coalesce::test
