// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filtercaps.h"

#include "memory/bufferpool.h"
#include "object/owned.h"
#include "video/input.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

namespace coalesce::gst {

GstCaps *filter_transform_caps(GstCoalesceFilter *self, GstPadDirection direction, GstCaps *caps,
                               GstCaps *filter) {
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  const bool gpu = backend_of(self).may_use_gpu();
  CapsRef result(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    GstCapsFeatures *features = gst_caps_get_features(caps, i);
    const bool from_cuda = names_cuda(features);
    if (from_cuda && !gpu) continue;
    if (has_fields_apart(caps, i)) continue;
    // The same memory first, so that buffers stay where they are.
    for (Memory to :
         {from_cuda ? Memory::cuda : Memory::system, from_cuda ? Memory::system : Memory::cuda}) {
      if (to == Memory::cuda && !gpu) continue;
      for (guint alternative = 0;; alternative++) {
        StructureRef structure(gst_structure_copy(gst_caps_get_structure(caps, i)));
        if (!klass->convert_caps(self, direction, alternative, structure.get())) break;
        gst_caps_append_structure_full(result.get(), structure.release(),
                                       with_memory(features, to));
      }
    }
  }
  if (const std::string problem = interlacing_problem(caps);
      gst_caps_is_empty(result.get()) && !problem.empty())
    GST_WARNING_OBJECT(self, "%s (%" GST_PTR_FORMAT ")", problem.c_str(), caps);
  GST_LOG_OBJECT(self, "%s %" GST_PTR_FORMAT " can become %" GST_PTR_FORMAT "%s",
                 direction == GST_PAD_SINK ? "input" : "output", caps, result.get(),
                 gpu ? "" : " (without a GPU)");
  if (filter == nullptr) return result.release();
  return gst_caps_intersect_full(filter, result.get(), GST_CAPS_INTERSECT_FIRST);
}

GstCaps *filter_fixate_caps(GstCoalesceFilter *self, GstPadDirection direction, GstCaps *caps,
                            GstCaps *othercaps) {
  CapsRef result(othercaps);
  if (gst_caps_is_empty(othercaps)) return result.release();
  auto *trans = GST_BASE_TRANSFORM(self);
  GstPad *otherpad = direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SRC_PAD(trans)
                                               : GST_BASE_TRANSFORM_SINK_PAD(trans);
  const bool named = peer_names_cuda(otherpad);
  const guint choice = choose_structure(othercaps, caps_are_cuda(caps), named);
  result.reset(gst_caps_copy_nth(othercaps, choice));
  GstStructure *structure = gst_caps_get_structure(result.get(), 0);
  fixate_video(otherpad, structure);
  const GstStructure *given = gst_caps_get_structure(caps, 0);
  if (!gst_structure_has_field(given, "interlace-mode") && !is_progressive(structure)) {
    // Caps that say nothing are progressive, and frames cannot become fields.
    GST_DEBUG_OBJECT(self, "progressive frames cannot become %" GST_PTR_FORMAT, result.get());
    return gst_caps_new_empty();
  }
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  if (klass->fixate) klass->fixate(self, direction, given, structure);
  GstCaps *fixed = gst_caps_fixate(result.release());
  GST_DEBUG_OBJECT(
      self, "chooses %" GST_PTR_FORMAT " for %" GST_PTR_FORMAT " (the peer's caps %s CUDA memory)",
      fixed, caps, named ? "name" : "do not name");
  return fixed;
}

}  // namespace coalesce::gst
