// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_settings_array.h"

namespace gpu_test {
namespace {

using Factor = J2kSettingsArray::Factor;
using Value = J2kSettingsArray::Value;
using std::to_string;

// "a=1; b=2"
void add(J2kCase *c, const std::string &setting) {
  std::string &all = c->coding.settings;
  if (!setting.empty()) all += (all.empty() ? "" : "; ") + setting;
}

Factor texts(const char *name, const std::vector<const char *> &settings) {
  Factor factor = {name, {}};
  for (const char *setting : settings)
    factor.values.push_back({setting, [setting](J2kCase *c) { add(c, setting); }});
  return factor;
}

const GstVideoFormatInfo *format_of(const J2kCase &c) {
  return gst_video_format_get_info(gst_video_format_from_string(c.coding.format.c_str()));
}

template <class Set>
Factor numbers(const char *property, const std::vector<int> &list, Set set) {
  Factor factor = {property, {}};
  for (int v : list)
    factor.values.push_back({to_string(v), [=](J2kCase *c) {
                               add(c, std::string(property) + "=" + to_string(v));
                               set(c, v);
                             }});
  return factor;
}

Factor flag(const char *property, int packet_bytes = 0) {
  return numbers(property, {0, 1},
                 [=](J2kCase *c, int v) { c->packet_markers += v * packet_bytes; });
}

// ---- what comes in, and what is to go out -------------------------------------------------------

Factor formats() {
  Factor factor = {"format", {}};
  for (const std::string &format : j2k_formats())
    factor.values.push_back({format, [format](J2kCase *c) { c->coding.format = format; }});
  return factor;
}

Factor sizes() {
  Factor factor = {"size", {}, coalesce::test::Ties::not_last};
  for (const auto &[width, height] :
       {std::pair{1, 1}, {2, 3}, {17, 33}, {61, 97}, {211, 127}, {1920, 1080}})
    factor.values.push_back(
        {to_string(width) + "x" + to_string(height), [width = width, height = height](J2kCase *c) {
           c->coding.width = width;
           c->coding.height = height;
         }});
  return factor;
}

Factor memory() {
  const auto from = [](Input input) { return [input](J2kCase *c) { c->input = input; }; };
  return {"memory",
          {{"CUDA", from(Input::cuda)},
           {"page-locked", from(Input::page_locked)},
           {"pageable", from(Input::pageable)}}};
}

Factor media() {
  Factor factor = {"media", {}};
  for (const char *media : {"image/x-jpc", "image/x-j2c", "image/jp2"})
    factor.values.push_back({media, [media](J2kCase *c) { c->coding.media = media; }});
  return factor;
}

// (Of 4:2:0 with whole chroma: for P010 and its like, GStreamer 1.22 makes no room for more. Others
// are in gpu-j2kenc.)
Factor fields() {
  const auto order = [](const char *order) {
    return [order](J2kCase *c) {
      if (GST_VIDEO_FORMAT_INFO_H_SUB(format_of(*c), 1) > 0)
        c->coding.height = (c->coding.height + 3) / 4 * 4;
      c->coding.more_caps = std::string(",interlace-mode=interleaved,field-order=") + order;
      c->fields = true;
    };
  };
  return {"fields",
          {{"none", [](J2kCase *) {}},
           {"top first", order("top-field-first")},
           {"bottom first", order("bottom-field-first")}}};
}

// ---- structure ----------------------------------------------------------------------------------

Factor tiles() {
  const auto size = [](int width, int height) {
    return [=](J2kCase *c) {
      add(c, "tile-width=" + to_string(width) + "; tile-height=" + to_string(height));
      c->tile_width = width;
      c->tile_height = height;
    };
  };
  return {"tiles", {{"one", [](J2kCase *) {}}, {"128x64", size(128, 64)}, {"77x40", size(77, 40)}}};
}

Factor blocks() {
  Factor factor = {"block", {}};
  for (const auto &[width, height] :
       {std::pair{4, 4}, {8, 16}, {16, 16}, {32, 32}, {64, 64}, {1024, 4}, {4, 1024}, {8, 256}})
    factor.values.push_back(
        {to_string(width) + "x" + to_string(height), [width = width, height = height](J2kCase *c) {
           add(c,
               "code-block-width=" + to_string(width) + "; code-block-height=" + to_string(height));
           c->block_width = width;
           c->block_height = height;
         }});
  return factor;
}

// Half of a precinct must hold a block; a second size is that of a second resolution.
Factor precincts() {
  const auto times = [](int largest, int others) {
    return [=](J2kCase *c) {
      const auto size = [c](int n) {
        return to_string(n * c->block_width) + "x" + to_string(n * c->block_height);
      };
      add(c, "precincts=" + (c->resolutions > 1 ? size(largest) + " " : "") + size(others));
      c->precinct_width = others * c->block_width;
      c->precinct_height = others * c->block_height;
    };
  };
  return {"precincts",
          {{"none", [](J2kCase *) {}},
           {"four blocks, two blocks", times(4, 2)},
           {"sixteen blocks, four blocks", times(16, 4)}}};
}

Factor styles() {
  Factor factor = {"style", {}};
  for (const char *style :
       {"", "bypass", "reset", "termall", "causal", "predictable-termination",
        "segmentation-symbols", "bypass+termall+reset+causal",
        "bypass+predictable-termination+segmentation-symbols",
        "reset+termall+causal+predictable-termination",
        "bypass+reset+termall+causal+predictable-termination+segmentation-symbols"})
    factor.values.push_back({*style != 0 ? style : "none", [style](J2kCase *c) {
                               if (*style != 0) add(c, std::string("code-block-style=") + style);
                             }});
  return factor;
}

Factor regions() {
  return {"region", {{"none", [](J2kCase *) {}}, {"some", [](J2kCase *c) {
                                                    const Coding &p = c->coding;
                                                    add(c, "roi=" + to_string(p.width / 4) + "," +
                                                               to_string(p.height / 3) + "," +
                                                               to_string((p.width + 1) / 2) + "," +
                                                               to_string((p.height + 1) / 2));
                                                    c->region = true;
                                                  }}}};
}

// ---- rates --------------------------------------------------------------------------------------

bool has(const J2kCase &c, const char *setting) {
  return c.coding.settings.find(setting) != std::string::npos;
}

// Somewhat more than a codestream has with nothing in any layer, both of them if it is fields.
int header_bytes(const J2kCase &c) {
  const auto pieces = [](int all, int piece) { return piece > 0 ? (all + piece - 1) / piece : 1; };
  const auto across = [&](int all, int tile) { return tile > 0 && tile < all ? tile : all; };
  const int tiles = pieces(c.coding.width, c.tile_width) * pieces(c.coding.height, c.tile_height);
  int packets = 0, width = across(c.coding.width, c.tile_width),
      height = across(c.coding.height, c.tile_height);
  for (int r = 0; r < c.resolutions; r++) {
    const bool one = c.precinct_width == 0;
    packets +=
        one ? 1 : (pieces(width, c.precinct_width) + 1) * (pieces(height, c.precinct_height) + 1);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  packets *= 4 * c.layers * tiles;
  // Weights differ from component to component: each has a table of its own.
  const int tables = has(c, "visual-weighting=1") ? 4 * (8 + 2 * (3 * c.resolutions + 1)) : 0;
  return (700 + tables + 40 * tiles + (1 + c.packet_markers) * packets) * (c.fields ? 2 : 1);
}

// About three bits a pixel beside that.
int rate_bytes(const J2kCase &c) {
  return header_bytes(c) + c.coding.width * c.coding.height * 3 / 8;
}
double rate_bpp(const J2kCase &c) {
  return rate_bytes(c) * 8. / (c.coding.width * c.coding.height);
}

Factor rates() {
  Factor factor = texts("rate", {"", "lossless=false; wavelet=9/7", "lossless=false; wavelet=5/3",
                                 "quality=90", "quality=35", "psnr=34", "psnr=42; wavelet=5/3"});
  factor.values.push_back(
      {"frame-size", [](J2kCase *c) { add(c, "frame-size=" + to_string(rate_bytes(*c))); }});
  factor.values.push_back({"bpp", [](J2kCase *c) { add(c, "bpp=" + to_string(rate_bpp(*c))); }});
  factor.values.push_back({"bitrate, wavelet=5/3", [](J2kCase *c) {
                             add(c, "wavelet=5/3; bitrate=" + to_string(rate_bytes(*c) / 5 + 1));
                           }});
  return factor;
}

// ---- what is refused ----------------------------------------------------------------------------

// Bit-planes and what shifts them fit into 31, as docs/j2kenc.md has it.
bool fits_region(const J2kCase &c) {
  if (!c.region) return true;
  const GstVideoFormatInfo *info = format_of(c);
  const bool rgb = GST_VIDEO_FORMAT_INFO_IS_RGB(info);
  const int bits = static_cast<int>(GST_VIDEO_FORMAT_INFO_DEPTH(info, 0));
  if (has(c, "quality=")) return c.guard_bits <= 1 && (has(c, "quality=35") || c.resolutions <= 4);
  const bool chosen = has(c, "wavelet=9/7") || has(c, "frame-size=") || has(c, "bpp=") ||
                      (has(c, "psnr=") && !has(c, "wavelet=5/3"));
  return chosen || bits + rgb + std::max(c.guard_bits, 2) <= 14;
}

bool is_allowed(const J2kCase &c) {
  return fits_region(c) && !(has(c, "bpp=") && rate_bpp(c) > 1000);
}

std::vector<Factor> factors() {
  const auto nothing = [](J2kCase *, int) {};
  return {
      formats(),
      sizes(),
      memory(),
      media(),
      fields(),
      numbers("frames-in-flight", {0, 1, 3},
              [](J2kCase *c, int v) { c->coding.frames_in_flight = v; }),
      tiles(),
      numbers("num-resolutions", {1, 2, 4, 6, 8, 11},
              [](J2kCase *c, int v) { c->resolutions = v; }),
      blocks(),
      precincts(),
      styles(),
      texts("order", {"progression-order=lrcp", "progression-order=rlcp", "progression-order=rpcl",
                      "progression-order=pcrl", "progression-order=cprl"}),
      numbers("num-layers", {1, 2, 5}, [](J2kCase *c, int v) { c->layers = v; }),
      numbers("guard-bits", {2, 0, 1, 5}, [](J2kCase *c, int v) { c->guard_bits = v; }),
      flag("sop", 6),
      flag("eph", 2),
      flag("plt", 2),
      flag("tlm"),
      numbers("visual-weighting", {0, 1}, nothing),
      texts("comment", {"", "comment=take 3"}),
      regions(),
      rates()};
}

}  // namespace

std::vector<std::string> j2k_formats() {
  std::vector<std::string> names;
  GstElement *element = gst_element_factory_make("j2kenc", nullptr);
  GstPadTemplate *pad = gst_element_get_pad_template(element, "sink");
  GstCaps *caps = gst_pad_template_get_caps(pad);
  const GValue *list = gst_structure_get_value(gst_caps_get_structure(caps, 0), "format");
  for (guint i = 0; i < gst_value_list_get_size(list); i++)
    names.emplace_back(g_value_get_string(gst_value_list_get_value(list, i)));
  gst_caps_unref(caps);
  gst_object_unref(element);
  return names;
}

const J2kSettingsArray &j2k_settings_array() {
  static const J2kSettingsArray array(factors(), is_allowed);
  return array;
}

}  // namespace gpu_test
