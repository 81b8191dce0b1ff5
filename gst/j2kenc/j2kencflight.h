// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames under way on the GPU.
#pragma once

#include <memory>
#include <vector>

#include "cuda/cudadriver.h"
#include "j2k/encoder/cuda_encoder.h"
#include "j2kenccoder.h"

namespace coalesce::gst {

// They are finished in the order in which they were started, and device memory is taken when this
// is made. One thread may start frames while another one finishes those before. The context must be
// current in every call; after an error, all but abandon() is over.
class J2kFlight {
 public:
  // Room for so many frames.
  static Status make(GstCudaContext *context, std::shared_ptr<const J2kCoder> coder, int frames,
                     std::unique_ptr<J2kFlight> *flight);
  // What each of them takes, in bytes of device memory.
  static Status frame_memory(const J2kCoder &coder, std::size_t *bytes);

  ~J2kFlight();  // waits for whatever is under way; the context need not be current
  J2kFlight(const J2kFlight &) = delete;
  J2kFlight &operator=(const J2kFlight &) = delete;

  const std::shared_ptr<const J2kCoder> &coder() const { return coder_; }
  int room() const { return static_cast<int>(entries_.size()); }

  // Those of another coder, which differs in nothing else, for frames that are started from now on.
  // Errors: as of j2k::CudaEncoder::set_targets().
  Status set_targets(const J2kCoder &other);
  // There must be room. The frame, with all rows of its fields, is read in the order of the stream.
  Status start(const Frame &frame, bool top_first, const Stream &stream);

  // Of the oldest frame: waits until it is coded, and tells how many bytes it has, boxes included;
  Status wait(std::size_t *bytes);
  // copies them, to page-locked memory, and waits for that. This is the frame's end.
  Status fetch(std::uint8_t *to);

  // Of all frames, where no other thread is in any call.
  void abandon();

 private:
  struct Entry {
    bool top_first = false;
    std::size_t bytes[2] = {};  // of the codestreams, in the order of time
  };

  J2kFlight(GstCudaContext *context, std::shared_ptr<const J2kCoder> coder, int frames);
  Status make_encoders();
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
