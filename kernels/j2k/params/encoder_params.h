// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that decides what a codestream looks like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/status.h"
#include "../codestream/coding_params.h"
#include "layer_budget.h"

namespace coalesce::j2k {

// Where a tile is cut into tile-parts: between packets that differ in it.
enum class TileParts : std::uint8_t { one, resolution, layer, component };

constexpr int kMaxTileParts = 255;  // of a tile
constexpr int kMaxLayers = 65535;
constexpr int kMaxComment = 65530;

struct EncoderParams {
  CodingParams coding;
  Wavelet wavelet = Wavelet::reversible_53;
  bool colour_transform = false;  // RCT or ICT: the first three components are R, G, B
  int guard_bits = 2;
  double base_step = 0.5;  // 9/7: QuantiserParams
  bool derived = false;    // 9/7: QuantiserParams
  bool visual_weighting = false;
  unsigned block_style = 0;  // of BlockStyle
  Progression progression = Progression::lrcp;
  bool largest_last = false;  // the packets of the largest resolution behind all others (POC)
  TileParts tile_parts = TileParts::one;
  int layers = 1;
  // Empty: everything is in the first layer. Or one for each layer; `bytes` are those of the whole
  // codestream, SOC to EOC, if it had the layers up to this one only: never exceeded by the last.
  std::vector<LayerBudget> targets;
  // If it is not 0: that many bytes at most for the tile-parts of each component, whatever the
  // target of the layer, of which there is one, would like. For TileParts::component.
  std::uint64_t component_bytes = 0;
  Rect roi;                   // of the reference grid: has all its bit-planes first; or empty
  bool sop = false;           // a marker before each packet
  bool eph = false;           // a marker behind each packet header
  bool plt = false;           // the lengths of the packets, before each tile-part
  bool tlm = false;           // the lengths of the tile-parts, at the beginning
  std::uint16_t profile = 0;  // Rsiz
  std::string comment;        // Latin-1; empty: none
};

// EncoderParams::targets, which are not empty.
Status check_targets(const std::vector<LayerBudget> &targets, int layers);

// Can an encoder of the one have the targets of the other (Encoder::set_targets())? All else is the
// same, and both have targets.
bool differ_in_targets_only(const EncoderParams &a, const EncoderParams &b);

}  // namespace coalesce::j2k
