// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filtercaps.h"

namespace coalesce::gst {
GstCaps *filter_transform_caps(GstCoalesceFilter *self, GstPadDirection direction, GstCaps *caps,
                               GstCaps *filter) {
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  const bool gpu = backend_of(self).may_use_gpu();
  GstCaps *result = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    GstCapsFeatures *features = gst_caps_get_features(caps, i);
    const bool from_cuda = names_cuda(features);
    if (from_cuda && !gpu) continue;
    if (is_fields(gst_caps_get_structure(caps, i))) continue;
    // The same memory first, so that buffers stay where they are.
    for (Memory to :
         {from_cuda ? Memory::cuda : Memory::system, from_cuda ? Memory::system : Memory::cuda}) {
      if (to == Memory::cuda && !gpu) continue;
      for (guint alternative = 0;; alternative++) {
        GstStructure *structure = gst_structure_copy(gst_caps_get_structure(caps, i));
        if (!klass->convert_caps(self, direction, alternative, structure)) {
          gst_structure_free(structure);
          break;
        }
        gst_caps_append_structure_full(result, structure, with_memory(features, to));
      }
    }
  }
  if (filter != nullptr) {
    GstCaps *filtered = gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref(result);
    result = filtered;
  }
  return result;
}

GstCaps *filter_fixate_caps(GstCoalesceFilter *self, GstPadDirection direction, GstCaps *caps,
                            GstCaps *othercaps) {
  if (gst_caps_is_empty(othercaps)) return othercaps;
  auto *trans = GST_BASE_TRANSFORM(self);
  GstPad *otherpad = direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SRC_PAD(trans)
                                               : GST_BASE_TRANSFORM_SINK_PAD(trans);
  const guint choice = choose_structure(othercaps, caps_are_cuda(caps), peer_names_cuda(otherpad));
  GstCaps *result = gst_caps_copy_nth(othercaps, choice);
  gst_caps_unref(othercaps);
  GstStructure *structure = gst_caps_get_structure(result, 0);
  fixate_video(otherpad, structure);
  const GstStructure *given = gst_caps_get_structure(caps, 0);
  if (!gst_structure_has_field(given, "interlace-mode") && !is_progressive(structure)) {
    // Caps that say nothing are progressive, and frames cannot become fields.
    gst_caps_unref(result);
    return gst_caps_new_empty();
  }
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  if (klass->fixate) klass->fixate(self, direction, given, structure);
  return gst_caps_fixate(result);
}

}  // namespace coalesce::gst
