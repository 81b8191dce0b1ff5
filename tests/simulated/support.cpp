// SPDX-License-Identifier: LGPL-2.1-or-later
#include "support.h"

namespace simulated {

std::string wrong_luma(GstBuffer *buffer, const GstVideoInfo &out, GstVideoFormat packed,
                       unsigned seed, int flags, guint8 xor_with) {
  const int luma = packed == GST_VIDEO_FORMAT_UYVY || packed == GST_VIDEO_FORMAT_VYUY ? 1 : 0;
  const std::string wrong = wrong_bytes(buffer, out, flags, [&](int plane, int x, int y) {
    return plane == 0 ? static_cast<guint8>(sample(seed, 0, 2 * x + luma, y) ^ xor_with) : 128;
  });
  return wrong.empty() || wrong == kNotMapped ? wrong
                                              : "picture " + std::to_string(seed) + ", " + wrong;
}

void to_device(GstBuffer *buffer) {
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_CUDA)));
  gst_buffer_unmap(buffer, &map);
}

GstBuffer *plain_cuda_buffer(GstCudaContext *context, const GstVideoInfo &info, unsigned seed) {
  GstBuffer *buffer = cuda_buffer(context, info);
  fill(buffer, info, seed);
  to_device(buffer);
  return buffer;
}

GstBuffer *pool_buffer(GstBufferPool *pool, const GstVideoInfo &info, unsigned seed) {
  GstBuffer *buffer = acquire(pool);
  fill(buffer, info, seed);
  if (is_cuda(buffer)) to_device(buffer);
  return buffer;
}

void Bench::negotiate(const std::string &in, const std::string &out) {
  if (!out.empty()) gst_harness_set_sink_caps_str(get(), out.c_str());
  gst_harness_set_src_caps_str(get(), in.c_str());
}

std::string Bench::out_caps() const {
  const CapsRef caps = output_caps();
  return caps != nullptr ? text_of(caps.get()) : "";
}

Line::Line(const std::string &elements, const std::string &in_caps, const std::string &out_caps)
    : Pipeline("appsrc name=source format=time caps=\"" + in_caps + "\" ! " + elements +
               " ! appsink name=sink sync=false caps=\"" + out_caps + "\"") {}

Passing::Passing(const Bench &bench) : pad_(gst_element_get_static_pad(bench.element(), "src")) {
  const auto all = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM |
                                                GST_PAD_PROBE_TYPE_EVENT_FLUSH);
  probe_ = gst_pad_add_probe(pad_, all, note, this, nullptr);
}

Passing::~Passing() {
  gst_pad_remove_probe(pad_, probe_);
  gst_object_unref(pad_);
}

std::string Passing::seen() const {
  const std::lock_guard guard(lock_);
  return seen_;
}

void Passing::forget() {
  const std::lock_guard guard(lock_);
  seen_.clear();
}

GstPadProbeReturn Passing::note(GstPad *, GstPadProbeInfo *info, gpointer self) {
  auto *passing = static_cast<Passing *>(self);
  const std::lock_guard guard(passing->lock_);
  std::string &seen = passing->seen_;
  seen += seen.empty() ? "" : " ";
  seen += info->type & GST_PAD_PROBE_TYPE_BUFFER
              ? std::to_string(GST_BUFFER_OFFSET(GST_PAD_PROBE_INFO_BUFFER(info)))
              : GST_EVENT_TYPE_NAME(GST_PAD_PROBE_INFO_EVENT(info));
  return GST_PAD_PROBE_OK;
}

Dam::Dam(const Bench &bench) : pad_(gst_element_get_static_pad(bench.element(), "src")) {
  const auto buffers =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BLOCK);
  const auto hold = [](GstPad *, GstPadProbeInfo *, gpointer reached) {
    *static_cast<std::atomic<bool> *>(reached) = true;
    return GST_PAD_PROBE_OK;
  };
  probe_ = gst_pad_add_probe(pad_, buffers, hold, &reached_, nullptr);
}

Dam::~Dam() {
  gst_pad_remove_probe(pad_, probe_);
  gst_object_unref(pad_);
}

}  // namespace simulated
