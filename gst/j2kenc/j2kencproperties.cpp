// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kencproperties.h"

#include "base/propertytable.h"

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
      {int(Profile::broadcast_single), "Broadcast, single tile", "broadcast-single"},
      {int(Profile::broadcast_multi), "Broadcast, 2x2 tiles by default", "broadcast-multi"},
      {int(Profile::imf_2k), "Interoperable Master Format 2K: up to 2048x1556", "imf-2k"},
      {int(Profile::imf_4k), "Interoperable Master Format 4K: up to 4096x3112", "imf-4k"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstJ2kEncProfile", values);
  return type;
}

constexpr auto kFlags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                 GST_PARAM_MUTABLE_PLAYING);
// What can be another for each frame at no cost.
constexpr auto kTarget = static_cast<GParamFlags>(kFlags | GST_PARAM_CONTROLLABLE);

template <class T>
struct Property {
  const char *name, *nick, *blurb;
  T J2kSettings::*field;
};

struct IntProperty : Property<int> {
  int least, most;
};

#define ONE_RATE "(0 = not set; set one of bpp, bitrate, frame-size, psnr, quality at most)"

constexpr IntProperty kInts[] = {
    {{"quality", "Quality",
      "Quantiser quality for the 9/7 wavelet, 1 to 100: at 100 the step is about half an 8-bit "
      "sample value, and 12.5 less double it " ONE_RATE,
      &J2kSettings::quality},
     0,
     100},
    {{"num-layers", "Quality layers",
      "Number of quality layers; a decoder can stop after any of them", &J2kSettings::num_layers},
     1,
     j2k::kMaxLayers},
    {{"num-resolutions", "Resolutions",
      "Number of resolutions, each half the size of the next: wavelet decomposition levels plus 1",
      &J2kSettings::num_resolutions},
     1,
     j2k::kMaxResolutions},
    {{"tile-width", "Tile width", "Tile width in pixels (0 = image width)",
      &J2kSettings::tile_width},
     0,
     G_MAXINT},
    {{"tile-height", "Tile height", "Tile height in pixels (0 = image height)",
      &J2kSettings::tile_height},
     0,
     G_MAXINT},
    {{"code-block-width", "Code-block width",
      "Code-block width in samples: a power of two, with a product of width and height up to 4096",
      &J2kSettings::block_width},
     4,
     j2k::kMaxBlockSide},
    {{"code-block-height", "Code-block height",
      "Code-block height in samples: a power of two, with a product of width and height up to 4096",
      &J2kSettings::block_height},
     4,
     j2k::kMaxBlockSide},
    {{"guard-bits", "Guard bits",
      "Number of guard bits: bit-planes for coefficients beyond the nominal range",
      &J2kSettings::guard_bits},
     0,
     7},
    {{"frames-in-flight", "Frames in flight",
      "Number of frames that the GPU encodes at once (0 = up to 4, within half of the free device "
      "memory). All but one add to the reported latency. No effect on the CPU",
      &J2kSettings::frames_in_flight},
     0,
     kJ2kMostInFlight},
};

constexpr Property<bool> kBools[] = {
    {"visual-weighting", "Visual weighting",
     "With a rate: weight errors by visibility, so that fine detail and chroma are discarded first",
     &J2kSettings::visual_weighting},
    {"sop", "SOP markers", "Write an SOP marker segment before each packet", &J2kSettings::sop},
    {"eph", "EPH markers", "Write an EPH marker after each packet header", &J2kSettings::eph},
    {"plt", "PLT markers", "Write the packet lengths (PLT) into the tile-part headers",
     &J2kSettings::plt},
    {"tlm", "TLM marker", "Write the tile-part lengths (TLM) into the main header",
     &J2kSettings::tlm},
};

constexpr Property<std::string> kTexts[] = {
    {"layer-rates", "Layer rates",
     "Rates of all layers but the last in bits per pixel, each including the layers before it, as "
     "in \"0.25 0.5\" (empty = evenly spaced on a logarithmic scale)",
     &J2kSettings::layer_rates},
    {"precincts", "Precincts",
     "Precinct sizes as in \"256x256 128x128\": powers of two, the largest resolution first, the "
     "last size for all smaller resolutions (empty = 32768x32768)",
     &J2kSettings::precincts},
    {"roi", "Region of interest",
     "Region of interest as \"x,y,width,height\" in pixels of the frame, coded first by the "
     "max-shift method (empty = none)",
     &J2kSettings::roi},
    {"comment", "Comment",
     "Comment in the main header, in Latin-1, up to 65530 bytes (empty = none)",
     &J2kSettings::comment},
};

void add_lossless(PropertyTable<J2kSettings> *table) {
  GParamSpec *spec =
      g_param_spec_boolean("lossless", "Lossless",
                           "Lossless coding. If not set: true without a rate and a profile, "
                           "else false. If set to true, rates, profiles and 9/7 are errors",
                           TRUE, kFlags);
  table->add(
      spec,
      [](const J2kSettings &s, GValue *value) { g_value_set_boolean(value, j2k_is_lossless(s)); },
      [](J2kSettings *s, const GValue *value) {
        s->lossless = g_value_get_boolean(value) != FALSE;
        return true;
      });
}

void add_choices_and_rates(PropertyTable<J2kSettings> *table) {
  using S = J2kSettings;
  table->add(&S::wavelet, g_param_spec_enum("wavelet", "Wavelet", "Wavelet transform",
                                            wavelet_type(), int(J2kWavelet::automatic), kFlags));
  table->add(&S::bpp, g_param_spec_double("bpp", "Bits per pixel",
                                          "Maximum rate of every frame in bits per pixel " ONE_RATE,
                                          0, kJ2kMostBpp, 0, kTarget));
  // (To G_MAXINT: a negative text would be read as a number above it.)
  table->add(&S::bitrate,
             g_param_spec_uint("bitrate", "Bit rate",
                               "Maximum rate in kbit/s, the same number of bytes for every frame; "
                               "requires a framerate " ONE_RATE,
                               0, G_MAXINT, 0, kTarget));
  table->add(&S::frame_size,
             g_param_spec_uint("frame-size", "Frame size",
                               "Maximum size of every encoded frame in bytes, headers and boxes "
                               "included " ONE_RATE,
                               0, G_MAXINT, 0, kTarget));
  table->add(&S::psnr,
             g_param_spec_double("psnr", "PSNR",
                                 "Target peak signal-to-noise ratio in dB, estimated while "
                                 "encoding, without decoding " ONE_RATE,
                                 0, 200, 0, kTarget));
  table->add(&S::progression,
             g_param_spec_enum("progression-order", "Progression order",
                               "Order of the packets, named from the slowest to the fastest index",
                               progression_type(), int(j2k::Progression::lrcp), kFlags));
  table->add(&S::block_style,
             g_param_spec_flags("code-block-style", "Code-block style",
                                "Coding options of the code-blocks, joined by +, as in "
                                "bypass+termall",
                                block_style_type(), 0, kFlags));
  table->add(&S::profile,
             g_param_spec_enum("profile", "Profile",
                               "Application profile: sets properties left at their defaults, "
                               "limits the rate, requires a framerate, refuses settings outside "
                               "the profile",
                               profile_type(), int(j2k::Profile::none), kFlags));
}

const PropertyTable<J2kSettings> &properties() {
  static const auto table = [] {
    const J2kSettings defaults;
    PropertyTable<J2kSettings> table;
    add_lossless(&table);
    add_choices_and_rates(&table);
    for (const IntProperty &p : kInts)
      table.add(p.field, g_param_spec_int(p.name, p.nick, p.blurb, p.least, p.most,
                                          defaults.*p.field, kFlags));
    for (const auto &p : kBools)
      table.add(p.field, g_param_spec_boolean(p.name, p.nick, p.blurb, defaults.*p.field, kFlags));
    for (const auto &p : kTexts)
      table.add(p.field, g_param_spec_string(p.name, p.nick, p.blurb, "", kFlags));
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
