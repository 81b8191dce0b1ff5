// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of any format for trials: each plane in fenced memory of its own, in a random layout.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "../support/device.h"
#include "../support/fenced.h"
#include "check.h"
#include "image.h"
#include "picture/image.h"
#include "plane_sizes.h"

namespace coalesce::test {

struct PictureShape {
  const char *name;  // of the format
  int width, height;
  bool interlaced = false;
  bool spare_row = false;
};

// Has a picture of this shape the spare row? By chance, where it may.
bool random_spare_row(const PictureShape &shape, Random &random);

// What an operation may only read.
class InputPicture {
 public:
  InputPicture(const PictureShape &shape, const LayoutOptions &options, Pattern pattern,
               Random &random);

  ConstImage image() const { return at(false); }
  InputImage &plane(std::size_t p) { return planes_[p]; }  // to draw on, before it is given
  ConstImage given(const Backend &backend);  // for the operation: on the device for CUDA

  const std::string &text() const { return text_; }
  // After the operation. Empty if no byte has changed.
  std::string difference(const Backend &backend);

 private:
  ConstImage at(bool device) const;

  PictureShape shape_;
  std::string text_;
  std::deque<InputImage> planes_;
};

// What it writes: all of the memory is guarded until then.
class OutputPicture {
 public:
  OutputPicture(const PictureShape &shape, const LayoutOptions &options, Random &random);

  Image expected() const;
  Image given(const Backend &backend);

  const std::string &text() const { return text_; }
  std::string difference(const Backend &backend);

 private:
  PictureShape shape_;
  std::string text_;
  std::deque<OutputImage> planes_;
};

// Memory of the back end, with bytes of any kind, and no byte more than asked for. None is asked
// for: nullptr.
class Scratch {
 public:
  Scratch(std::size_t bytes, const Backend &backend) {
    if (bytes == 0) return;
    if (backend.cuda)
      device_.emplace(bytes).fill_random(bytes);
    else
      std::memset(host_.emplace(bytes, FencedMemory::Against::high).data(), 0xA5, bytes);
  }
  void *data() { return device_ ? device_->data() : host_ ? host_->data() : nullptr; }

 private:
  std::optional<FencedMemory> host_;
  std::optional<DeviceMemory> device_;
};

// One call of an operation, after its reference. doing: its settings, for messages. Empty, or what
// was wrong.
std::string picture_trial(
    InputPicture *in, OutputPicture *out, const std::string &doing, const Backend &backend,
    const std::function<void(const ConstImage &, const Image &)> &reference,
    const std::function<Status(const ConstImage &, const Image &)> &operation);

}  // namespace coalesce::test
