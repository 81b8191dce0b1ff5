// SPDX-License-Identifier: LGPL-2.1-or-later
// One JPEG picture of a stream, of one file or of the two that its fields are: what it is, and its
// way to memory of either back end.
#pragma once

#include <memory>

#include "base/decoder/decoder.h"
#include "jpeg/decoder/cuda_decoder.h"
#include "jpeg/decoder/decoder.h"

namespace coalesce::gst {

class JpegFile {
 public:
  // The picture in these bytes, which stay until decode() has returned. Errors: those of
  // jpeg::HeaderReader::first_scan(), and of read_by_libjpeg() for what that refuses by name.
  Status read(const std::uint8_t *data, std::size_t bytes, const jpeg::DecodeParams &params,
              int caps_height);
  // Of the first field.
  const jpeg::Frame &frame() const { return frame_; }
  void describe(CodedPicture *picture) const;

  Status decode(const Frame &out, const Queue &queue, bool *broken);
  // The decoders go; the GPU's context is current, if there is one.
  void release();

 private:
  struct Piece {
    const std::uint8_t *data;
    std::size_t bytes;
  };
  void find_fields(const std::uint8_t *data, std::size_t bytes, int caps_height);
  Status decode_on_cpu(const Image *fields, ThreadPool *pool, bool *broken);
  Status decode_on_gpu(const Image *fields, void *stream, bool *broken);

  jpeg::DecodeParams params_;
  jpeg::Frame frame_;
  Piece piece_[2] = {};
  int pieces_ = 0, fields_ = 1;
  bool top_first_ = true, by_libjpeg_ = false;

  // With these parameters, for this pool.
  std::unique_ptr<jpeg::Decoder> decoder_;
  std::unique_ptr<jpeg::CudaDecoder> cuda_decoder_;
  jpeg::DecodeParams decoder_params_, cuda_decoder_params_;
  ThreadPool *pool_ = nullptr;
};

}  // namespace coalesce::gst
