// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements.h"

#include <deque>
#include <stdexcept>

#include "object/guarded.h"

#include "../../elements/blend.h"
#include "../../elements/difference.h"
#include "../../elements/fields.h"

extern "C" void gst_plugin_coalesce_register();

using namespace coalesce;

namespace {

// ---- coalesceinvert --------------------------------------------------------------------------

struct Invert {
  GstCoalesceFilter parent;
  int number[5];  // of kInvertProperties
  int runs;
};
struct InvertClass {
  GstCoalesceFilterClass parent_class;
};
GType invert_get_type();
G_DEFINE_TYPE(Invert, invert, GST_TYPE_COALESCE_FILTER)

constexpr const char *kInvertProperties[] = {"delay", "fail", "throw", "scratch", "kept"};
enum InvertNumber { kDelay, kFail, kThrow, kScratch, kKept };

struct Area {
  std::uint8_t *data;
  gsize bytes;
};
struct InvertWork {
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  Area beside[2];
};

gsize invert_bytes(gpointer self, InvertNumber number) {
  return static_cast<gsize>(static_cast<Invert *>(self)->number[number]) << 30;
}

void invert_plane(void *arg) {
  const auto &[in, out, beside] = *static_cast<InvertWork *>(arg);
  for (const auto &[data, bytes] : beside)
    if (bytes > 0) data[0] = data[bytes - 1] = 1;
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++)
      out.row(y)[x] = static_cast<std::uint8_t>(~in.row(y)[x]);
}

void launch_empty(const Queue &queue, int kernels) {
  for (int i = 0; queue.on_cuda() && i < kernels; i++)
    fakecuda_launch(
        static_cast<CUstream>(queue.stream()), [](void *) {}, nullptr, nullptr);
}

Status invert_run(GstCoalesceFilter *filter, const gst::Frame &in, const gst::Frame &out,
                  const Queue &queue) {
  auto *self = reinterpret_cast<Invert *>(filter);
  bool is_new;
  void *const scratch = gst_coalesce_filter_scratch(filter);
  void *const kept = gst_coalesce_filter_kept(filter, &is_new);
  InvertWork work{in.plane(0),
                  out.plane(0),
                  {{static_cast<std::uint8_t *>(scratch), invert_bytes(self, kScratch)},
                   {static_cast<std::uint8_t *>(kept), invert_bytes(self, kKept)}}};
  if (++self->runs == self->number[kFail])
    return {StatusCode::device_error, "the test wanted it so"};
  if (!queue.on_cuda()) {
    invert_plane(&work);
    return {};
  }
  auto *stream = static_cast<CUstream>(queue.stream());
  launch_empty(queue, self->number[kDelay]);
  for (const auto &[data, bytes] : work.beside)
    if (bytes > 0 && fakecuda_check_access(data, bytes, 1, bytes) != 0)
      return {StatusCode::device_error, "there is less memory beside the frames"};
  const auto free_work = [](void *arg) { delete static_cast<InvertWork *>(arg); };
  if (fakecuda_launch(stream, invert_plane, new InvertWork(work), free_work) != 0)
    return {StatusCode::device_error, "the kernel could not be launched"};
  return {};
}

Status invert_or_throw(GstCoalesceFilter *filter, const gst::Frame &in, const gst::Frame &out,
                       const Queue &queue) {
  const Status status = invert_run(filter, in, out, queue);
  auto *self = reinterpret_cast<Invert *>(filter);
  if (self->runs == self->number[kThrow]) throw std::runtime_error("the test threw it");
  return status;
}

void invert_set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  auto *self = reinterpret_cast<Invert *>(object);
  const int number = g_value_get_int(value);
  if (number < 0) throw std::runtime_error("the test threw it");
  self->number[id - 1] = number;
}

void invert_init(Invert *) {}

void invert_class_init(InvertClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst::guarded<invert_set_property>;
  guint id = 0;
  for (const char *name : kInvertProperties)
    g_object_class_install_property(
        object_class, ++id,
        g_param_spec_int(name, name, name, -1, G_MAXINT, 0,
                         static_cast<GParamFlags>(G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS)));
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->run = invert_or_throw;
  filter_class->worth_the_trip = [](GstCoalesceFilter *, const GstVideoInfo *) -> gboolean {
    return TRUE;
  };
  filter_class->scratch_bytes = [](GstCoalesceFilter *self, const gst::Frame &) {
    return invert_bytes(self, kScratch);
  };
  filter_class->kept_bytes = [](GstCoalesceFilter *self, const gst::Frame &) {
    return invert_bytes(self, kKept);
  };
  gst_coalesce_filter_class_add_templates(filter_class, "{ GRAY8 }", "{ GRAY8 }");
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Invert", "Filter/Video", "Test",
                                        "The gst-coalesce authors");
}

// ---- coalescehold ----------------------------------------------------------------------------

struct Hold {
  GstCoalesceTransform parent;
  guint frames;
  std::deque<GstBuffer *> *held;
};
struct HoldClass {
  GstCoalesceTransformClass parent_class;
};
GType hold_get_type();
G_DEFINE_TYPE(Hold, hold, GST_TYPE_COALESCE_TRANSFORM)

Hold *hold_of(gpointer object) {
  return reinterpret_cast<Hold *>(object);
}

GstBuffer *oldest(Hold *self) {
  GstBuffer *buffer = self->held->front();
  self->held->pop_front();
  return buffer;
}

GstFlowReturn hold_generate_output(GstBaseTransform *trans, GstBuffer **output) {
  Hold *self = hold_of(trans);
  *output = nullptr;
  if (trans->queued_buf == nullptr) return GST_FLOW_OK;
  self->held->push_back(trans->queued_buf);
  trans->queued_buf = nullptr;
  if (self->held->size() > self->frames) *output = oldest(self);
  return GST_FLOW_OK;
}

GstFlowReturn hold_drain(GstCoalesceTransform *transform) {
  Hold *self = hold_of(transform);
  GstFlowReturn flow = GST_FLOW_OK;
  while (!self->held->empty() && flow == GST_FLOW_OK)
    flow = gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(transform), oldest(self));
  return flow;
}

void hold_discard(GstCoalesceTransform *transform) {
  while (!hold_of(transform)->held->empty())
    gst_buffer_unref(oldest(hold_of(transform)));
}

void hold_finalize(GObject *object) {
  delete hold_of(object)->held;
  G_OBJECT_CLASS(hold_parent_class)->finalize(object);
}

void hold_init(Hold *self) {
  self->held = new std::deque<GstBuffer *>;
}

void hold_class_init(HoldClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = hold_finalize;
  object_class->set_property = [](GObject *object, guint, const GValue *value, GParamSpec *) {
    hold_of(object)->frames = g_value_get_uint(value);
  };
  g_object_class_install_property(
      object_class, 1,
      g_param_spec_uint("frames", "frames", "frames", 0, 100, 0,
                        static_cast<GParamFlags>(G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS)));
  GST_BASE_TRANSFORM_CLASS(klass)->generate_output = hold_generate_output;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->drain = hold_drain;
  transform_class->discard = hold_discard;
  transform_class->max_frames_in_flight = [](GstCoalesceTransform *self) {
    return hold_of(self)->frames;
  };
  auto *element_class = GST_ELEMENT_CLASS(klass);
  GstCaps *any = gst_caps_from_string("video/x-raw(ANY)");
  gst_element_class_add_pad_template(
      element_class, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, any));
  gst_element_class_add_pad_template(element_class,
                                     gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, any));
  gst_caps_unref(any);
  gst_element_class_set_static_metadata(element_class, "Hold", "Filter/Video", "Test",
                                        "The gst-coalesce authors");
}

}  // namespace

namespace simulated {

void register_elements() {
  gst_plugin_coalesce_register();
  gst_element_register(nullptr, "coalesceinvert", GST_RANK_NONE, invert_get_type());
  testing::before_kernel = launch_empty;
  gst_element_register(nullptr, "coalesceblend", GST_RANK_NONE, testing::blend_get_type());
  gst_element_register(nullptr, "coalescefields", GST_RANK_NONE, testing::fields_get_type());
  gst_element_register(nullptr, "coalescedifference", GST_RANK_NONE,
                       testing::difference_get_type());
  gst_element_register(nullptr, "coalesceanydifference", GST_RANK_NONE,
                       testing::any_difference_get_type());
  gst_element_register(nullptr, "coalesceleftright", GST_RANK_NONE, testing::left_right_get_type());
  gst_element_register(nullptr, "coalescehold", GST_RANK_NONE, hold_get_type());
}

std::string wrong_inverted(GstBuffer *buffer, const GstVideoInfo &info, unsigned seed, int flags,
                           guint8 xor_with) {
  const std::string wrong = wrong_bytes(buffer, info, flags, [&](int, int x, int y) {
    return static_cast<guint8>(sample(seed, 0, x, y) ^ xor_with);
  });
  return wrong.empty() || wrong == kNotMapped ? wrong
                                              : "picture " + std::to_string(seed) + ", " + wrong;
}

}  // namespace simulated
