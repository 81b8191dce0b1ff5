// SPDX-License-Identifier: LGPL-2.1-or-later
// Coded pictures in, raw video out, in CUDA or in system memory: a GstVideoDecoder with a Backend.
//
// Input that is not packetized is cut anywhere: find_end() says where a picture ends. A picture
// that cannot be decoded is a warning, and the others go on; GstVideoDecoder's max-errors ends
// that. Output is negotiated anew where a picture has other caps than the one before, or downstream
// asks for it.
//
// An element derives from this, gives pad templates, and implements the functions below.
#pragma once

#include <gst/video/gstvideodecoder.h>

#include <vector>

#include "base/backend.h"
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
  bool for_cpu = false;  // it is decoded on the CPU, whatever the back end

  // Do all frames of one have the caps of the other's?
  bool is_like(const CodedPicture &other) const;
};

}  // namespace coalesce::gst

struct GstCoalesceDecoderPrivate;

struct GstCoalesceDecoder {
  GstVideoDecoder parent;
  coalesce::gst::Backend *backend;
  GstCoalesceDecoderPrivate *priv;
};

struct GstCoalesceDecoderClass {
  GstVideoDecoderClass parent_class;

  // Of input that is not packetized: looks at the bytes that have come, from where it stopped
  // before on. *before bytes of the adapter belong to no picture, the next *bytes to the one in
  // hand: the adapter loses both. Returns whether it ends there. Some that have come may stay for
  // the next call, one at least unless it ends. at_end: nothing follows. After a picture, and after
  // restart(), the adapter begins with another picture's bytes, or what is before them.
  bool (*find_end)(GstCoalesceDecoder *self, GstAdapter *adapter, bool at_end, gsize *before,
                   gsize *bytes);
  void (*restart)(GstCoalesceDecoder *self);

  // What a coded picture is. It stays where it is until decode() has returned. Not ok: why it is
  // refused.
  coalesce::Status (*read)(GstCoalesceDecoder *self, const guint8 *data, gsize bytes,
                           coalesce::gst::CodedPicture *picture);
  // The picture of the last read(), into memory of the queue's back end. On the GPU it is there
  // when this returns. *broken: data are missing or spoiled. Not ok: why there is none;
  // device_error ends the stream.
  coalesce::Status (*decode)(GstCoalesceDecoder *self, const coalesce::gst::Frame &out,
                             const coalesce::Queue &queue, bool *broken);
  // What belongs to the back end, the context or the input goes, at the stop.
  void (*release)(GstCoalesceDecoder *self);
};

COALESCE_DECLARE_CLASS(GstCoalesceDecoder, gst_coalesce_decoder, GST_COALESCE_DECODER)
#define GST_TYPE_COALESCE_DECODER (gst_coalesce_decoder_get_type())

// Of the input's caps; 0 where they have none.
int gst_coalesce_decoder_caps_height(GstCoalesceDecoder *self);

// Both pads' templates: of the input, these caps; of the output, the given formats (as in
// "{ I420, RGB }") in CUDA and in system memory.
void gst_coalesce_decoder_class_add_templates(GstCoalesceDecoderClass *klass, const char *coded,
                                              const char *formats);
