// SPDX-License-Identifier: LGPL-2.1-or-later
// The filter that frames are filtered with follows the settings and the format.
#pragma once

#include <optional>

#include "convolveproperties.h"
#include "video/frame.h"

namespace coalesce::gst {

// Of settings that will not do a part stays as it was, with a warning for each time that it was
// set by hand. Where nothing has been in use before, that is an error. All functions are the
// streaming thread's.
class ConvolveCurrentFilter {
 public:
  // The element has the settings, and outlives this.
  ConvolveCurrentFilter(gpointer element, const Settings<ConvolveSettings> &settings,
                        const ConvolveKind &kind)
      : element_(element), settings_(settings), kind_(kind) {}

  // These settings are in use from now on, so that a wrong value is a warning before the first
  // frame, too. Whether frames can have them, update() shows.
  void start(const ConvolveSettings &settings);
  // Follows new settings, for frames of `info`, which may be new. False: an error.
  bool update(const GstVideoInfo &info, bool new_format);
  void stop();

  // What there is: a blur, or else a filter.
  bool is_pyramid() const { return in_use_.is_pyramid(); }
  const Blur &blur() const { return blur_; }
  const Filter &filter() const { return filter_; }
  BlurParams blur_params() {
    return {&blur_, in_use_.border, in_use_.border_value, in_use_.luma_only, in_use_.filter_alpha};
  }
  ConvolveParams params() {
    return {&filter_,          in_use_.border,       in_use_.border_value,
            in_use_.luma_only, in_use_.filter_alpha, &cache_};
  }
  ConvolveAlgorithm algorithm(const PixelFormat &format, bool on_cuda) {
    return cache_.get<ConvolveAlgorithm>(
        on_cuda, [&] { return choose_algorithm(params(), format, on_cuda); });
  }

 private:
  struct Warning {
    std::string problem;
    guint set = 0;
  };

  struct Made {  // one of them
    Filter filter;
    Blur blur;
  };

  std::string problem_of(ConvolvePart part, const ConvolveSettings &settings,
                         const GstVideoInfo &info, Made *made) const;
  bool settle(ConvolvePart part, const GstVideoInfo &info, ConvolveSettings *settings, Made *made);
  void warn_cut();
  void log() const;

  gpointer element_;
  const Settings<ConvolveSettings> &settings_;
  const ConvolveKind &kind_;
  bool any_ = false;   // `in_use_` is of the start, of this format or another one
  guint changes_ = 0;  // that it has seen
  ConvolveSettings in_use_;
  Filter filter_;
  Blur blur_;
  ArgumentCache cache_;           // of that filter, and of the format
  Warning warned_[N_PARTS];       // the last ones, lest a problem be reported for every frame
  std::optional<guint> cut_set_;  // settings of texts when a cut Gaussian was reported
  GstVideoFormat without_alpha_ = GST_VIDEO_FORMAT_UNKNOWN;  // the same of filter-alpha
};

}  // namespace coalesce::gst
