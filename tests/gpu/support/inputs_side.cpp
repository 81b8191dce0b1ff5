// SPDX-License-Identifier: LGPL-2.1-or-later
#include "inputs_side.h"

#include <utility>

namespace gpu_test {

InputsSide::InputsSide(std::unique_ptr<SeveralInputs> inputs, const char *format, Size size,
                       const std::vector<bool> &cuda, bool gpu)
    : info_(video_info(caps_text(format, size.width, size.height, false))),
      cuda_(cuda),
      inputs_(std::move(inputs)),
      pools_(cuda.size()) {
  if (gpu) share_context(inputs_->get());
  start();
}

InputsSide::~InputsSide() {
  inputs_->stop();
  drop_pools();
}

void InputsSide::drop_pools() {
  for (GstBufferPool *&pool : pools_)
    drop_pool(std::exchange(pool, nullptr));
}

// The element proposes pools as soon as it knows the caps.
void InputsSide::start() {
  next_ = 0;
  inputs_->start();
  for (std::size_t i = 0; i < pools_.size(); i++) {
    if (!cuda_[i]) continue;
    const Owned<GstPad> source(
        gst_element_get_static_pad(inputs_->element(inputs_->sources()[i].c_str()), "src"));
    const std::string caps =
        caps_text(GST_VIDEO_INFO_NAME(&info_), info_.width, info_.height, true);
    fail_unless(eventually([&] {
      pools_[i] = test::proposed_pool(source.get(), caps.c_str());
      return pools_[i] != nullptr;
    }));
  }
}

GstBuffer *InputsSide::frame(std::size_t pad, GstBuffer *from) const {
  if (pools_[pad] == nullptr) return gst_buffer_copy_deep(from);
  GstBuffer *buffer = acquire(pools_[pad]);
  write_picture(buffer, info_, picture(from, info_));
  return buffer;
}

void InputsSide::push(const std::vector<GstBuffer *> &frames) {
  for (std::size_t i = 0; i < frames.size(); i++)
    if (frames[i] != nullptr)
      inputs_->push_frame(inputs_->sources()[i], timed(frame(i, frames[i]), next_));
  next_++;
}

Bytes InputsSide::pull() {
  CapsRef caps;
  const BufferRef buffer(inputs_->pull("sink", &caps));
  if (buffer == nullptr) fail_unless(false, "no picture: %s", inputs_->take_error().c_str());
  return picture(buffer.get(), video_info(text_of(caps.get())));
}

void InputsSide::restart() {
  end();
  inputs_->stop();
  drop_pools();
  start();
}

void InputsSide::end() {
  inputs_->end_all();
  inputs_->expect_end();
  const std::string error = inputs_->take_error();
  fail_unless(error.empty(), "%s", error.c_str());
}

}  // namespace gpu_test
