// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames under way on the GPU.
#pragma once

#include <memory>
#include <vector>

#include "j2k/cuda_encoder.h"
#include "j2kenccoder.h"
#include "memory/bufferpool.h"

namespace coalesce::gst {

// They are finished in the order in which they were started, and device memory is taken when this
// is made. The context must be current in every call; after an error, all but abandon() is over.
class J2kFlight {
 public:
  // Room for so many frames. The coder must outlive it.
  static Status make(GstCudaContext *context, const J2kCoder &coder, int frames,
                     std::unique_ptr<J2kFlight> *flight);
  // What each of them takes, in bytes of device memory.
  static Status frame_memory(const J2kCoder &coder, std::size_t *bytes);

  ~J2kFlight();  // waits for whatever is under way; the context need not be current
  J2kFlight(const J2kFlight &) = delete;
  J2kFlight &operator=(const J2kFlight &) = delete;

  int room() const { return static_cast<int>(entries_.size()); }
  int size() const { return size_; }
  bool full() const { return size() == room(); }

  // Those of another coder, which differs in nothing else, for frames that are started from now on.
  // Errors: as of j2k::CudaEncoder::set_targets().
  Status set_targets(const J2kCoder &other);
  // There must be room. The frame, with all rows of its fields, is read in the order of the stream.
  // about: what is to be said of it in the end.
  Status start(const Frame &frame, bool top_first, const Stream &stream, BufferRef about);

  // Of the oldest frame: waits until it is coded, and tells how many bytes it has, boxes included;
  Status wait(std::size_t *bytes);
  // copies them, to page-locked memory, and waits for that;
  Status fetch(std::uint8_t *to);
  // and what was to be said. That is its end.
  BufferRef finish();

  // Of all frames.
  void abandon();

 private:
  struct Entry {
    bool top_first = false;
    std::size_t bytes[2] = {};  // of the codestreams, in the order of time
    BufferRef about;
  };

  J2kFlight(GstCudaContext *context, const J2kCoder &coder, int frames);
  Status make_encoders();
  Entry &oldest() { return entries_[first_]; }
  j2k::CudaEncoder &encoder(int field) {
    return *encoders_[static_cast<std::size_t>(coder_.owner(field))];
  }
  int slot(std::size_t entry, int field) const;
  void drop_oldest();

  ContextRef context_;
  const J2kCoder &coder_;
  std::unique_ptr<j2k::CudaEncoder> encoders_[2];  // of coder.owner()
  std::vector<Entry> entries_;
  std::size_t first_ = 0;
  int size_ = 0;
  std::vector<std::uint8_t> header_;
};

}  // namespace coalesce::gst
