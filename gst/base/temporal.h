// SPDX-License-Identifier: LGPL-2.1-or-later
// Video in, video out, with a look at the frames before and after the one in hand; each frame
// becomes one picture or several. (Deinterlacing, denoising.)
//
// An element derives from this as from a filter, which it is, and implements the functions below in
// place of the filter's run().
//
// At both ends of a sequence (of the stream, before and after a discontinuity) the nearest frame
// stands in for those that are missing. Serialized events that end no sequence keep their place
// behind the pictures of the frame that they came after.
#pragma once

#include "filter.h"

namespace coalesce::gst {

constexpr guint kMostPictures = 4;

// The frame in hand, at 0, and those around it.
class FrameWindow {
 public:
  struct Picture {
    const Frame *frame;
    GstBuffer *metadata;  // flags, times and metas of upstream's buffer; it has no memory
  };

  // `first`, of the offsets from `begin`, is the first that there is a frame for, and so on.
  FrameWindow(const Picture *in_hand, int first, int last)
      : in_hand_(in_hand), first_(first), last_(last) {}

  bool has(int offset) const { return first_ <= offset && offset <= last_; }
  // Those of the nearest one, where there is none.
  const Frame &frame(int offset) const { return *picture(offset).frame; }
  GstBuffer *metadata(int offset) const { return picture(offset).metadata; }

 private:
  const Picture &picture(int offset) const {
    return in_hand_[offset < first_ ? first_ : offset > last_ ? last_ : offset];
  }
  const Picture *in_hand_;
  int first_, last_;
};

}  // namespace coalesce::gst

struct GstCoalesceTemporalPrivate;

struct GstCoalesceTemporal {
  GstCoalesceFilter parent;
  GstCoalesceTemporalPrivate *priv;
};

struct GstCoalesceTemporalClass {
  GstCoalesceFilterClass parent_class;

  // How many frames before and after the one in hand the work looks at, with the settings of now.
  // As many as come after it are the element's latency. Called before each frame.
  void (*reach)(GstCoalesceTemporal *self, guint *before, guint *after);

  // How many pictures the frame becomes, from none to kMostPictures; they share its time evenly.
  // Default: one.
  guint (*pictures)(GstCoalesceTemporal *self, GstBuffer *metadata);

  // Does the frame go on as it is? Its own buffer does, if both pads have the same memory;
  // otherwise pictures() and run() make a copy. Default: no.
  gboolean (*passes)(GstCoalesceTemporal *self, GstBuffer *metadata);

  // The work: so many pictures of the frame in hand, in the order of time. As of a filter's run().
  coalesce::Status (*run)(GstCoalesceTemporal *self, const coalesce::gst::FrameWindow &in,
                          const coalesce::gst::Frame *const *out, guint pictures,
                          const coalesce::Queue &queue);
};

COALESCE_DECLARE_CLASS(GstCoalesceTemporal, gst_coalesce_temporal, GST_COALESCE_TEMPORAL)
#define GST_TYPE_COALESCE_TEMPORAL (gst_coalesce_temporal_get_type())
