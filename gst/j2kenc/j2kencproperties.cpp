// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties: their descriptions, and their values.
#include <iterator>

#include "core/guarded.h"
#include "core/objectlock.h"
#include "j2kencstate.h"
#include "j2kenctypes.h"

namespace coalesce::gst {
namespace {

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

enum : guint {
  PROP_0,
  PROP_LOSSLESS,
  PROP_WAVELET,
  PROP_BPP,
  PROP_BITRATE,
  PROP_FRAME_SIZE,
  PROP_PSNR,
  PROP_PROGRESSION_ORDER,
  PROP_CODE_BLOCK_STYLE,
  PROP_PROFILE,
  PROP_FIRST_INT,
  PROP_FIRST_BOOL = PROP_FIRST_INT + std::size(kInts),
  PROP_FIRST_TEXT = PROP_FIRST_BOOL + std::size(kBools),
  PROP_END = PROP_FIRST_TEXT + std::size(kTexts)
};

// ---- descriptions ----------------------------------------------------------------------------

void install_rates(GObjectClass *klass) {
  const auto install = [klass](guint id, GParamSpec *pspec) {
    g_object_class_install_property(klass, id, pspec);
  };
  install(PROP_LOSSLESS,
          g_param_spec_boolean("lossless", "Lossless",
                               "Lossless coding. If not set: true without a rate and a profile, "
                               "else false. If set to true, rates, profiles and 9/7 are errors",
                               TRUE, kFlags));
  install(PROP_BPP, g_param_spec_double("bpp", "Bits per pixel",
                                        "Maximum rate of every frame in bits per pixel " ONE_RATE,
                                        0, kJ2kMostBpp, 0, kTarget));
  install(PROP_BITRATE,
          // (To G_MAXINT: a negative text would be read as a number above it.)
          g_param_spec_uint("bitrate", "Bit rate",
                            "Maximum rate in kbit/s, the same number of bytes for every frame; "
                            "requires a framerate " ONE_RATE,
                            0, G_MAXINT, 0, kTarget));
  install(PROP_FRAME_SIZE,
          g_param_spec_uint("frame-size", "Frame size",
                            "Maximum size of every encoded frame in bytes, headers and boxes "
                            "included " ONE_RATE,
                            0, G_MAXINT, 0, kTarget));
  install(PROP_PSNR, g_param_spec_double("psnr", "PSNR",
                                         "Target peak signal-to-noise ratio in dB, estimated while "
                                         "encoding, without decoding " ONE_RATE,
                                         0, 200, 0, kTarget));
}

void install_enums(GObjectClass *klass) {
  const auto install = [klass](guint id, GParamSpec *pspec) {
    g_object_class_install_property(klass, id, pspec);
  };
  install(PROP_WAVELET, g_param_spec_enum("wavelet", "Wavelet", "Wavelet transform",
                                          j2k_wavelet_type(), int(J2kWavelet::automatic), kFlags));
  install(PROP_PROGRESSION_ORDER,
          g_param_spec_enum("progression-order", "Progression order",
                            "Order of the packets, named from the slowest to the fastest index",
                            j2k_progression_type(), int(j2k::Progression::lrcp), kFlags));
  install(PROP_CODE_BLOCK_STYLE,
          g_param_spec_flags("code-block-style", "Code-block style",
                             "Coding options of the code-blocks, joined by +, as in bypass+termall",
                             j2k_block_style_type(), 0, kFlags));
  install(PROP_PROFILE,
          g_param_spec_enum("profile", "Profile",
                            "Application profile: sets properties left at their defaults, limits "
                            "the rate, requires a framerate, refuses settings outside the profile",
                            j2k_profile_type(), int(j2k::Profile::none), kFlags));
  for (GType type :
       {j2k_wavelet_type(), j2k_progression_type(), j2k_block_style_type(), j2k_profile_type()})
    gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
}

void install_tables(GObjectClass *klass) {
  const J2kSettings defaults;
  guint id = PROP_FIRST_INT;
  for (const IntProperty &p : kInts)
    g_object_class_install_property(
        klass, id++,
        g_param_spec_int(p.name, p.nick, p.blurb, p.least, p.most, defaults.*p.field, kFlags));
  for (const auto &p : kBools)
    g_object_class_install_property(
        klass, id++, g_param_spec_boolean(p.name, p.nick, p.blurb, defaults.*p.field, kFlags));
  for (const auto &p : kTexts)
    g_object_class_install_property(klass, id++,
                                    g_param_spec_string(p.name, p.nick, p.blurb, "", kFlags));
}

// ---- values ----------------------------------------------------------------------------------

void set_rate(J2kSettings *s, guint id, const GValue *value) {
  switch (id) {
    case PROP_LOSSLESS:
      s->lossless = g_value_get_boolean(value) != FALSE;
      break;
    case PROP_BPP:
      s->bpp = g_value_get_double(value);
      break;
    case PROP_BITRATE:
      s->bitrate = g_value_get_uint(value);
      break;
    case PROP_FRAME_SIZE:
      s->frame_size = g_value_get_uint(value);
      break;
    default:
      s->psnr = g_value_get_double(value);
  }
}

void get_rate(const J2kSettings &s, guint id, GValue *value) {
  switch (id) {
    case PROP_LOSSLESS:
      g_value_set_boolean(value, j2k_is_lossless(s));
      break;
    case PROP_BPP:
      g_value_set_double(value, s.bpp);
      break;
    case PROP_BITRATE:
      g_value_set_uint(value, s.bitrate);
      break;
    case PROP_FRAME_SIZE:
      g_value_set_uint(value, s.frame_size);
      break;
    default:
      g_value_set_double(value, s.psnr);
  }
}

void set_value(J2kSettings *s, guint id, const GValue *value) {
  if (id == PROP_WAVELET) {
    s->wavelet = static_cast<J2kWavelet>(g_value_get_enum(value));
  } else if (id == PROP_PROGRESSION_ORDER) {
    s->progression = static_cast<j2k::Progression>(g_value_get_enum(value));
  } else if (id == PROP_CODE_BLOCK_STYLE) {
    s->block_style = g_value_get_flags(value);
  } else if (id == PROP_PROFILE) {
    s->profile = static_cast<j2k::Profile>(g_value_get_enum(value));
  } else if (id < PROP_FIRST_INT) {
    set_rate(s, id, value);
  } else if (id < PROP_FIRST_BOOL) {
    s->*kInts[id - PROP_FIRST_INT].field = g_value_get_int(value);
  } else if (id < PROP_FIRST_TEXT) {
    s->*kBools[id - PROP_FIRST_BOOL].field = g_value_get_boolean(value) != FALSE;
  } else {
    const gchar *text = g_value_get_string(value);
    s->*kTexts[id - PROP_FIRST_TEXT].field = text != nullptr ? text : "";
  }
}

void get_value(const J2kSettings &s, guint id, GValue *value) {
  if (id == PROP_WAVELET)
    g_value_set_enum(value, int(s.wavelet));
  else if (id == PROP_PROGRESSION_ORDER)
    g_value_set_enum(value, int(s.progression));
  else if (id == PROP_CODE_BLOCK_STYLE)
    g_value_set_flags(value, s.block_style);
  else if (id == PROP_PROFILE)
    g_value_set_enum(value, int(s.profile));
  else if (id < PROP_FIRST_INT)
    get_rate(s, id, value);
  else if (id < PROP_FIRST_BOOL)
    g_value_set_int(value, s.*kInts[id - PROP_FIRST_INT].field);
  else if (id < PROP_FIRST_TEXT)
    g_value_set_boolean(value, s.*kBools[id - PROP_FIRST_BOOL].field);
  else
    g_value_set_string(value, (s.*kTexts[id - PROP_FIRST_TEXT].field).c_str());
}

}  // namespace

void j2k_install_properties(GObjectClass *klass) {
  // GObject does not inherit these two.
  klass->set_property = guarded<j2k_set_property>;
  klass->get_property = guarded<j2k_get_property>;
  install_rates(klass);
  install_enums(klass);
  install_tables(klass);
}

void j2k_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  if (id >= PROP_END) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    return;
  }
  J2kState &state = *GST_J2KENC(object)->state;
  bool turned;
  {
    const ObjectLock lock(object);
    const bool lossless = j2k_is_lossless(state.wanted);
    set_value(&state.wanted, id, value);
    state.changes++;
    turned = id != PROP_LOSSLESS && lossless != j2k_is_lossless(state.wanted);
  }
  j2k_update_caps(GST_J2KENC(object));
  if (turned) g_object_notify(object, "lossless");
}

void j2k_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  if (id >= PROP_END) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    return;
  }
  const ObjectLock lock(object);
  get_value(GST_J2KENC(object)->state->wanted, id, value);
}

}  // namespace coalesce::gst
