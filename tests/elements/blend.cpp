// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blend.h"

#include "ops.h"

namespace coalesce::testing {
namespace {

using namespace coalesce::gst;

struct Blend {
  GstCoalesceTemporal parent;
};
struct BlendClass {
  GstCoalesceTemporalClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(Blend, blend, GST_TYPE_COALESCE_TEMPORAL)

static Status blend_run(GstCoalesceTemporal *, const FrameWindow &in, const Frame *const *out,
                        guint, const Queue &queue) {
  for (guint p = 0; p < out[0]->n_planes(); p++)
    if (Status s = combine(Op::average, in.frame(0).plane(p), in.frame(-1).plane(p),
                           out[0]->plane(p), queue);
        !s.ok())
      return s;
  return {};
}

static void blend_init(Blend *) {}

static void blend_class_init(BlendClass *klass) {
  auto *temporal_class = GST_COALESCE_TEMPORAL_CLASS(klass);
  temporal_class->reach = [](GstCoalesceTemporal *) { return TemporalReach{.before = 1}; };
  temporal_class->run = blend_run;
  gst_coalesce_filter_class_add_templates(GST_COALESCE_FILTER_CLASS(klass), "{ GRAY8, I420 }",
                                          "{ GRAY8, I420 }");
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Blend", "Filter/Effect/Video",
                                        "Averages each frame and the one before it, for tests",
                                        "The gst-coalesce authors");
}

}  // namespace coalesce::testing
