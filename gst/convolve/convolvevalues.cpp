// SPDX-License-Identifier: LGPL-2.1-or-later
// The values of the properties.
#include "convolvefilter.h"
#include "core/objectlock.h"

namespace coalesce::gst {
namespace {

const ConvolveKind &kind_of(GstConvolveFilter *self) {
  return *GST_CONVOLVE_FILTER_GET_CLASS(self)->kind;
}

// What follows is called under the object's lock.

// Texts and masks change together or, if there is no memory, not at all: so of a copy.

void read_texts(const ConvolveKind &kind, ConvolveWishes *wanted) {
  wanted->problem.clear();
  kind.parse(wanted->text, &wanted->filter, &wanted->problem);
}

void set_text(GstConvolveFilter *self, int which, const gchar *text) {
  ConvolveWishes wanted = self->state->wanted;
  wanted.text[which] = text ? text : "";
  wanted.preset = 0;
  read_texts(kind_of(self), &wanted);
  self->state->wanted = std::move(wanted);
  self->state->changes++;
}

// After a change of preset, size or sigma. none leaves the texts as they are.
void follow_preset(const ConvolveKind &kind, ConvolveWishes *wanted) {
  std::string problem;
  if (wanted->preset == 0 ||
      kind.fill(wanted->preset, wanted->size, wanted->sigma, wanted->text, &problem))
    read_texts(kind, wanted);
  else
    wanted->problem = convolve_preset(kind, wanted->preset) + ": " + problem;
}

// Sets one of these. Are the texts others now? (Size and sigma are those of a preset.)
template <class T>
bool set_preset(GstConvolveFilter *self, T ConvolveWishes::*field, T value, bool of_any = false) {
  ConvolveState &state = *self->state;
  if (state.wanted.*field == value) return false;
  const bool refilled = of_any || state.wanted.preset != 0;
  if (refilled) {
    ConvolveWishes wanted = state.wanted;
    wanted.*field = value;
    follow_preset(kind_of(self), &wanted);
    state.wanted = std::move(wanted);
  } else {
    state.wanted.*field = value;
  }
  state.changes++;
  return refilled;
}

// Notes that a property has been set to something new, or a text to anything.
void count_setting(ConvolveWishes &wanted, guint id) {
  const bool of_texts = id <= PROP_SIGMA;
  if ((id == PROP_SIZE || id == PROP_SIGMA) && wanted.preset == 0) return;
  if (of_texts) wanted.set[PART_TEXTS]++;
  // Texts that are wrong leave the masks as they were.
  if (id <= PROP_ABSOLUTE && !(of_texts && !wanted.problem.empty())) wanted.set[PART_FILTER]++;
  if (id == PROP_BORDER || id == PROP_BORDER_VALUE) wanted.set[PART_BORDER]++;
  if (id == PROP_PLANES) wanted.set[PART_PLANES]++;
}

// Is it a change?
template <class T>
bool assign(ConvolveState &state, T &field, T value) {
  if (field == value) return false;
  field = value;
  state.changes++;
  return true;
}

void set_number(ConvolveState &state, guint id, const GValue *value) {
  ConvolveWishes &wanted = state.wanted;
  FilterSettings &filter = wanted.filter;
  switch (id) {
    case PROP_ANCHOR_X:
      assign(state, filter.anchor_x, g_value_get_int(value));
      break;
    case PROP_ANCHOR_Y:
      assign(state, filter.anchor_y, g_value_get_int(value));
      break;
    case PROP_CORRELATE:
      assign(state, filter.correlate, g_value_get_boolean(value) != FALSE);
      break;
    case PROP_NORMALIZE:
      assign(state, filter.normalize, g_value_get_boolean(value) != FALSE);
      break;
    case PROP_DIVISOR:
      assign(state, filter.divisor, g_value_get_double(value));
      break;
    case PROP_BIAS:
      assign(state, filter.bias, g_value_get_double(value));
      break;
    case PROP_ABSOLUTE:
      assign(state, filter.absolute, g_value_get_boolean(value) != FALSE);
      break;
    case PROP_BORDER:
      assign(state, wanted.border, static_cast<Border>(g_value_get_enum(value)));
      break;
    case PROP_BORDER_VALUE:
      assign(state, wanted.border_value, g_value_get_int(value));
      break;
    case PROP_PLANES:
      assign(state, wanted.luma_only, g_value_get_enum(value) != 0);
      break;
    default:
      assign(state, wanted.filter_alpha, g_value_get_boolean(value) != FALSE);
  }
}

void get_filter_property(const FilterSettings &filter, guint id, GValue *value) {
  switch (id) {
    case PROP_ANCHOR_X:
      g_value_set_int(value, filter.anchor_x);
      break;
    case PROP_ANCHOR_Y:
      g_value_set_int(value, filter.anchor_y);
      break;
    case PROP_CORRELATE:
      g_value_set_boolean(value, filter.correlate);
      break;
    case PROP_NORMALIZE:
      g_value_set_boolean(value, filter.normalize);
      break;
    case PROP_DIVISOR:
      g_value_set_double(value, filter.divisor);
      break;
    case PROP_BIAS:
      g_value_set_double(value, filter.bias);
      break;
    default:
      g_value_set_boolean(value, filter.absolute);
  }
}

bool is_controlled(GObject *object, const GParamSpec *pspec) {
  GstControlBinding *binding = gst_object_get_control_binding(GST_OBJECT(object), pspec->name);
  if (binding == nullptr) return false;
  gst_object_unref(binding);
  return true;
}

}  // namespace

namespace {

// What others have changed with it.
struct Followers {
  bool preset_gone = false, refilled = false;
};

Followers set_value(GstConvolveFilter *self, guint id, const GValue *value, GParamSpec *pspec,
                    bool by_hand) {
  ConvolveState &state = *self->state;
  ConvolveWishes &wanted = state.wanted;
  Followers followers;
  const ObjectLock lock(self);
  const guint before = state.changes;
  switch (id) {
    case PROP_TEXT:
    case PROP_SECOND_TEXT:
      followers.preset_gone = wanted.preset != 0;
      set_text(self, id == PROP_TEXT ? 0 : 1, g_value_get_string(value));
      break;
    case PROP_PRESET:
      followers.refilled = set_preset(self, &ConvolveWishes::preset, g_value_get_enum(value), true);
      break;
    case PROP_SIZE:
      followers.refilled = set_preset(self, &ConvolveWishes::size, g_value_get_int(value));
      break;
    case PROP_SIGMA:
      followers.refilled = set_preset(self, &ConvolveWishes::sigma, g_value_get_double(value));
      break;
    default:
      if (id <= PROP_FILTER_ALPHA)
        set_number(state, id, value);
      else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(self, id, pspec);
  }
  if (by_hand && state.changes != before) count_setting(wanted, id);
  return followers;
}

}  // namespace

void convolve_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  auto *self = GST_CONVOLVE_FILTER(object);
  const Followers followers = set_value(self, id, value, pspec, !is_controlled(object, pspec));
  if (followers.preset_gone) g_object_notify(object, "preset");
  for (const ConvolveKind::Text &text : kind_of(self).text)
    if (followers.refilled && text.name != nullptr) g_object_notify(object, text.name);
}

void convolve_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  const ConvolveState &state = *GST_CONVOLVE_FILTER(object)->state;
  const ConvolveWishes &wanted = state.wanted;
  const ObjectLock lock(object);
  switch (id) {
    case PROP_TEXT:
    case PROP_SECOND_TEXT:
      g_value_set_string(value, wanted.text[id == PROP_TEXT ? 0 : 1].c_str());
      break;
    case PROP_PRESET:
      g_value_set_enum(value, wanted.preset);
      break;
    case PROP_SIZE:
      g_value_set_int(value, wanted.size);
      break;
    case PROP_SIGMA:
      g_value_set_double(value, wanted.sigma);
      break;
    case PROP_BORDER:
      g_value_set_enum(value, int(wanted.border));
      break;
    case PROP_BORDER_VALUE:
      g_value_set_int(value, wanted.border_value);
      break;
    case PROP_PLANES:
      g_value_set_enum(value, wanted.luma_only ? 1 : 0);
      break;
    case PROP_FILTER_ALPHA:
      g_value_set_boolean(value, wanted.filter_alpha);
      break;
    case PROP_ALGORITHM:
      g_value_set_enum(value, int(state.algorithm.load()));
      break;
    default:
      if (id >= PROP_ANCHOR_X && id <= PROP_ABSOLUTE)
        get_filter_property(wanted.filter, id, value);
      else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

}  // namespace coalesce::gst
