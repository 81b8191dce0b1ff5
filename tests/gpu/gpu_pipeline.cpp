// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpu_pipeline.h"

namespace gpu_test {
namespace {

// Of raw video what belongs to pixels, of all else everything.
Bytes contents(GstBuffer *buffer, const GstCaps *caps) {
  return gst_structure_has_name(gst_caps_get_structure(caps, 0), "video/x-raw")
             ? picture(buffer, video_info(text_of(caps)))
             : bytes_of(buffer);
}

}  // namespace

void Branches::feed(const guint8 *bytes, std::size_t count) const {
  push(gst_buffer_new_memdup(bytes, count));
  end();
}

int Branches::compare() {
  for (int frames = 0;; frames++) {
    CapsRef gpu_caps, cpu_caps;
    const BufferRef gpu(pull("gpu", &gpu_caps)), cpu(pull("cpu", &cpu_caps));
    die_on_error();
    if ((gpu == nullptr) != (cpu == nullptr))
      die("one branch ends after " + std::to_string(frames) + " frames");
    if (gpu == nullptr) return frames;
    if (contents(gpu.get(), gpu_caps.get()) != contents(cpu.get(), cpu_caps.get()))
      die("frame " + std::to_string(frames) + " differs");
  }
}

}  // namespace gpu_test
