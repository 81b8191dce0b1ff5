// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenctypes.h"

#include "j2k/profile.h"
#include "j2kencsettings.h"

namespace coalesce::gst {

GType j2k_wavelet_type() {
  static const GEnumValue values[] = {
      {int(J2kWavelet::automatic),
       "5/3 if lossless, otherwise 9/7; with a profile, the profile's wavelet", "auto"},
      {int(J2kWavelet::reversible_53), "Reversible 5/3: lossless without a rate, lossy with a rate",
       "5/3"},
      {int(J2kWavelet::irreversible_97),
       "Irreversible 9/7: always lossy, higher quality than 5/3 at the same rate", "9/7"},
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
      {j2k::kBypass, "Raw bits in most passes of the lower bit-planes: faster, slightly larger",
       "bypass"},
      {j2k::kReset, "Reset the context probabilities after every pass", "reset"},
      {j2k::kTermAll, "Terminate the codeword segment after every pass", "termall"},
      {j2k::kCausal, "Vertically causal contexts: none depends on the next stripe", "causal"},
      {j2k::kPredictable, "Predictable termination, for error detection in decoders",
       "predictable-termination"},
      {j2k::kSegmentationSymbols, "A known symbol after every bit-plane, for error detection",
       "segmentation-symbols"},
      {0, nullptr, nullptr}};
  static const GType type = g_flags_register_static("GstJ2kEncCodeBlockStyle", values);
  return type;
}

GType j2k_profile_type() {
  using j2k::Profile;
  static const GEnumValue values[] = {
      {int(Profile::none), "No profile", "none"},
      {int(Profile::cinema_2k), "Digital cinema 2K: up to 2048x1080, X'Y'Z' with 12 bits",
       "cinema-2k"},
      {int(Profile::cinema_4k), "Digital cinema 4K: up to 4096x2160, X'Y'Z' with 12 bits",
       "cinema-4k"},
      {int(Profile::broadcast_single), "Broadcast, single tile", "broadcast-single"},
      {int(Profile::broadcast_multi), "Broadcast, 2x2 tiles by default", "broadcast-multi"},
      {int(Profile::imf_2k), "Interoperable Master Format 2K: up to 2048x1556", "imf-2k"},
      {int(Profile::imf_4k), "Interoperable Master Format 4K: up to 4096x3112", "imf-4k"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstJ2kEncProfile", values);
  return type;
}

}  // namespace coalesce::gst
