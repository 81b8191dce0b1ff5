// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenctypes.h"

#include "j2k/profile.h"
#include "j2kencsettings.h"

namespace coalesce::gst {

GType j2k_wavelet_type() {
  static const GEnumValue values[] = {
      {int(J2kWavelet::automatic), "5/3 if lossless, else 9/7", "auto"},
      {int(J2kWavelet::reversible_53), "5/3: lossless as long as nothing is left out", "5/3"},
      {int(J2kWavelet::irreversible_97), "9/7: better at any rate", "9/7"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstJ2kEncWavelet", values);
  return type;
}

GType j2k_progression_type() {
  static const GEnumValue values[] = {
      {int(j2k::Progression::lrcp), "Layer, resolution, component, position", "lrcp"},
      {int(j2k::Progression::rlcp), "Resolution, layer, component, position", "rlcp"},
      {int(j2k::Progression::rpcl), "Resolution, position, component, layer", "rpcl"},
      {int(j2k::Progression::pcrl), "Position, component, resolution, layer", "pcrl"},
      {int(j2k::Progression::cprl), "Component, position, resolution, layer", "cprl"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstJ2kEncProgressionOrder", values);
  return type;
}

GType j2k_block_style_type() {
  static const GFlagsValue values[] = {
      {j2k::kBypass, "Raw bits in most passes of the low bit-planes", "bypass"},
      {j2k::kReset, "Contexts begin anew with every pass", "reset"},
      {j2k::kTermAll, "Every pass is a segment of its own", "termall"},
      {j2k::kCausal, "Contexts do not look into the next stripe", "causal"},
      {j2k::kPredictable, "Segments end so that a decoder notices errors",
       "predictable-termination"},
      {j2k::kSegmentationSymbols, "A known symbol behind every bit-plane", "segmentation-symbols"},
      {0, nullptr, nullptr}};
  static const GType type = g_flags_register_static("GstJ2kEncCodeBlockStyle", values);
  return type;
}

GType j2k_profile_type() {
  using j2k::Profile;
  static const GEnumValue values[] = {
      {int(Profile::none), "As the properties say", "none"},
      {int(Profile::cinema_2k), "Digital cinema, up to 2048x1080: X'Y'Z' of 12 bits", "cinema-2k"},
      {int(Profile::cinema_4k), "The same, up to 4096x2160", "cinema-4k"},
      {int(Profile::broadcast_single), "Broadcast, one tile", "broadcast-single"},
      {int(Profile::broadcast_multi), "Broadcast, four tiles", "broadcast-multi"},
      {int(Profile::imf_2k), "Interoperable Master Format, up to 2048x1556", "imf-2k"},
      {int(Profile::imf_4k), "The same, up to 4096x3112", "imf-4k"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstJ2kEncProfile", values);
  return type;
}

}  // namespace coalesce::gst
