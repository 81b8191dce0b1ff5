// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that decides what a codestream looks like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/status.h"
#include "../canvas/code_block.h"
#include "../canvas/geometry.h"
#include "../transform/quantiser.h"
#include "layer_budget.h"

namespace coalesce::j2k {

// In which order packets come (T.800 B.12, Table A.16): Layer, Resolution, Component, Position.
enum class Progression : std::uint8_t { lrcp, rlcp, rpcl, pcrl, cprl };

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
  std::vector<LayerTarget> targets;
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

// The text names the parameter.
Status check_params(const EncoderParams &params);
// EncoderParams::targets, which are not empty.
Status check_targets(const std::vector<LayerTarget> &targets, int layers);

// Can an encoder of the one have the targets of the other (Encoder::set_targets())? All else is the
// same, and both have targets.
bool differ_in_targets_only(const EncoderParams &a, const EncoderParams &b);

// A base step for rate allocation, which cuts the planes that are not needed: fine, and the same
// for grey and for the luma of R, G, B. (Where others have it, too, times a power of two, PSNRs are
// comparable at every rate: they ripple with what the planes' steps happen to be.)
double fine_base_step(bool colour_transform);

// The quantiser's view of a component.
QuantiserParams quantiser_params(const EncoderParams &params, int component);

}  // namespace coalesce::j2k
