// SPDX-License-Identifier: LGPL-2.1-or-later
#include "aggregatorprivate.h"

#include <algorithm>

#include "object/objectlock.h"
#include "object/owned.h"
#include "video/input.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

namespace coalesce::gst {
namespace {

StructureRef copy_of(const GstStructure *structure) {
  return StructureRef(gst_structure_copy(structure));
}

// The sink pads of now, in their order.
std::vector<InputRef> inputs_of(GstCoalesceAggregator *self) {
  std::vector<InputRef> inputs;
  {
    const ObjectLock lock(self);
    for (GList *l = GST_ELEMENT(self)->sinkpads; l != nullptr; l = l->next)
      inputs.push_back({std::unique_ptr<GstPad, Unref>(GST_PAD(gst_object_ref(l->data))),
                        &gst_coalesce_aggregator_pad_input(l->data)});
  }
  std::stable_sort(inputs.begin(), inputs.end(),
                   [](const InputRef &a, const InputRef &b) { return a->number < b->number; });
  return inputs;
}

// The memories that caps are offered in, the one wanted more first.
std::vector<Memory> memories(GstCoalesceAggregator *self, bool cuda_first) {
  if (!self->backend->may_use_gpu()) return {Memory::system};
  if (cuda_first) return {Memory::cuda, Memory::system};
  return {Memory::system, Memory::cuda};
}

void append(GstCaps *caps, const GstStructure *structure, Memory memory) {
  const bool cuda = memory == Memory::cuda;
  gst_caps_append_structure_full(
      caps, gst_structure_copy(structure),
      cuda ? gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, nullptr) : nullptr);
}

CapsRef offered(GstCoalesceAggregator *self, GstPad *pad) {
  return CapsRef(template_caps_of(pad, self->backend->may_use_gpu()));
}

CapsRef intersection(GstCaps *first, GstCaps *second) {
  return CapsRef(gst_caps_intersect_full(first, second, GST_CAPS_INTERSECT_FIRST));
}

// What an input may have by downstream's wish; nullptr: anything.
CapsRef wanted_downstream(GstCoalesceAggregator *self) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  if (!klass->input_caps) return nullptr;
  GstPad *source = GST_AGGREGATOR_SRC_PAD(self);
  const CapsRef own = offered(self, source);
  const CapsRef downstream(gst_pad_peer_query_caps(source, own.get()));
  CapsRef result(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(downstream.get()); i++) {
    const GstStructure *theirs = gst_caps_get_structure(downstream.get(), i);
    for (guint alternative = 0;; alternative++) {
      const StructureRef structure = copy_of(theirs);
      // Inputs may be slower or faster than the output.
      gst_structure_remove_field(structure.get(), "framerate");
      if (!klass->input_caps(self, alternative, structure.get())) break;
      for (Memory memory : memories(self, true))
        append(result.get(), structure.get(), memory);
    }
  }
  return result;
}

// What the other pads have that this one must have, too; nullptr if none has caps.
CapsRef like_others(GstCoalesceAggregator *self, GstPad *pad) {
  const guint alike = GST_COALESCE_AGGREGATOR_GET_CLASS(self)->alike;
  CapsRef others;
  {
    const ObjectLock lock(self);
    for (GList *l = GST_ELEMENT(self)->sinkpads; l != nullptr && others == nullptr; l = l->next)
      if (l->data != pad) others.reset(gst_pad_get_current_caps(GST_PAD(l->data)));
  }
  if (others == nullptr) return nullptr;
  const GstStructure *theirs = gst_caps_get_structure(others.get(), 0);
  const StructureRef structure(gst_structure_new_empty("video/x-raw"));
  const auto take = [&](guint what, const char *field) {
    const GValue *value = gst_structure_get_value(theirs, field);
    if ((alike & what) != 0 && value != nullptr)
      gst_structure_set_value(structure.get(), field, value);
  };
  take(GST_COALESCE_ALIKE_FORMAT, "format");
  take(GST_COALESCE_ALIKE_SIZE, "width");
  take(GST_COALESCE_ALIKE_SIZE, "height");
  take(GST_COALESCE_ALIKE_RATE, "framerate");
  CapsRef result(gst_caps_new_empty());
  for (Memory memory : memories(self, true))
    append(result.get(), structure.get(), memory);
  return result;
}

// How two inputs differ in what must be alike: what one has, and what is required; else empty.
struct Difference {
  std::string has, required;
};
Difference difference(guint alike, const GstVideoInfo &info, const GstVideoInfo &other) {
  const auto size = [](const GstVideoInfo &i) {
    return std::to_string(GST_VIDEO_INFO_WIDTH(&i)) + "x" +
           std::to_string(GST_VIDEO_INFO_HEIGHT(&i));
  };
  const auto rate = [](const GstVideoInfo &i) {
    return std::to_string(GST_VIDEO_INFO_FPS_N(&i)) + "/" +
           std::to_string(GST_VIDEO_INFO_FPS_D(&i)) + " frames per second";
  };
  if ((alike & GST_COALESCE_ALIKE_FORMAT) != 0 &&
      GST_VIDEO_INFO_FORMAT(&info) != GST_VIDEO_INFO_FORMAT(&other))
    return {GST_VIDEO_INFO_NAME(&info), GST_VIDEO_INFO_NAME(&other)};
  if ((alike & GST_COALESCE_ALIKE_SIZE) != 0 && size(info) != size(other))
    return {size(info), size(other)};
  if ((alike & GST_COALESCE_ALIKE_RATE) != 0 && rate(info) != rate(other))
    return {rate(info), rate(other)};
  const auto mode = [](const GstVideoInfo &i) {
    return std::string("interlace-mode ") +
           gst_video_interlace_mode_to_string(GST_VIDEO_INFO_INTERLACE_MODE(&i));
  };
  if (mode(info) != mode(other)) return {mode(info), mode(other)};
  return {};
}

// Where two inputs differ that must not: while another frame's caps are to come, that has to be
// waited for; else it is an error. Of two pads the one is wrong whose caps are new; else the
// second.
GstFlowReturn check_alike(GstCoalesceAggregator *self) {
  const auto &inputs = self->priv->inputs;
  const auto &infos = self->priv->infos;
  const auto &in_caps = self->priv->in_caps;
  const guint alike = GST_COALESCE_AGGREGATOR_GET_CLASS(self)->alike;
  const auto is_new = [&](std::size_t i) {
    return in_caps.size() == inputs.size() && in_caps[i] != nullptr &&
           !gst_caps_is_equal(in_caps[i].get(), inputs[i]->caps());
  };
  std::size_t first = 0;
  while (first < inputs.size() && infos[first] == nullptr)
    first++;
  for (std::size_t i = first + 1; i < inputs.size(); i++) {
    if (infos[i] == nullptr || difference(alike, *infos[i], *infos[first]).has.empty()) continue;
    if (std::any_of(inputs.begin(), inputs.end(),
                    [](const InputRef &input) { return input->will_change(); })) {
      GST_DEBUG_OBJECT(inputs[i]->pad(), "new caps of other frames are to come");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    }
    const bool first_is_wrong = is_new(first) && !is_new(i);
    const std::size_t wrong = first_is_wrong ? first : i, right = first_is_wrong ? i : first;
    const Difference found = difference(alike, *infos[wrong], *infos[right]);
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("Pad %s has %s; %s is required, as pad %s has it", GST_PAD_NAME(inputs[wrong]->pad()),
         found.has.c_str(), found.required.c_str(), GST_PAD_NAME(inputs[right]->pad())),
        ("pad %s %" GST_PTR_FORMAT ", pad %s %" GST_PTR_FORMAT, GST_PAD_NAME(inputs[wrong]->pad()),
         inputs[wrong]->caps(), GST_PAD_NAME(inputs[right]->pad()), inputs[right]->caps()));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  return GST_FLOW_OK;
}

// Caps of the output, as the element makes them of the first input's.
CapsRef possible_outputs(GstCoalesceAggregator *self, GstCaps *first) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  const GstCoalesceAggregatorPrivate &priv = *self->priv;
  const guint n = static_cast<guint>(priv.infos.size());
  CapsRef result(gst_caps_new_empty());
  for (Memory memory : memories(self, aggregator_has_cuda_input(self))) {
    for (guint alternative = 0;; alternative++) {
      const StructureRef structure = copy_of(gst_caps_get_structure(first, 0));
      gst_structure_set(structure.get(), "framerate", GST_TYPE_FRACTION_RANGE, 1, G_MAXINT,
                        G_MAXINT, 1, nullptr);
      if (!klass->output_caps(self, priv.infos.data(), n, alternative, structure.get())) break;
      append(result.get(), structure.get(), memory);
    }
  }
  return result;
}

GstFlowReturn refuse(GstCoalesceAggregator *self) {
  self->priv->refused = true;
  return GST_FLOW_NOT_NEGOTIATED;
}

}  // namespace

bool aggregator_accepts(GstCoalesceAggregator *self, GstPad *pad, GstCaps *caps) {
  const CapsRef possible = offered(self, pad);
  return gst_caps_is_fixed(caps) && gst_caps_can_intersect(caps, possible.get()) &&
         !has_fields_apart(caps, 0);
}

GstCaps *aggregator_sink_caps(GstCoalesceAggregator *self, GstPad *pad, GstCaps *filter) {
  CapsRef result = offered(self, pad);
  if (const CapsRef wanted = wanted_downstream(self); wanted != nullptr)
    result = intersection(wanted.get(), result.get());
  // What suits the other inputs comes first. The rest is not left out: all may be about to change,
  // and an input that differs gets an error that tells it.
  if (const CapsRef others = like_others(self, pad); others != nullptr) {
    CapsRef both = intersection(others.get(), result.get());
    result.reset(gst_caps_merge(both.release(), result.release()));
  }
  if (filter != nullptr) result = intersection(filter, result.get());
  return result.release();
}

GstCaps *aggregator_source_caps(GstCoalesceAggregator *self, GstCaps *filter) {
  CapsRef result = offered(self, GST_AGGREGATOR_SRC_PAD(self));
  if (filter != nullptr) result = intersection(filter, result.get());
  return result.release();
}

bool aggregator_can_take(GstCoalesceAggregator *self, Input &input, GstCaps *caps) {
  GstVideoInfo info;
  if (usable_info(caps, &info) && aggregator_accepts(self, input.pad(), caps)) return true;
  const CapsRef possible = offered(self, input.pad());
  GST_ELEMENT_ERROR(
      self, STREAM, FORMAT,
      ("Pad %s has unsupported caps: %" GST_PTR_FORMAT, GST_PAD_NAME(input.pad()), caps),
      ("%" GST_PTR_FORMAT ", in frames of less than 2 GiB, is required", possible.get()));
  return false;
}

void aggregator_collect_inputs(GstCoalesceAggregator *self) {
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  priv.inputs = inputs_of(self);
  priv.frames.assign(priv.inputs.size(), nullptr);
  priv.infos.clear();
  for (const InputRef &input : priv.inputs)
    priv.infos.push_back(input->info());
}

bool aggregator_has_cuda_input(GstCoalesceAggregator *self) {
  return std::any_of(self->priv->inputs.begin(), self->priv->inputs.end(),
                     [](const InputRef &input) { return input->is_cuda(); });
}

bool aggregator_is_worth_the_trip(GstCoalesceAggregator *self) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  const auto &infos = self->priv->infos;
  return klass->worth_the_trip &&
         klass->worth_the_trip(self, infos.data(), static_cast<guint>(infos.size()));
}

GstFlowReturn aggregator_update_src_caps(GstAggregator *aggregator, GstCaps *downstream,
                                         GstCaps **result) {
  auto *self = GST_COALESCE_AGGREGATOR(aggregator);
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  const GstCoalesceAggregatorPrivate &priv = *self->priv;
  *result = nullptr;
  if (self->backend->failed()) return GST_FLOW_ERROR;
  aggregator_collect_inputs(self);
  if (priv.inputs.size() < klass->least_inputs) {
    GST_ELEMENT_ERROR(self, CORE, PAD,
                      ("%u inputs are required; there is %u", klass->least_inputs,
                       static_cast<guint>(priv.inputs.size())),
                      (nullptr));
    return refuse(self);
  }
  const auto known = static_cast<guint>(
      std::count_if(priv.infos.begin(), priv.infos.end(), [](auto *info) { return info; }));
  if (known < klass->least_inputs || (klass->needs_all && known < priv.inputs.size())) {
    GST_DEBUG_OBJECT(self, "%u of %u inputs have caps", known,
                     static_cast<guint>(priv.inputs.size()));
    self->priv->out_caps.reset();
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  if (const GstFlowReturn flow = check_alike(self); flow != GST_FLOW_OK) {
    self->priv->out_caps.reset();
    return flow == GST_FLOW_NOT_NEGOTIATED ? refuse(self) : flow;
  }
  const auto first = std::find_if(priv.inputs.begin(), priv.inputs.end(),
                                  [](const InputRef &input) { return input->info(); });
  const CapsRef possible = possible_outputs(self, (*first)->caps());
  CapsRef both = intersection(possible.get(), downstream);
  if (gst_caps_is_empty(both.get()) && !GST_PAD_IS_FLUSHING(aggregator->srcpad)) {
    GST_ELEMENT_ERROR(
        self, CORE, NEGOTIATION,
        ("Downstream accepts none of the possible outputs: %" GST_PTR_FORMAT, possible.get()),
        ("downstream accepts %" GST_PTR_FORMAT, downstream));
    return refuse(self);
  }
  *result = both.release();
  return GST_FLOW_OK;
}

GstCaps *aggregator_fixate_src_caps(GstAggregator *aggregator, GstCaps *caps) {
  const CapsRef given(caps);
  auto *self = GST_COALESCE_AGGREGATOR(aggregator);
  GstPad *source = aggregator->srcpad;
  CapsRef result(gst_caps_copy_nth(
      caps, choose_structure(caps, aggregator_has_cuda_input(self), peer_names_cuda(source))));
  GstStructure *structure = gst_caps_get_structure(result.get(), 0);
  fixate_video(source, structure);
  // The rate is that of the fastest input.
  return GST_AGGREGATOR_CLASS(g_type_class_peek(GST_TYPE_VIDEO_AGGREGATOR))
      ->fixate_src_caps(aggregator, result.release());
}

}  // namespace coalesce::gst
