// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "memory/bufferpool.h"

namespace coalesce::gst {

// What an element has refused with an error. Upstream's pads send such caps again and again, and
// one error is enough; but with another output, or after a change of settings, they are tried
// again.
class RefusedCaps {
 public:
  // settings: a number that changes with each change of the settings.
  bool has(GstCaps *in, GstCaps *out, guint settings) const {
    return in_ != nullptr && settings_ == settings && gst_caps_is_equal(in_.get(), in) &&
           gst_caps_is_equal(out_.get(), out);
  }
  void add(GstCaps *in, GstCaps *out, guint settings) {
    in_.reset(gst_caps_ref(in));
    out_.reset(gst_caps_ref(out));
    settings_ = settings;
  }
  void clear() {
    in_.reset();
    out_.reset();
  }

 private:
  CapsRef in_, out_;  // the last ones
  guint settings_ = 0;
};

}  // namespace coalesce::gst
