// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of Canny's edges, and their properties, in every element that has them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "blur/blur.h"
#include "canny/canny.h"
#include "object/propertytable.h"
#include "video/channelsettings.h"
#include "video/conversion.h"

namespace coalesce::gst {

struct EdgeSettings {
  double low = 50, high = 150;
  int aperture = 3;
  bool l2 = false;
  double sigma = 0;  // of a Gaussian in front

  // GObject takes -1e-100 for 0, and likewise at the other end.
  CannyParams params() const {
    return {std::clamp(low, 0., kMaxCannyThreshold), std::clamp(high, 0., kMaxCannyThreshold),
            aperture, l2};
  }
  double usable_sigma() const { return std::clamp(sigma, 0., kMaxSigma); }
};

// S is made on EdgeSettings.
template <class S>
void add_edge_properties(PropertyTable<S> *t) {
  t->add(&S::low,
         {"low-threshold", "Low threshold",
          "Gradient that an edge exceeds everywhere, in sums of samples times Sobel weights"},
         0., kMaxCannyThreshold);
  t->add(&S::high,
         {"high-threshold", "High threshold",
          "Gradient that an edge exceeds somewhere, in sums of samples times Sobel weights. It is "
          "exchanged with low-threshold if it is less"},
         0., kMaxCannyThreshold);
  t->add(&S::aperture,
         {"aperture", "Aperture",
          "Rows and columns of the Sobel filter: 3, 5 or 7. Where a control source gives an even "
          "one, the next is used"},
         3, 7);
  t->add(&S::l2, {"l2-gradient", "L2 gradient",
                  "Compute the gradient's magnitude as the root of the sum of squares, in place of "
                  "the sum of absolute values"});
  t->add(&S::sigma,
         {"sigma", "Standard deviation",
          "Standard deviation in pixels of a Gaussian that smooths the picture first, as "
          "sepconvolve preset=blur: 0.1 to 100 (0 = none)"},
         0., kMaxSigma);
}

// Sets a property. `controlled`: an even aperture becomes the next odd one.
template <class S>
bool set_edge_property(const PropertyTable<S> &table, guint id, bool controlled, S *settings,
                       const GValue *value) {
  const int before = settings->aperture;
  const bool changed = table.set(id, settings, value);
  if (settings->aperture != before && controlled) settings->aperture |= 1;
  return changed;
}

template <class S>
OwnPart<S> aperture_part() {
  return {[](const S &settings) -> std::string {
            if (settings.aperture % 2 == 1) return {};
            return "aperture=" + std::to_string(settings.aperture) + ": it must be 3, 5 or 7";
          },
          [](const S &before, S *settings) { settings->aperture = before.aperture; }};
}

template <class S>
OwnPart<S> sigma_part() {
  return {[](const S &settings) -> std::string {
            if (settings.sigma <= 0 || settings.sigma >= kMinSigma) return {};
            return "sigma=" + number_text(settings.sigma) +
                   ": it must be 0.1 to 100, or 0 for none";
          },
          [](const S &before, S *settings) { settings->sigma = before.sigma; }};
}

// What a source that has a choice makes comes first.
inline std::vector<std::string> edge_formats() {
  return formats_where({"GRAY8", "I420", "YV12", "NV12", "NV21", "Y42B", "Y444"},
                       [](const PixelFormat &format) { return format.in_bytes(); });
}

}  // namespace coalesce::gst
