// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kencproperties.h"

#include "coding/framecoding.h"
#include "j2k/canvas/code_block.h"
#include "object/propertytable.h"

namespace coalesce::gst {
namespace {

GType wavelet_type() {
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

GType progression_type() {
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

GType block_style_type() {
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

GType profile_type() {
  using j2k::Profile;
  static const GEnumValue values[] = {
      {int(Profile::none), "No profile", "none"},
      {int(Profile::cinema_2k), "Digital cinema 2K: up to 2048x1080, X'Y'Z' with 12 bits",
       "cinema-2k"},
      {int(Profile::cinema_4k), "Digital cinema 4K: up to 4096x2160, X'Y'Z' with 12 bits",
       "cinema-4k"},
      {int(Profile::broadcast_single),
       "Broadcast, one tile: 8 to 12 bits, up to 520 million samples and 800 Mbit a second",
       "broadcast-single"},
      {int(Profile::broadcast_multi),
       "Broadcast, 2x2 tiles by default: 8 to 12 bits, up to 520 million samples and 800 Mbit a "
       "second",
       "broadcast-multi"},
      {int(Profile::imf_2k), "Interoperable Master Format 2K: up to 2048x1556", "imf-2k"},
      {int(Profile::imf_4k), "Interoperable Master Format 4K: up to 4096x3112", "imf-4k"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstJ2kEncProfile", values);
  return type;
}

#define ONE_RATE "(0 = not set; set one of bpp, bitrate, frame-size, psnr, quality at most)"

// What can be another for each frame at no cost is controllable.
constexpr int kFlags = G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING;

using S = J2kSettings;
using Table = PropertyTable<S>;

void add_lossless(Table *table) {
  const auto describe = [] {
    return g_param_spec_boolean("lossless", "Lossless",
                                "Lossless coding. If not set: true without a rate and a profile, "
                                "else false. If set to true, rates, profiles and 9/7 are errors",
                                TRUE, static_cast<GParamFlags>(kFlags | G_PARAM_STATIC_STRINGS));
  };
  table->add(
      describe, [](const S &s, GValue *value) { g_value_set_boolean(value, j2k_is_lossless(s)); },
      [](S *s, const GValue *value) {
        s->lossless = g_value_get_boolean(value) != FALSE;
        return true;
      });
}

void add_choices_and_rates(Table *table) {
  table->add(&S::wavelet, {"wavelet", "Wavelet", "Wavelet transform"}, wavelet_type());
  table->set_flags(kFlags | GST_PARAM_CONTROLLABLE);
  table->add(&S::bpp,
             {"bpp", "Bits per pixel", "Maximum rate of every frame in bits per pixel " ONE_RATE},
             0, kJ2kMostBpp);
  table->add(&S::bitrate, {"bitrate", "Bit rate",
                           "Maximum rate in kbit/s, the same number of bytes for every frame; "
                           "requires a framerate " ONE_RATE});
  table->add(
      &S::frame_size,
      {"frame-size", "Frame size",
       "Maximum size of every encoded frame in bytes, headers and boxes included " ONE_RATE});
  table->add(&S::psnr,
             {"psnr", "PSNR",
              "Target peak signal-to-noise ratio in dB, estimated while encoding, without "
              "decoding " ONE_RATE},
             0, 200);
  table->set_flags(kFlags);
  table->add(&S::progression,
             {"progression-order", "Progression order",
              "Order of the packets, named from the slowest to the fastest index"},
             progression_type());
  table->add(&S::block_style,
             {"code-block-style", "Code-block style",
              "Coding options of the code-blocks, joined by +, as in bypass+termall"},
             block_style_type());
  table->add(&S::profile,
             {"profile", "Profile",
              "Application profile: sets properties left at their defaults, limits the rate, "
              "requires a framerate, refuses settings outside the profile"},
             profile_type());
}

void add_numbers(Table *table) {
  table->add(&S::quality,
             {"quality", "Quality",
              "Quantiser quality for the 9/7 wavelet, 1 to 100: at 100 the step is about half an "
              "8-bit sample value, and 12.5 less double it " ONE_RATE},
             0, 100);
  table->add(&S::num_layers,
             {"num-layers", "Quality layers",
              "Number of quality layers; a decoder can stop after any of them"},
             1, j2k::kMaxLayers);
  table->add(&S::num_resolutions,
             {"num-resolutions", "Resolutions",
              "Number of resolutions, each half the size of the next: wavelet decomposition levels "
              "plus 1"},
             1, j2k::kMaxResolutions);
  table->add(&S::tile_width, {"tile-width", "Tile width", "Tile width in pixels (0 = image width)"},
             0, G_MAXINT);
  table->add(&S::tile_height,
             {"tile-height", "Tile height", "Tile height in pixels (0 = image height)"}, 0,
             G_MAXINT);
  table->add(&S::block_width,
             {"code-block-width", "Code-block width",
              "Code-block width in samples: a power of two, with a product of width and height up "
              "to 4096"},
             4, j2k::kMaxBlockSide);
  table->add(&S::block_height,
             {"code-block-height", "Code-block height",
              "Code-block height in samples: a power of two, with a product of width and height up "
              "to 4096"},
             4, j2k::kMaxBlockSide);
  table->add(&S::guard_bits,
             {"guard-bits", "Guard bits",
              "Number of guard bits: bit-planes for coefficients beyond the nominal range"},
             0, 7);
  table->add(&S::frames_in_flight,
             {"frames-in-flight", "Frames in flight",
              "Number of frames that the GPU encodes at once (0 = up to 4, within half of the free "
              "device memory). All but one add to the reported latency. No effect on the CPU"},
             0, kMostFramesInFlight);
}

void add_markers_and_texts(Table *table) {
  table->add(&S::visual_weighting,
             {"visual-weighting", "Visual weighting",
              "Weight errors by visibility, so that fine detail and chroma are discarded first. "
              "Requires bpp, bitrate, frame-size, psnr, a profile or several layers"});
  table->add(&S::sop, {"sop", "SOP markers", "Write an SOP marker segment before each packet"});
  table->add(&S::eph, {"eph", "EPH markers", "Write an EPH marker after each packet header"});
  table->add(&S::plt,
             {"plt", "PLT markers", "Write the packet lengths (PLT) into the tile-part headers"});
  table->add(&S::tlm,
             {"tlm", "TLM marker", "Write the tile-part lengths (TLM) into the main header"});
  table->add(&S::layer_rates,
             {"layer-rates", "Layer rates",
              "Rates of all layers but the last in bits per pixel, each including the layers "
              "before it, as in \"0.25 0.5\" (empty = evenly spaced on a logarithmic scale)"});
  table->add(&S::precincts,
             {"precincts", "Precincts",
              "Precinct sizes as in \"256x256 128x128\": powers of two, the largest resolution "
              "first, the last size for all smaller resolutions (empty = 32768x32768)"});
  table->add(&S::roi, {"roi", "Region of interest",
                       "Region of interest as \"x,y,width,height\" in pixels of the frame, coded "
                       "first by the max-shift method (empty = none)"});
  table->add(&S::comment,
             {"comment", "Comment",
              "Comment in the main header, in Latin-1, up to 65530 bytes (empty = none)"});
}

const Table &properties() {
  static const auto table = [] {
    Table table;
    table.set_flags(kFlags);
    for (auto add : {add_lossless, add_choices_and_rates, add_numbers, add_markers_and_texts})
      add(&table);
    return table;
  }();
  return table;
}

}  // namespace

void j2k_install_properties(GObjectClass *klass) {
  properties().install(klass);
  for (GType type : {wavelet_type(), progression_type(), block_style_type(), profile_type()})
    gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
}

bool j2k_set_property(Settings<J2kSettings> *settings, guint id, const GValue *value) {
  constexpr guint kLossless = 1;
  bool turned = false;
  settings->change([&](J2kSettings &s) {
    const bool lossless = j2k_is_lossless(s);
    properties().set(id, &s, value);
    turned = id != kLossless && lossless != j2k_is_lossless(s);
    return true;
  });
  return turned;
}

void j2k_get_property(const Settings<J2kSettings> &settings, guint id, GValue *value) {
  settings.read([&](const J2kSettings &s) { properties().get(id, s, value); });
}

}  // namespace coalesce::gst
