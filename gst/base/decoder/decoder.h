// SPDX-License-Identifier: LGPL-2.1-or-later
// Coded pictures in, raw video out, in CUDA or in system memory.
//
// Input that is not parsed is cut anywhere: find_end() says where a picture ends. Output is
// negotiated for a picture: anew where it is unlike the one before, or downstream asks for it. What
// comes before the first caps waits for them. A picture that cannot be decoded is a warning, and
// the others go on; the property max-errors ends that.
//
// On the GPU several pictures are in flight: the streaming thread starts them, and the task of the
// source pad waits for them and pushes them (base/flight/sourcetask.h).
//
// An element derives from this, gives pad templates, and implements the functions below.
#pragma once

#include <gst/base/gstadapter.h>

#include <string>
#include <vector>

#include "base/transform.h"

namespace coalesce::gst {

// What a coded picture says of itself.
struct CodedPicture {
  int width = 0, height = 0;
  int par_n = 1, par_d = 1;  // of pixels, where the input's caps have none
  GstVideoInterlaceMode interlacing = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  bool top_first = true;  // of two fields
  bool one_field = false;
  // Those that it can become, most wanted first; and what its YUV means.
  std::vector<GstVideoFormat> formats;
  GstVideoColorimetry colorimetry = {};
  GstVideoChromaSite chroma_site = GST_VIDEO_CHROMA_SITE_UNKNOWN;
  bool for_cpu = false;    // it is decoded on the CPU, whatever the back end
  gsize device_bytes = 0;  // about what it needs on the GPU beside its output

  // Do all frames of one have the caps of the other's?
  bool is_like(const CodedPicture &other) const;
};

}  // namespace coalesce::gst

struct GstCoalesceDecoderPrivate;

struct GstCoalesceDecoder {
  GstCoalesceTransform parent;
  GstCoalesceDecoderPrivate *priv;
};

struct GstCoalesceDecoderClass {
  GstCoalesceTransformClass parent_class;

  // Of input that is not parsed: looks at the bytes that have come, from where it stopped before
  // on. *before bytes of the adapter belong to no picture, the next *bytes to the one in hand: the
  // adapter loses both. Returns whether it ends there. Some that have come may stay for the next
  // call, one at least unless it ends. at_end: nothing follows. After a picture, and after
  // restart(), the adapter begins with another picture's bytes, or what is before them.
  bool (*find_end)(GstCoalesceDecoder *self, GstAdapter *adapter, bool at_end, gsize *before,
                   gsize *bytes);
  void (*restart)(GstCoalesceDecoder *self);
  // What it looks for, for the error where there is none.
  const char *picture_name;

  // What a coded picture is. It stays where it is until decode() or start() has returned. Not ok:
  // why it is refused; its size is there all the same if it is certainly a picture.
  coalesce::Status (*read)(GstCoalesceDecoder *self, const guint8 *data, gsize bytes,
                           coalesce::gst::CodedPicture *picture);
  // The picture of the last read(), on the CPU. *broken: how data are missing or spoiled; empty:
  // they are whole. Not ok: why there is none.
  coalesce::Status (*decode)(GstCoalesceDecoder *self, const coalesce::gst::Frame &out,
                             coalesce::ThreadPool *pool, std::string *broken);
  // The same on the GPU: enqueues the work, which follows `stream` to the output's memory. The
  // context is current, as in the functions below. No more than `room` pictures are started and
  // not finished, this one included; another room than before comes with none in flight. Not ok:
  // nothing was started. out_of_memory and unsupported leave the picture to the CPU; device_error
  // ends the stream.
  coalesce::Status (*start)(GstCoalesceDecoder *self, const coalesce::gst::Frame &out, void *stream,
                            guint room);
  // In the task: waits for the oldest picture that was started. Its memory is free, or has it.
  coalesce::Status (*finish)(GstCoalesceDecoder *self, std::string *broken);
  // For a warning: what the last read(), decode() or start() has returned. Default: the status's
  // text.
  std::string (*text)(GstCoalesceDecoder *self, const coalesce::Status &status);
  // Waits for all that were started, and forgets them.
  void (*discard)(GstCoalesceDecoder *self);
  // What belongs to the back end, the context or the input goes: at the stop, and before another
  // context. Nothing is in flight.
  void (*release)(GstCoalesceDecoder *self);
};

COALESCE_DECLARE_CLASS(GstCoalesceDecoder, gst_coalesce_decoder, GST_COALESCE_DECODER)
#define GST_TYPE_COALESCE_DECODER (gst_coalesce_decoder_get_type())

// Of the input's caps; without what they lack.
const GstVideoInfo &gst_coalesce_decoder_input_info(GstCoalesceDecoder *self);
// In read(): what the pictures from this one on say. Takes the tags, which replace those before.
void gst_coalesce_decoder_set_tags(GstCoalesceDecoder *self, GstTagList *tags);

// Both pads' templates: of the input, these caps, which are fixed; of the output, the given formats
// (as in "{ I420, RGB }") in CUDA and in system memory.
void gst_coalesce_decoder_class_add_templates(GstCoalesceDecoderClass *klass, const char *coded,
                                              const char *formats);
