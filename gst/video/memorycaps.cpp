// SPDX-License-Identifier: LGPL-2.1-or-later
#include "memorycaps.h"

#include "memory/bufferpool.h"

namespace coalesce::gst {

bool names_cuda(GstCapsFeatures *features) {
  return !gst_caps_features_is_any(features) &&
         gst_caps_features_contains(features, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
}

bool caps_are_cuda(GstCaps *caps) {
  return names_cuda(gst_caps_get_features(caps, 0));
}

GstCapsFeatures *with_memory(GstCapsFeatures *features, Memory memory) {
  GstCapsFeatures *result = gst_caps_features_is_any(features) ? gst_caps_features_new_empty()
                                                               : gst_caps_features_copy(features);
  gst_caps_features_remove(result, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
  gst_caps_features_remove(result, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY);
  if (memory == Memory::cuda) gst_caps_features_add(result, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
  return result;
}

// ANY is not a wish for CUDA memory: fakesink, filesink and appsink would get padded device rows.
GstCaps *template_caps_of(GstPad *pad, bool cuda) {
  GstCaps *caps = gst_pad_get_pad_template_caps(pad);
  if (cuda) return caps;
  caps = gst_caps_make_writable(caps);
  for (guint i = gst_caps_get_size(caps); i-- > 0;)
    if (names_cuda(gst_caps_get_features(caps, i))) gst_caps_remove_structure(caps, i);
  return caps;
}

bool peer_names_cuda(GstPad *pad) {
  const CapsRef peer(gst_pad_peer_query_caps(pad, nullptr));
  if (peer == nullptr || gst_caps_is_any(peer.get())) return false;
  bool named = false;
  for (guint i = 0; i < gst_caps_get_size(peer.get()) && !named; i++)
    named = names_cuda(gst_caps_get_features(peer.get(), i));
  return named;
}

guint choose_structure(GstCaps *caps, bool from_cuda, bool may_be_cuda) {
  guint first = 0;
  bool found = false;
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const bool cuda = names_cuda(gst_caps_get_features(caps, i));
    if (cuda && !may_be_cuda) continue;
    if (cuda == from_cuda) return i;
    if (!found) first = i;
    found = true;
  }
  return first;
}

std::vector<const gchar *> possible_formats(GstPad *pad, const GstStructure *structure) {
  const CapsRef templ(gst_pad_get_pad_template_caps(pad));
  const GValue *formats = gst_structure_get_value(gst_caps_get_structure(templ.get(), 0), "format");
  const GValue *allowed = gst_structure_get_value(structure, "format");
  const guint n = GST_VALUE_HOLDS_LIST(formats) ? gst_value_list_get_size(formats) : 0;
  std::vector<const gchar *> possible;
  for (guint i = 0; allowed && i < n; i++) {
    const GValue *format = gst_value_list_get_value(formats, i);
    if (gst_value_intersect(nullptr, allowed, format))
      possible.push_back(g_value_get_string(format));
  }
  return possible;
}

void fixate_video(GstPad *pad, GstStructure *structure) {
  if (const auto formats = possible_formats(pad, structure); !formats.empty())
    gst_structure_set(structure, "format", G_TYPE_STRING, formats.front(), nullptr);
  if (gst_structure_has_field(structure, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction(structure, "pixel-aspect-ratio", 1, 1);
  if (gst_structure_has_field(structure, "interlace-mode"))
    gst_structure_fixate_field_string(structure, "interlace-mode", "progressive");
}

bool is_progressive(const GstStructure *structure) {
  const gchar *mode = gst_structure_get_string(structure, "interlace-mode");
  return mode == nullptr || g_str_equal(mode, "progressive");
}

GstCaps *template_caps(const char *formats, const char *framerate) {
  const std::string fields = std::string("format = (string) ") + formats +
                             ", width = (int) [ 1, max ], height = (int) [ 1, max ], "
                             "framerate = (fraction) " +
                             framerate;
  const std::string text = "video/x-raw(" GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY "), " + fields +
                           "; video/x-raw, " + fields;
  return gst_caps_from_string(text.c_str());
}

void set_formats(GstStructure *structure, const char *formats) {
  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_LIST);
  gst_value_deserialize(&list, formats);
  gst_structure_take_value(structure, "format", &list);
}

}  // namespace coalesce::gst
