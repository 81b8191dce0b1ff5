// SPDX-License-Identifier: LGPL-2.1-or-later
#include "element_caps.h"

#include <map>

namespace test {
namespace {

// The formats of a pad's template; none if it is not for raw video.
std::vector<std::string> template_formats(const std::string &element, GstPadDirection direction) {
  std::vector<std::string> formats;
  const Owned<GstElementFactory> factory(gst_element_factory_find(element.c_str()));
  const GList *item = gst_element_factory_get_static_pad_templates(factory.get());
  for (; item != nullptr; item = item->next) {
    auto *pad = static_cast<GstStaticPadTemplate *>(item->data);
    if (pad->direction != direction) continue;
    const CapsRef caps(gst_static_pad_template_get_caps(pad));
    const GstStructure *structure = gst_caps_get_structure(caps.get(), 0);
    if (!gst_structure_has_name(structure, "video/x-raw")) continue;
    const GValue *list = gst_structure_get_value(structure, "format");
    for (guint i = 0; i < gst_value_list_get_size(list); i++)
      formats.emplace_back(g_value_get_string(gst_value_list_get_value(list, i)));
  }
  return formats;
}

const std::string &template_format(Input &in, const std::string &element,
                                   GstPadDirection direction) {
  static std::map<std::pair<std::string, GstPadDirection>, std::vector<std::string>> known;
  std::vector<std::string> &formats = known[{element, direction}];
  if (formats.empty()) formats = template_formats(element, direction);
  return formats[static_cast<gsize>(in.below(static_cast<int>(formats.size())))];
}

std::string any_size(Input &in) {
  constexpr int kExtremes[] = {0, -1, 1, 32767, 32768, 46341, 65536, 1 << 20, 1 << 30, G_MAXINT};
  return std::to_string(in.once_in(24) ? in.pick(kExtremes) : 1 + in.below(40));
}

constexpr const char *kFrameRates[] = {"25/1", "0/1", "2147483647/1", "1/2147483647"};
constexpr const char *kModes[] = {"progressive", "interleaved", "mixed",
                                  "fields",      "alternate",   "nonsense"};
constexpr const char *kOrders[] = {"top-field-first", "bottom-field-first", "nonsense"};
constexpr const char *kColours[] = {"bt601",    "bt709",   "bt2020",  "smpte240m",
                                    "1:4:0:0",  "2:3:5:1", "0:0:0:0", "1:1:0:0",
                                    "nonsense", "9:9:9:9", "sRGB",    "2:2:0:0"};
constexpr const char *kSites[] = {"jpeg", "mpeg2", "dv", "cosited", "v-cosited", "nonsense"};
constexpr const char *kRatios[] = {"1/1", "0/1", "2147483647/1", "16/15"};
constexpr const char *kViews[] = {"views=(int)2", "multiview-mode=(string)side-by-side",
                                  "max-framerate=(fraction)60/1", "anything=(string)else"};
constexpr const char *kMemories[] = {"(memory:SystemMemory)", "(memory:CUDAMemory)",
                                     "(meta:GstVideoOverlayComposition)", "(format:Interlaced)"};

// Each of them in one of four caps, or fewer.
std::string any_fields(Input &in) {
  std::string fields;
  const unsigned which = in.byte() & in.byte();
  const auto add = [&](unsigned bit, const char *name, const auto &choices) {
    if ((which >> bit & 1) != 0) fields += std::string(name) + in.pick(choices);
  };
  add(0, ", pixel-aspect-ratio=(fraction)", kRatios);
  add(1, ", interlace-mode=(string)", kModes);
  add(2, ", field-order=(string)", kOrders);
  add(3, ", colorimetry=(string)", kColours);
  add(4, ", chroma-site=(string)", kSites);
  add(5, ", ", kViews);
  return fields;
}

}  // namespace

const std::vector<std::string> &video_filters() {
  static const std::vector<std::string> found = [] {
    std::vector<std::string> names;
    for (int i = 0; i < n_elements(); i++)
      if (!template_formats(element_name(i), GST_PAD_SINK).empty() &&
          !template_formats(element_name(i), GST_PAD_SRC).empty())
        names.push_back(element_name(i));
    return names;
  }();
  return found;
}

std::string any_input_caps(Input &in, const std::string &element) {
  constexpr int kFormats = GST_VIDEO_FORMAT_Y410;  // more than any element takes
  std::string caps = "video/x-raw";
  if (in.once_in(32)) caps += in.pick(kMemories);
  const std::string format =
      in.once_in(32) ? gst_video_format_to_string(
                           static_cast<GstVideoFormat>(in.between(GST_VIDEO_FORMAT_I420, kFormats)))
                     : template_format(in, element, GST_PAD_SINK);
  caps += ", format=(string)" + format;
  caps += ", width=(int)" + any_size(in) + ", height=(int)" + any_size(in);
  caps += std::string(", framerate=(fraction)") + (in.once_in(8) ? in.pick(kFrameRates) : "25/1");
  return caps + any_fields(in);
}

std::string plain_input_caps(Input &in, const std::string &element) {
  const std::string format = template_format(in, element, GST_PAD_SINK);
  const int width = 1 + in.below(40), height = 1 + in.below(24);
  return video_caps(format, {width, height});
}

std::string any_output_caps(Input &in, const std::string &element) {
  if (in.flag()) return "ANY";
  std::string caps = "video/x-raw, format=(string)" + template_format(in, element, GST_PAD_SRC);
  if (in.once_in(4)) caps += std::string(", colorimetry=(string)") + in.pick(kColours);
  if (in.once_in(4)) caps += std::string(", chroma-site=(string)") + in.pick(kSites);
  if (in.once_in(16)) caps += ", width=(int)[ 1, 20 ]";
  return caps;
}

}  // namespace test
