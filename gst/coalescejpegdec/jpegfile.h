// SPDX-License-Identifier: LGPL-2.1-or-later
// One JPEG picture of a stream, of one file or of the two that its fields are: what it is, and its
// way to memory of either back end.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "base/decoder/decoder.h"
#include "jpeg/decoder/cuda_decoder.h"
#include "jpeg/decoder/decoder.h"

namespace coalesce::gst {

// What caps say of fields.
struct FieldCaps {
  int height = 0;  // of the frame; 0 if it is not known
  bool bottom_first = false;
};

class JpegFile {
 public:
  // The picture in these bytes, which stay until decode() has returned. Errors: those of
  // jpeg::HeaderReader::first_scan(), and of read_by_libjpeg() for what that refuses by name.
  Status read(const std::uint8_t *data, std::size_t bytes, const jpeg::DecodeParams &params,
              const FieldCaps &caps);
  // Of the first field.
  const jpeg::Frame &frame() const { return frame_; }
  void describe(CodedPicture *picture) const;
  // What the last read() or decode() has returned, with sizes, or in libjpeg's words.
  std::string text(const Status &status) const { return why_.empty() ? status.message() : why_; }

  Status decode(const Frame &out, ThreadPool *pool, std::string *broken);
  // GstCoalesceDecoderClass has the contracts.
  Status start(const Frame &out, void *stream, int room);
  Status finish(std::string *broken);
  void discard();
  void release();

 private:
  struct Piece {
    const std::uint8_t *data;
    std::size_t bytes;
  };
  // A picture on the GPU: its files, which have slots in a row.
  struct Started {
    std::shared_ptr<jpeg::CudaDecoder> decoder;
    int slots, first, files;
  };
  void find_fields(const std::uint8_t *data, std::size_t bytes, const FieldCaps &caps);
  Status find_rows(const Frame &out, Image *fields) const;
  Status make_cuda_decoder(int slots);
  static Status wait_for(const Started &picture, std::string *broken);

  jpeg::DecodeParams params_;
  jpeg::Frame frame_;
  Piece piece_[2] = {};
  int pieces_ = 0, fields_ = 1;
  std::string why_;
  bool top_first_ = true, by_libjpeg_ = false;

  // With these parameters, for this pool.
  std::unique_ptr<jpeg::Decoder> decoder_;
  std::shared_ptr<jpeg::CudaDecoder> cuda_decoder_;
  jpeg::DecodeParams decoder_params_, cuda_decoder_params_;
  ThreadPool *pool_ = nullptr;
  int slots_ = 0, next_slot_ = 0;  // of the CUDA decoder

  // The streaming thread adds to them, and the task takes the oldest. Those of other parameters
  // keep their decoder.
  std::mutex lock_;
  std::deque<Started> started_;
};

}  // namespace coalesce::gst
