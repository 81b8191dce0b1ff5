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
// In place of a number of pictures: the frame goes on as it is. Its own buffer does, if passes()
// has said so; else run() makes one picture, a copy.
constexpr guint kPasses = G_MAXUINT;

// The frame in hand, at 0, and those around it.
class FrameWindow {
 public:
  struct Picture {
    const Frame *frame;
    GstBuffer *metadata;  // flags, times and metas of upstream's buffer; it has no memory
    const void *measured;
  };

  // `first`, of the offsets from `begin`, is the first that there is a frame for, and so on.
  FrameWindow(const Picture *in_hand, int first, int last)
      : in_hand_(in_hand), first_(first), last_(last) {}

  bool has(int offset) const { return first_ <= offset && offset <= last_; }
  // Those of the nearest one, where there is none.
  const Frame &frame(int offset) const { return *picture(offset).frame; }
  GstBuffer *metadata(int offset) const { return picture(offset).metadata; }
  // What measure() has made of that frame and the one before it. nullptr where it was not called,
  // and of the last frame that reach() counts.
  const void *measured(int offset) const {
    return has(offset) ? picture(offset).measured : nullptr;
  }

 private:
  const Picture &picture(int offset) const {
    return in_hand_[offset < first_ ? first_ : offset > last_ ? last_ : offset];
  }
  const Picture *in_hand_;
  int first_, last_;
};

// What the work looks at.
struct TemporalReach {
  guint before = 0, after = 0;  // frames beside the one in hand; the latter are the latency
  guint measured = 0;           // bytes that measure() makes of a frame, 0 if it is not wanted
};

// When a picture is shown, in parts of the time that the caps give a frame.
struct TemporalSpan {
  int begin = 0, end = 0, parts = 0;  // no parts: the pictures of a frame share its time evenly
};

}  // namespace coalesce::gst

struct GstCoalesceTemporalPrivate;

struct GstCoalesceTemporal {
  GstCoalesceFilter parent;
  GstCoalesceTemporalPrivate *priv;
};

struct GstCoalesceTemporalClass {
  GstCoalesceFilterClass parent_class;

  // With the settings of now. Called before each frame.
  coalesce::gst::TemporalReach (*reach)(GstCoalesceTemporal *self);

  // Measures a frame, together with the one before it, for pictures(): reach().measured bytes, a
  // row of `out`, aligned to 8 bytes. It is called for every frame of a sequence but the first, and
  // its result is waited for one frame later.
  coalesce::Status (*measure)(GstCoalesceTemporal *self, const coalesce::gst::Frame &before,
                              const coalesce::gst::Frame &in, const coalesce::gst::Frame &out,
                              const coalesce::Queue &queue);

  // How many pictures the frame in hand becomes, from none to kMostPictures, or kPasses; and when
  // picture `number` is shown. Default: one, for as long as the frame.
  guint (*pictures)(GstCoalesceTemporal *self, const coalesce::gst::FrameWindow &in);
  coalesce::gst::TemporalSpan (*span)(GstCoalesceTemporal *self, guint number);

  // May the frame go on as it is? Its buffer is kept then, if both pads have the same memory. When
  // the frame comes. Default: no.
  gboolean (*passes)(GstCoalesceTemporal *self, GstBuffer *metadata);

  // The work: so many pictures of the frame in hand, in the order of time. As of a filter's run().
  coalesce::Status (*run)(GstCoalesceTemporal *self, const coalesce::gst::FrameWindow &in,
                          const coalesce::gst::Frame *const *out, guint pictures,
                          const coalesce::Queue &queue);
};

COALESCE_DECLARE_CLASS(GstCoalesceTemporal, gst_coalesce_temporal, GST_COALESCE_TEMPORAL)
#define GST_TYPE_COALESCE_TEMPORAL (gst_coalesce_temporal_get_type())
