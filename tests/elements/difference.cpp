// SPDX-License-Identifier: LGPL-2.1-or-later
#include "difference.h"

#include "fields.h"
#include "ops.h"

namespace coalesce::testing {
namespace {

using namespace coalesce::gst;

#define FORMATS "{ GRAY8, I420 }"

struct Difference {
  GstCoalesceAggregator parent;
  int fail, delay, runs;
  gboolean heavy;
};
struct DifferenceClass {
  GstCoalesceAggregatorClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(Difference, difference, GST_TYPE_COALESCE_AGGREGATOR)

namespace {

Difference *difference_of(gpointer object) {
  return reinterpret_cast<Difference *>(object);
}

Status run(GstCoalesceAggregator *aggregator, const Frame *const *in, guint, const Frame &out,
           const Queue &queue) {
  Difference *self = difference_of(aggregator);
  if (++self->runs == self->fail) return {StatusCode::device_error, "the test wanted it so"};
  before_kernel(queue, self->delay);
  // Of one that is alone the difference is that to itself.
  const Frame *a = in[0] != nullptr ? in[0] : in[1], *b = in[1] != nullptr ? in[1] : in[0];
  for (guint p = 0; p < out.n_planes(); p++)
    if (Status s = combine(Op::difference, a->plane(p), b->plane(p), out.plane(p), queue); !s.ok())
      return s;
  return {};
}

// Downstream's size and format are those of the inputs.
gboolean input_caps(GstCoalesceAggregator *, guint alternative, GstStructure *) {
  return alternative == 0;
}

gboolean worth_the_trip(GstCoalesceAggregator *self, const GstVideoInfo *const *, guint) {
  return difference_of(self)->heavy;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  Difference *self = difference_of(object);
  if (id == 3)
    self->heavy = g_value_get_boolean(value);
  else
    (id == 1 ? self->fail : self->delay) = g_value_get_int(value);
}

}  // namespace

static void difference_init(Difference *) {}

static void difference_class_init(DifferenceClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = set_property;
  constexpr auto flags = static_cast<GParamFlags>(G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(object_class, 1,
                                  g_param_spec_int("fail", "fail", "fail", 0, G_MAXINT, 0, flags));
  g_object_class_install_property(
      object_class, 2, g_param_spec_int("delay", "delay", "delay", 0, G_MAXINT, 0, flags));
  g_object_class_install_property(object_class, 3,
                                  g_param_spec_boolean("heavy", "heavy", "heavy", FALSE, flags));
  auto *aggregator_class = GST_COALESCE_AGGREGATOR_CLASS(klass);
  aggregator_class->run = run;
  aggregator_class->input_caps = input_caps;
  aggregator_class->worth_the_trip = worth_the_trip;
  gst_coalesce_aggregator_class_add_input(aggregator_class, "sink_%u", FORMATS);
  gst_coalesce_aggregator_class_add_output(aggregator_class, FORMATS);
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Difference", "Filter/Video",
                                        "Test", "The gst-coalesce authors");
}

// ---- coalesceanydifference -------------------------------------------------------------------

namespace {

struct AnyDifference {
  Difference parent;
};
struct AnyDifferenceClass {
  DifferenceClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(AnyDifference, any_difference, difference_get_type())

static void any_difference_init(AnyDifference *) {}

static void any_difference_class_init(AnyDifferenceClass *klass) {
  auto *aggregator_class = GST_COALESCE_AGGREGATOR_CLASS(klass);
  aggregator_class->least_inputs = 1;
  aggregator_class->needs_all = FALSE;
}

// ---- coalesceleftright -----------------------------------------------------------------------

namespace {

struct LeftRight {
  GstCoalesceAggregator parent;
};
struct LeftRightClass {
  GstCoalesceAggregatorClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(LeftRight, left_right, GST_TYPE_COALESCE_AGGREGATOR)

static void left_right_init(LeftRight *) {}

static void left_right_class_init(LeftRightClass *klass) {
  auto *aggregator_class = GST_COALESCE_AGGREGATOR_CLASS(klass);
  aggregator_class->alike = GST_COALESCE_ALIKE_SIZE | GST_COALESCE_ALIKE_RATE;
  aggregator_class->run = [](GstCoalesceAggregator *, const Frame *const *in, guint,
                             const Frame &out, const Queue &queue) {
    Plane<std::uint8_t> left = in[0]->plane(0), right = in[1]->plane(0);
    left.height = right.height = out.plane(0).height;
    return combine(Op::difference, left, right, out.plane(0), queue);
  };
  aggregator_class->output_caps = [](GstCoalesceAggregator *, const GstVideoInfo *const *in, guint,
                                     guint alternative, GstStructure *structure) -> gboolean {
    if (alternative > 0) return FALSE;
    gst_structure_set(structure, "format", G_TYPE_STRING, "GRAY8", "height", G_TYPE_INT,
                      std::max(1, GST_VIDEO_INFO_HEIGHT(in[0]) / 2), "framerate", GST_TYPE_FRACTION,
                      GST_VIDEO_INFO_FPS_N(in[0]), GST_VIDEO_INFO_FPS_D(in[0]), nullptr);
    gst_structure_remove_fields(structure, "chroma-site", "colorimetry", nullptr);
    return TRUE;
  };
  aggregator_class->set_info = [](GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint,
                                  const GstVideoInfo *) -> gboolean {
    if (GST_VIDEO_INFO_HEIGHT(in[0]) > 1) return TRUE;
    GST_ELEMENT_ERROR(self, STREAM, FORMAT, ("One row has no upper half"), (nullptr));
    return FALSE;
  };
  gst_coalesce_aggregator_class_add_input(aggregator_class, "left", FORMATS);
  gst_coalesce_aggregator_class_add_input(aggregator_class, "right", FORMATS);
  gst_coalesce_aggregator_class_add_output(aggregator_class, "{ GRAY8 }");
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Left and right", "Filter/Video",
                                        "Test", "The gst-coalesce authors");
}

}  // namespace coalesce::testing
