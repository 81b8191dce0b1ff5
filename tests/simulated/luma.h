// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of one size through uyvy2y, and the contexts they come and go in.
#pragma once

#include "support.h"

namespace simulated {

constexpr int kWidth = 64, kHeight = 6;

inline GstVideoInfo in_info() {
  return video_info(GST_VIDEO_FORMAT_UYVY, kWidth, kHeight);
}
inline GstVideoInfo out_info() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, kHeight);
}
inline std::string in_caps(const char *memory = kCuda) {
  return video_caps(memory, "UYVY", kWidth, kHeight);
}
inline std::string out_caps(const char *memory = kCuda) {
  return video_caps(memory, "GRAY8", kWidth, kHeight);
}

inline GstCudaContext *context_of(GstBuffer *buffer) {
  return GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context;
}

// Pushes a picture and looks at what comes out; returns the context of the output, not referenced.
inline GstCudaContext *pass(Bench &bench, GstBuffer *input, unsigned seed) {
  fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
  GstBuffer *output = bench.pull();
  assert_luma(output, out_info(), GST_VIDEO_FORMAT_UYVY, seed);
  GstCudaContext *context = is_cuda(output) ? context_of(output) : nullptr;
  gst_buffer_unref(output);
  return context;
}

inline void done() {
  assert_clean();
  assert_nothing_lives();
}

// The CUDA context a pad answers a context query with; a reference, or nullptr.
inline GstCudaContext *asked(GstElement *element, const char *pad_name) {
  GstQuery *query = gst_query_new_context(GST_CUDA_CONTEXT_TYPE);
  GstPad *pad = gst_element_get_static_pad(element, pad_name);
  GstCudaContext *result = nullptr;
  GstContext *answer = nullptr;
  if (gst_pad_query(pad, query)) gst_query_parse_context(query, &answer);
  if (answer != nullptr)
    gst_structure_get(gst_context_get_structure(answer), GST_CUDA_CONTEXT_TYPE,
                      GST_TYPE_CUDA_CONTEXT, &result, nullptr);
  gst_object_unref(pad);
  gst_query_unref(query);
  return result;
}

}  // namespace simulated
