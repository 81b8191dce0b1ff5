// SPDX-License-Identifier: LGPL-2.1-or-later
// What the parts of the class Decoder share: its caps (decodercaps.cpp) and its pictures
// (decoderpictures.cpp).
#pragma once

#include <mutex>
#include <string>

#include "base/flight/sourcetask.h"
#include "base/job.h"
#include "codedbytes.h"
#include "decoder.h"
#include "object/owned.h"

namespace coalesce::gst {

struct DropTags {
  void operator()(GstTagList *tags) const { gst_tag_list_unref(tags); }
};
using TagsRef = std::unique_ptr<GstTagList, DropTags>;

struct DecoderSettings {
  int max_errors = -1;
  int frames_in_flight = 0;
};

}  // namespace coalesce::gst

struct GstCoalesceDecoderPrivate {
  explicit GstCoalesceDecoderPrivate(GstCoalesceDecoder *self);

  coalesce::gst::Settings<coalesce::gst::DecoderSettings> settings;
  coalesce::gst::SourceTask task;

  // Under the object's lock.
  coalesce::gst::CapsRef made;  // all that the picture can have, while they are negotiated
  GstClockTime earliest = GST_CLOCK_TIME_NONE;  // running time; what is before it is late

  // The streaming thread's: of the input.
  coalesce::gst::EventRef caps_event;
  GstVideoInfo coded{};
  bool parsed = false;
  coalesce::gst::CodedBytes bytes;
  std::vector<coalesce::gst::CodedBuffer> block;  // of a segment that is played backwards
  GstClockTime next_time = GST_CLOCK_TIME_NONE;   // of a picture without a time
  guint64 pictures = 0, late = 0;
  bool any_input = false;    // since the start or a flush
  bool any_picture = false;  // since the start, of a known size
  // Events that wait for the first caps of a stream, and those that do not wait any more.
  bool holds = true;
  std::vector<coalesce::gst::EventRef> held;
  coalesce::gst::TagsRef upstream_tags, own_tags;
  bool tags_pending = false;  // a flush was in their way

  // The streaming thread's: of the output. While pictures are in flight it does not change.
  coalesce::gst::CodedPicture picture;  // that the caps are of
  coalesce::gst::CapsRef caps;          // none: they are to be chosen
  coalesce::gst::FrameInfo info;
  bool cuda = false;
  coalesce::gst::FramePool pool;       // where the GPU works
  coalesce::gst::FramePool host_pool;  // of pictures that the CPU decodes for CUDA memory
  coalesce::gst::ContextRef context;   // of what the class has on the GPU

  // Both threads use the session's streams and events.
  std::mutex session;

  // Both threads'.
  std::mutex lock;
  std::string problem;      // of the last picture; a warning has told it
  int errors = 0;           // in a row
  bool skipped = false;     // by the task
  bool any_output = false;  // or another reason for none than pictures that are left out
};

namespace coalesce::gst {

inline GstCoalesceDecoderPrivate &priv_of_decoder(gpointer object) {
  return *GST_COALESCE_DECODER(object)->priv;
}

inline GstPad *decoder_source(gpointer object) {
  return GST_BASE_TRANSFORM_SRC_PAD(object);
}

// ---- decoder.cpp -----------------------------------------------------------------------------

// An event of upstream, to the functions of the parent class.
gboolean decoder_send_to_base(GstCoalesceDecoder *self, EventRef event);
void decoder_send_pending_tags(GstCoalesceDecoder *self);
// The first caps of a stream are there.
void decoder_stop_holding(GstCoalesceDecoder *self);

// ---- decodercaps.cpp -------------------------------------------------------------------------

// Of the input; nullptr: it has none.
GstCaps *decoder_input_caps(GstCoalesceDecoder *self);
// Caps for the picture, if it is unlike the last one or downstream has changed its mind.
GstFlowReturn decoder_negotiate(GstCoalesceDecoder *self, const CodedPicture &picture);
// Before there is one: those of the stream before, or of the size that the input's caps say, if
// they do.
void decoder_negotiate_without_picture(GstCoalesceDecoder *self);
// GstCoalesceDecoderClass::release().
void decoder_release(GstCoalesceDecoder *self);

// GstCoalesceTransformClass::convert() and set_format(), and GstBaseTransformClass::fixate_caps().
GstCaps *decoder_convert(GstCoalesceTransform *transform, GstPadDirection direction, GstCaps *caps,
                         bool cuda);
GstCaps *decoder_fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                             GstCaps *possible);
gboolean decoder_set_format(GstCoalesceTransform *transform, GstCaps *in, GstCaps *out);

// ---- decoderpictures.cpp ---------------------------------------------------------------------

// Decodes a picture and pushes it, or leaves it to the task.
GstFlowReturn decoder_show(GstCoalesceDecoder *self, const CodedBuffer &coded);
// The task's part.
GstFlowReturn decoder_finish(GstCoalesceTransform *transform, FrameInFlight *frame);

}  // namespace coalesce::gst
