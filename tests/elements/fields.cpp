// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fields.h"

#include "ops.h"

namespace coalesce::testing {

void (*before_kernel)(const Queue &queue, int delay) = [](const Queue &, int) {};

void (*look_at_measured)(const std::uint8_t *bytes) = [](const std::uint8_t *) {};

namespace {

using namespace coalesce::gst;

struct Fields {
  GstCoalesceTemporal parent;
  gboolean ahead, measures;
  int fail, delay, runs;
};
struct FieldsClass {
  GstCoalesceTemporalClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(Fields, fields, GST_TYPE_COALESCE_TEMPORAL)

namespace {

Fields *fields_of(gpointer object) {
  return reinterpret_cast<Fields *>(object);
}

// Caps of 2n or 2n + 1 rows become caps of n.
void halve(GstStructure *structure) {
  const GValue *height = gst_structure_get_value(structure, "height");
  if (G_VALUE_HOLDS_INT(height)) {
    gst_structure_set(structure, "height", G_TYPE_INT, g_value_get_int(height) / 2, nullptr);
  } else if (GST_VALUE_HOLDS_INT_RANGE(height)) {
    gst_structure_set(structure, "height", GST_TYPE_INT_RANGE,
                      std::max(1, gst_value_get_int_range_min(height) / 2),
                      gst_value_get_int_range_max(height) / 2, nullptr);
  }
}

void twice(GstStructure *structure) {
  const GValue *height = gst_structure_get_value(structure, "height");
  int least = 1, most = G_MAXINT / 2 - 1;
  if (G_VALUE_HOLDS_INT(height)) least = most = g_value_get_int(height);
  if (GST_VALUE_HOLDS_INT_RANGE(height)) {
    least = gst_value_get_int_range_min(height);
    most = std::min(most, gst_value_get_int_range_max(height));
  }
  gst_structure_set(structure, "height", GST_TYPE_INT_RANGE, 2 * least, 2 * most + 1, nullptr);
}

gboolean convert_caps(GstCoalesceFilter *, GstPadDirection direction, guint alternative,
                      GstStructure *structure) {
  if (alternative > 0) return FALSE;
  const bool to_source = direction == GST_PAD_SINK;
  (to_source ? halve : twice)(structure);
  int n = 0, d = 1;
  if (gst_structure_get_fraction(structure, "framerate", &n, &d))
    gst_structure_set(structure, "framerate", GST_TYPE_FRACTION, to_source ? 2 * n : n,
                      to_source ? d : 2 * d, nullptr);
  gst_structure_set(structure, "interlace-mode", G_TYPE_STRING,
                    to_source ? "progressive" : "interleaved", nullptr);
  if (to_source) gst_structure_remove_field(structure, "field-order");
  return TRUE;
}

TemporalReach reach(GstCoalesceTemporal *self) {
  return {.after = fields_of(self)->ahead ? 1u : 0u,
          .measured = fields_of(self)->measures ? guint{kMeasured} : 0};
}

Status measure(GstCoalesceTemporal *self, const Frame &before, const Frame &in, const Frame &out,
               const Queue &queue) {
  before_kernel(queue, fields_of(self)->delay);
  const auto first = [](const Frame &frame) {
    const Plane<std::uint8_t> all = frame.plane(0);
    return Plane<std::uint8_t>{all.data, kMeasured, 1, all.pitch};
  };
  return combine(Op::average, first(before), first(in), first(out), queue);
}

guint pictures(GstCoalesceTemporal *self, const FrameWindow &in) {
  if (fields_of(self)->measures)
    look_at_measured(static_cast<const std::uint8_t *>(in.measured(0)));
  return GST_BUFFER_FLAG_IS_SET(in.metadata(0), GST_BUFFER_FLAG_DROPPABLE) ? 0 : 2;
}

bool top_is_first(GstBuffer *metadata) {
  return GST_BUFFER_FLAG_IS_SET(metadata, GST_VIDEO_BUFFER_FLAG_TFF);
}

// In the order of time; of an odd number of rows the last is left out.
Plane<const std::uint8_t> field(const FrameWindow &in, int frame, int number) {
  const Plane<std::uint8_t> all = in.frame(frame).plane(0);
  const int first = top_is_first(in.metadata(frame)) ? number : 1 - number;
  return {all.row(first), all.width, all.height / 2, 2 * all.pitch};
}

Status run(GstCoalesceTemporal *temporal, const FrameWindow &in, const Frame *const *out,
           guint pictures, const Queue &queue) {
  Fields *self = fields_of(temporal);
  if (++self->runs == self->fail) return {StatusCode::device_error, "the test wanted it so"};
  before_kernel(queue, self->delay);
  for (guint i = 0; i < pictures; i++) {
    const auto a = field(in, 0, static_cast<int>(i));
    const auto b = i == 0 ? field(in, 0, 1) : in.has(1) ? field(in, 1, 0) : a;
    if (Status s = combine(Op::average, a, b, out[i]->plane(0), queue); !s.ok()) return s;
  }
  return {};
}

}  // namespace

static void fields_init(Fields *self) {
  self->ahead = TRUE;
}

static void fields_class_init(FieldsClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = [](GObject *object, guint id, const GValue *value, GParamSpec *) {
    if (id == 1)
      fields_of(object)->ahead = g_value_get_boolean(value);
    else if (id == 4)
      fields_of(object)->measures = g_value_get_boolean(value);
    else
      (id == 2 ? fields_of(object)->fail : fields_of(object)->delay) = g_value_get_int(value);
  };
  constexpr auto flags = static_cast<GParamFlags>(G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(object_class, 1,
                                  g_param_spec_boolean("ahead", "ahead", "ahead", TRUE, flags));
  g_object_class_install_property(object_class, 2,
                                  g_param_spec_int("fail", "fail", "fail", 0, G_MAXINT, 0, flags));
  g_object_class_install_property(
      object_class, 3, g_param_spec_int("delay", "delay", "delay", 0, G_MAXINT, 0, flags));
  g_object_class_install_property(
      object_class, 4, g_param_spec_boolean("measures", "measures", "measures", FALSE, flags));
  auto *temporal_class = GST_COALESCE_TEMPORAL_CLASS(klass);
  temporal_class->reach = reach;
  temporal_class->measure = measure;
  temporal_class->pictures = pictures;
  temporal_class->run = run;
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->convert_caps = convert_caps;
  gst_coalesce_filter_class_add_templates(filter_class, "{ GRAY8 }", "{ GRAY8 }");
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Fields", "Filter/Video", "Test",
                                        "The gst-coalesce authors");
}

}  // namespace coalesce::testing
