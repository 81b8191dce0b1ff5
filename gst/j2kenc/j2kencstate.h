// SPDX-License-Identifier: LGPL-2.1-or-later
// What the files of j2kenc share.
#pragma once

#include "base/transform.h"
#include "j2kenccoder.h"

GST_DEBUG_CATEGORY_EXTERN(gst_j2kenc_debug);

namespace coalesce::gst {

struct J2kState {
  // Under the object's lock.
  J2kSettings wanted;
  guint changes = 1;                       // of `wanted`, counted
  std::optional<J2kSettings> before_load;  // holds until a preset is loaded whole

  std::atomic<int> profile{0};  // Rsiz of what was encoded last

  // The streaming thread's own, from here on. What frames are encoded with:
  std::unique_ptr<J2kCoder> coder;  // of `info` and `media`
  guint used = 0;                   // which of the changes it has seen
  std::optional<J2kSettings> good;  // the last that frames have been encoded with

  GstVideoInfo info{};
  J2kMedia media = J2kMedia::codestream;
  std::vector<std::uint8_t> bytes;  // of a frame; kept for its memory
  GstCaps *refused_caps = nullptr;
};

}  // namespace coalesce::gst

struct GstJ2kEnc {
  GstCoalesceTransform parent;
  coalesce::gst::J2kState *state;
};

#define GST_J2KENC(object) (reinterpret_cast<GstJ2kEnc *>(object))

namespace coalesce::gst {

// In j2kencproperties.cpp.
void j2k_install_properties(GObjectClass *klass);
void j2k_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void j2k_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec);

// In j2kencpreset.cpp.
void j2k_init_presets(gpointer interface, gpointer);

// In j2kencupdate.cpp. Before the start: posts an error for what is wrong in any format.
bool j2k_check_settings(GstJ2kEnc *self);

// Settings that will not do are an error and false if there were no good ones before, else a
// warning, and the good ones hold. A new format; if it will not do, the old one stays.
bool j2k_set_format(GstJ2kEnc *self, const GstVideoInfo &info, J2kMedia media);
// New settings, if there are any.
bool j2k_update(GstJ2kEnc *self);

// Encodes a frame into state->bytes. What settings make impossible is treated the same way.
bool j2k_encode(GstJ2kEnc *self, const Frame &frame, bool top_first);

}  // namespace coalesce::gst
