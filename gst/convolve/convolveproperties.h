// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of convolve and sepconvolve.
#pragma once

#include <string>
#include <vector>

#include "blur/blur.h"
#include "object/propertytable.h"
#include "object/settings.h"
#include "video/channels.h"

namespace coalesce::gst {

// What makes one element of it.
struct ConvolveKind {
  const char *long_name, *description;
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
  int gaussian_preset = 0;
  const char *large_gaussian = nullptr;  // in its place for a large sigma
  int blur_preset = 0;                   // that blurs, whatever masks can do; 0: there is none
};

// Each may be wrong without the others.
enum ConvolvePart : guint { PART_TEXTS, PART_FILTER, PART_BORDER, PART_PLANES, N_PARTS };

// The masks are those of the last texts that were right.
struct ConvolveSettings : FilterSettings, ChannelSettings {
  std::string text[2] = {"1", ""};
  int preset = 0;  // none
  int size = 0;
  double sigma = 0;
  double blur = 0;      // the sigma of a preset that blurs, if that is in use
  std::string problem;  // with the texts or the preset; empty if they are right
  // Is it the blur for which there are no masks?
  bool is_pyramid() const { return blur >= kMinBlurSigma; }
  guint set[N_PARTS] = {};  // how often, by hand: what is controlled is set for every frame
};

using ConvolveProperties = PropertyTable<ConvolveSettings>;

ConvolveProperties convolve_properties(const ConvolveKind &kind);
// `algorithm`, which is no setting, and its id.
constexpr guint kConvolveAlgorithm = 17;
GParamSpec *convolve_algorithm_property();
// The initial texts.
void convolve_init_settings(const ConvolveKind &kind, ConvolveSettings *settings);
// Sets a property of an element. Others may follow it.
void convolve_set_property(GObject *object, Settings<ConvolveSettings> *settings,
                           const ConvolveKind &kind, const ConvolveProperties &properties, guint id,
                           const GValue *value, GParamSpec *pspec);

// The property `algorithm` has the values of ConvolveAlgorithm, and this one.
constexpr int kPyramidAlgorithm = int(ConvolveAlgorithm::separable) + 1;
// As it names them.
const char *convolve_algorithm_nick(int algorithm);

// What has been set and has no effect in any format, for messages.
std::vector<std::string> convolve_ignored(const ConvolveKind &kind,
                                          const ConvolveSettings &settings);

// A Gaussian that its preset cuts, for messages; empty if it does not.
std::string convolve_cut(const ConvolveKind &kind, const ConvolveSettings &settings);

// Why a text cannot be read, and what helps where it is empty.
std::string convolve_text_problem(const char *property, const std::string &text,
                                  const std::string &why, bool may_be_empty);

// `preset=nick`, for messages.
std::string convolve_preset(const ConvolveKind &kind, int preset);

inline std::string convolve_quote(const char *property, const std::string &text) {
  return quote_setting(property, text, 400);
}

}  // namespace coalesce::gst
