// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames under way on the GPU.
#pragma once

#include <memory>
#include <vector>

#include "coding/framecoding.h"
#include "j2k/encoder/cuda_encoder.h"
#include "j2kenccoder.h"

namespace coalesce::gst {

class J2kFlight final : public FrameFlight {
 public:
  // Room for so many frames.
  static Status make(GstCudaContext *context, std::shared_ptr<const J2kCoder> coder, int frames,
                     std::unique_ptr<FrameFlight> *flight);
  // What each of them takes, in bytes of device memory.
  static Status frame_memory(const J2kCoder &coder, std::size_t *bytes);

  ~J2kFlight() override;

  const void *coder() const override { return coder_.get(); }
  int room() const override { return static_cast<int>(entries_.size()); }

  // Errors: as of j2k::CudaEncoder::set_targets().
  Status set_rate(const J2kCoder &other);
  // The frame, with all rows of its fields, is read in the order of the stream.
  Status start(const Frame &frame, GstBuffer *in, const Stream &stream) override;
  Status wait(std::size_t *bytes) override;
  Status fetch(std::uint8_t *to, std::size_t *downloaded) override;
  void abandon() override;
  std::string text(const Status &status) const override { return j2k_text(status); }

 private:
  struct Entry {
    bool top_first = false;
    std::size_t bytes[2] = {};  // of the codestreams, in the order of time
  };

  J2kFlight(GstCudaContext *context, std::shared_ptr<const J2kCoder> coder, int frames);
  Entry &oldest() { return entries_[oldest_]; }
  j2k::CudaEncoder &encoder(int field) {
    return *encoders_[static_cast<std::size_t>(coder_->owner(field))];
  }
  int slot(std::size_t entry, int field) const {
    return static_cast<int>(entry) * slots_ + field - coder_->owner(field);
  }
  void abandon(std::size_t entry);
  void advance(std::size_t *entry) const { *entry = (*entry + 1) % entries_.size(); }

  ContextRef context_;
  std::shared_ptr<const J2kCoder> coder_;
  std::unique_ptr<j2k::CudaEncoder> encoders_[2];  // of coder.owner()
  int slots_ = 1;                                  // of each encoder, for a frame
  std::vector<Entry> entries_;
  std::size_t next_ = 0;    // to be started
  std::size_t oldest_ = 0;  // to be finished
  std::vector<std::uint8_t> header_;
};

}  // namespace coalesce::gst
