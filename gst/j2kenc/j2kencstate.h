// SPDX-License-Identifier: LGPL-2.1-or-later
// What the files of j2kenc share.
#pragma once

#include "base/encoder.h"
#include "j2kenccoder.h"
#include "j2kencflight.h"
#include "memory/bytepool.h"

GST_DEBUG_CATEGORY_EXTERN(gst_j2kenc_debug);

namespace coalesce::gst {

// Caps on both pads, as far as the profile in them follows the rate.
struct J2kNegotiated {
  GstVideoInfo info;
  J2kMedia media;
  int rsiz;
};

struct J2kState {
  // Under the object's lock.
  J2kSettings wanted;
  guint changes = 1;                       // of `wanted`, counted
  std::optional<J2kSettings> before_load;  // holds until a preset is loaded whole
  std::optional<J2kNegotiated> negotiated;

  std::atomic<int> profile{0};  // Rsiz of what was encoded last

  // The streaming thread's own, from here on. What frames are encoded with:
  std::unique_ptr<J2kCoder> coder;  // of `info` and `media`
  guint used = 0;                   // which of the changes it has seen
  std::optional<J2kSettings> good;  // the last that frames have been encoded with

  GstVideoInfo info{};
  J2kMedia media = J2kMedia::codestream;
  std::vector<std::uint8_t> bytes;   // of a frame; kept for its memory
  GstCaps *unwanted_caps = nullptr;  // of the input: one error was that downstream takes no such
                                     // codestreams
  GstCaps *in_caps = nullptr;
  bool left_to_cpu = false;  // by a GPU that these frames are too much for

  // On the GPU only. Where frames are under way, the task of the source pad finishes them: then
  // `coder`, `flight` and `output_pool` stay.
  std::unique_ptr<J2kFlight> flight;  // of `coder`
  FramePool upload_pool;              // of device memory
  std::unique_ptr<BytePool> output_pool;
};

}  // namespace coalesce::gst

struct GstJ2kEnc {
  GstCoalesceEncoder parent;
  coalesce::gst::J2kState *state;
};

#define GST_J2KENC(object) (reinterpret_cast<GstJ2kEnc *>(object))

namespace coalesce::gst {

// On the GPU only.
inline GpuSession &session_of(GstJ2kEnc *self) {
  return backend_of(self).session();
}
// Until no frame is under way.
inline GstFlowReturn j2k_drain(GstJ2kEnc *self) {
  return gst_coalesce_encoder_drain(GST_COALESCE_ENCODER(self));
}

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
// The caps have the profile, and its levels follow the rate: negotiates again where they differ
// from what the properties say. From any thread.
void j2k_update_caps(GstJ2kEnc *self);
// New settings, if there are any. Not GST_FLOW_OK: errors have been posted, or frames before could
// not be pushed.
GstFlowReturn j2k_update(GstJ2kEnc *self);
// What settings make impossible may be noticed with the first frame only. Is it that? Then it is
// treated the same way.
bool j2k_is_refusal(GstJ2kEnc *self, const Status &status);
bool j2k_go_back(GstJ2kEnc *self, const Status &status);
// A frame has been encoded.
void j2k_note_good(GstJ2kEnc *self);
void j2k_post_status(GstJ2kEnc *self, const Status &status);

// In j2kencoutput.cpp.
bool j2k_is_top_first(const GstVideoInfo &info, GstBuffer *buffer);
// A buffer of so many bytes; posts an error where it is nullptr.
BufferRef j2k_map_output(GstJ2kEnc *self, gsize bytes, GstMapInfo *map);

// In j2kencbackend.cpp. Errors have been posted where these fail. All of them may end with the CPU,
// where the GPU was not asked for by name and cannot have a single frame: a warning tells.
bool j2k_choose_backend(GstJ2kEnc *self, GstCaps *in_caps);
// There is another coder, and what was too much for the GPU may not be any more.
bool j2k_try_gpu_again(GstJ2kEnc *self);
// The CUDA context is another one.
bool j2k_move_to_context(GstJ2kEnc *self);
// For the coder, if it has none: encoders for as many frames as may be in flight.
bool j2k_prepare_gpu(GstJ2kEnc *self);
// Memory was missing, and nothing is under way: for fewer frames than now.
bool j2k_prepare_fewer(GstJ2kEnc *self);
void j2k_drop_pools(GstJ2kEnc *self);

// In j2kenccpu.cpp. Encodes and pushes a frame.
GstFlowReturn j2k_run_on_cpu(GstJ2kEnc *self, GstBuffer *in);

// In j2kencgpu.cpp.
void j2k_post_gpu_status(GstJ2kEnc *self, const Status &status);
// Starts a frame. The first one with its settings is finished and pushed, too, and so is each where
// one is in flight at a time.
GstFlowReturn j2k_run_on_gpu(GstJ2kEnc *self, GstBuffer *in);
// GstCoalesceEncoderClass::finish() and discard().
GstFlowReturn j2k_finish(GstJ2kEnc *self, GstBuffer **out);
void j2k_discard(GstJ2kEnc *self);

}  // namespace coalesce::gst
