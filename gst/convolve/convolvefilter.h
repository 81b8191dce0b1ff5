// SPDX-License-Identifier: LGPL-2.1-or-later
// What the elements convolve and sepconvolve share: properties, formats, and the filter that is
// made of them anew whenever something has changed. An element adds its masks: texts and presets.
#pragma once

#include <atomic>
#include <string>

#include "base/filter.h"
#include "convolve/convolve.h"

GST_DEBUG_CATEGORY_EXTERN(gst_convolve_debug);

namespace coalesce::gst {

// What makes one element of it.
struct ConvolveKind {
  struct Text {
    const char *name = nullptr, *nick = nullptr, *blurb = nullptr, *initial = "";
  };
  Text text[2];  // the properties that hold masks; the second may be missing
  GType preset_type = 0;
  int max_size = 0;  // of presets

  // Reads the texts into `settings`. Returns false and says what is wrong, property and text
  // included; then the mask of a bad text is left as it was.
  bool (*parse)(const std::string (&text)[2], FilterSettings *settings, std::string *problem);
  // The texts of a preset, which is not none (0). Returns false and says what is wrong.
  bool (*fill)(int preset, int size, double sigma, std::string (&text)[2], std::string *problem);
};

// Each may be wrong without the others.
enum ConvolvePart : guint { PART_TEXTS, PART_FILTER, PART_BORDER, PART_PLANES, N_PARTS };

// What the properties say.
struct ConvolveWishes {
  std::string text[2] = {"1", ""};
  int preset = 0;  // none
  int size = 0;
  double sigma = 0;
  std::string problem;    // with the texts or the preset; empty if they are right
  FilterSettings filter;  // its masks are those of the last texts that were right
  Border border = Border::replicate;
  int border_value = 0;
  bool luma_only = false;
  bool filter_alpha = false;
  guint set[N_PARTS] = {};  // how often, by hand: what is controlled is set for every frame
};

// What frames are filtered with: the wishes, or where one cannot be met, what was used before.
struct ConvolveUse {
  bool any = false;   // there is something to filter with, since the element has started
  guint changes = 0;  // which wishes these are
  ConvolveWishes wishes;
  Filter filter;
  ArgumentCache cache;  // of that filter
  struct Warning {
    std::string problem;
    guint set = 0;
  };
  Warning warned[N_PARTS];  // the last ones, lest a problem be reported for every frame
};

struct ConvolveState {
  // Set under the object's lock.
  ConvolveWishes wanted;
  std::atomic<guint> changes{1};  // of `wanted`, counted

  // The streaming thread's own.
  ConvolveUse use;
  std::atomic<ConvolveAlgorithm> algorithm{ConvolveAlgorithm::automatic};  // none yet
};

}  // namespace coalesce::gst

struct GstConvolveFilter {
  GstCoalesceFilter parent;
  coalesce::gst::ConvolveState *state;
};

struct GstConvolveFilterClass {
  GstCoalesceFilterClass parent_class;
  const coalesce::gst::ConvolveKind *kind;
};

GType gst_convolve_filter_get_type();
#define GST_TYPE_CONVOLVE_FILTER (gst_convolve_filter_get_type())
#define GST_CONVOLVE_FILTER(object) (reinterpret_cast<GstConvolveFilter *>(object))
#define GST_CONVOLVE_FILTER_CLASS(klass) (reinterpret_cast<GstConvolveFilterClass *>(klass))
#define GST_CONVOLVE_FILTER_GET_CLASS(object) \
  (G_TYPE_INSTANCE_GET_CLASS((object), GST_TYPE_CONVOLVE_FILTER, GstConvolveFilterClass))

namespace coalesce::gst {

// For an element's class_init and init. `kind` must stay.
void convolve_class_setup(GstConvolveFilterClass *klass, const ConvolveKind *kind);
void convolve_instance_setup(GstConvolveFilter *self, const ConvolveKind *kind);

// In convolveproperties.cpp.
enum ConvolveProperty : guint {
  PROP_0,
  PROP_TEXT,
  PROP_SECOND_TEXT,
  PROP_PRESET,
  PROP_SIZE,
  PROP_SIGMA,
  PROP_ANCHOR_X,
  PROP_ANCHOR_Y,
  PROP_CORRELATE,
  PROP_NORMALIZE,
  PROP_DIVISOR,
  PROP_BIAS,
  PROP_ABSOLUTE,
  PROP_BORDER,
  PROP_BORDER_VALUE,
  PROP_PLANES,
  PROP_FILTER_ALPHA,
  PROP_ALGORITHM,
};
void convolve_install_properties(GstConvolveFilterClass *klass);
// As the property algorithm names it.
const char *convolve_algorithm_nick(ConvolveAlgorithm algorithm);

// In convolvevalues.cpp.
void convolve_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void convolve_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec);

// In convolveupdate.cpp. Before the start: is what can be said without a format right? If not,
// posts an error. What is ignored is a warning.
bool convolve_check_properties(GstConvolveFilter *self);

// Brings state->use up to date with the properties, for frames of `info`. What is wrong with them
// is an error and returns false if there is nothing that could be used instead, else a warning for
// each time that it was set.
// `renewed`: the format may have changed.
bool convolve_update(GstConvolveFilter *self, const GstVideoInfo &info, bool renewed);

// `preset=nick`, for messages.
std::string convolve_preset(const ConvolveKind &kind, int preset);

// Why a text cannot be read, and what helps where it is empty.
std::string convolve_text_problem(const char *property, const std::string &text,
                                  const std::string &why, bool may_be_empty);

// `property="text"`, of a sane length and in UTF-8, for messages.
std::string convolve_quote(const char *property, const std::string &text);

}  // namespace coalesce::gst
