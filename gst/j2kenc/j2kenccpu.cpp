// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on the CPU, one at a time.
#include <cstring>

#include "j2kencstate.h"
#include "video/input.h"

namespace coalesce::gst {
namespace {

// libgstcuda brings CUDA memory over the bus when it is mapped, and waits for that.
bool is_on_gpu_only(GstBuffer *buffer) {
  GstMemory *memory = gst_buffer_n_memory(buffer) > 0 ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  return memory != nullptr && gst_is_cuda_memory(memory) &&
         GST_MEMORY_FLAG_IS_SET(memory, GST_CUDA_MEMORY_TRANSFER_NEED_DOWNLOAD);
}

void count_download(GstJ2kEnc *self) {
  Counters &counters = backend_of(self).counters();
  counters.downloads++;
  counters.download_bytes += GST_VIDEO_INFO_SIZE(&self->state->info);
  counters.synchronizations++;
}

}  // namespace

GstFlowReturn j2k_run_on_cpu(GstJ2kEnc *self, GstBuffer *in) {
  J2kState &state = *self->state;
  const bool downloads = is_on_gpu_only(in);
  Frame frame;
  if (!frame.map(in, state.info, Memory::system, GST_MAP_READ))
    return post_bad_frame(GST_ELEMENT(self), "input", frame);
  if (downloads) count_download(self);
  ThreadPool *pool = backend_of(self).queue().pool();
  Status status;
  do {
    state.bytes.clear();
    status = state.coder->encode(frame, j2k_is_top_first(state.info, in), pool, &state.bytes);
  } while (j2k_is_refusal(self, status) && j2k_go_back(self, status));
  if (state.coder == nullptr) return GST_FLOW_ERROR;
  if (!status.ok()) {
    j2k_post_status(self, status);
    return GST_FLOW_ERROR;
  }
  j2k_note_good(self);
  frame.unmap();
  GstMapInfo map;
  BufferRef buffer = j2k_map_output(self, state.bytes.size(), &map);
  if (buffer == nullptr) return GST_FLOW_ERROR;
  std::memcpy(map.data, state.bytes.data(), state.bytes.size());
  gst_buffer_unmap(buffer.get(), &map);
  return gst_coalesce_encoder_push(GST_COALESCE_ENCODER(self), in, buffer.release());
}

}  // namespace coalesce::gst
