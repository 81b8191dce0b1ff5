// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stereo_side.h"

#include <utility>

namespace gpu_test {
namespace {

std::string caps_in(bool cuda, const char *format, Size size) {
  return caps_text(format, size.width, size.height, cuda);
}

}  // namespace

StereoSide::StereoSide(const char *format, Size size, const std::string &properties,
                       const char *backend, const Memories &memories)
    : info_(video_info(caps_in(false, format, size))),
      memories_(memories),
      pair_(caps_in(memories.left, format, size), caps_in(memories.right, format, size),
            properties + " backend=" + backend,
            memories.out ? "video/x-raw(memory:CUDAMemory)" : "video/x-raw") {
  if (std::string(backend) == "cuda") share_context(pair_.get());
  start();
}

StereoSide::~StereoSide() {
  pair_.stop();
  drop_pools();
}

void StereoSide::drop_pools() {
  for (GstBufferPool *&pool : pools_)
    drop_pool(std::exchange(pool, nullptr));
}

// The element proposes pools as soon as it knows the caps.
void StereoSide::start() {
  next_ = 0;
  pair_.start();
  const bool cuda[] = {memories_.left, memories_.right};
  for (int i = 0; i < 2; i++) {
    if (!cuda[i]) continue;
    const Owned<GstPad> source(
        gst_element_get_static_pad(pair_.element(pair_.sources()[std::size_t(i)].c_str()), "src"));
    const std::string caps =
        caps_in(true, GST_VIDEO_INFO_NAME(&info_), {info_.width, info_.height});
    fail_unless(eventually([&] {
      pools_[i] = test::proposed_pool(source.get(), caps.c_str());
      return pools_[i] != nullptr;
    }));
  }
}

GstBuffer *StereoSide::frame(int pad, GstBuffer *from) const {
  if (pools_[pad] == nullptr) return gst_buffer_copy_deep(from);
  GstBuffer *buffer = acquire(pools_[pad]);
  write_picture(buffer, info_, picture(from, info_));
  return buffer;
}

void StereoSide::push(const StereoFrames &frames, char lost) {
  if (lost != 'l') pair_.push_frame("l", timed(frame(0, frames.left.get()), next_));
  if (lost != 'r') pair_.push_frame("r", timed(frame(1, frames.right.get()), next_));
  next_++;
}

Bytes StereoSide::pull() {
  CapsRef caps;
  const BufferRef buffer(pair_.pull("sink", &caps));
  if (buffer == nullptr) fail_unless(false, "no picture: %s", pair_.take_error().c_str());
  return picture(buffer.get(), video_info(text_of(caps.get())));
}

void StereoSide::restart() {
  end();
  pair_.stop();
  drop_pools();
  start();
}

void StereoSide::end() {
  pair_.end_all();
  pair_.expect_end();
  const std::string error = pair_.take_error();
  fail_unless(error.empty(), "%s", error.c_str());
}

}  // namespace gpu_test
