// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegfile.h"

#include <algorithm>
#include <iterator>

#include "jpeg/decoder/output.h"
#include "jpegframing.h"
#include "jpeglibjpeg.h"
#include "picture/formats.h"
#include "video/pixelformat.h"

namespace coalesce::gst {
namespace {

constexpr GstVideoFormat kYuv[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_I420,
                                   GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_Y42B,
                                   GST_VIDEO_FORMAT_Y444};
constexpr GstVideoFormat kRgb[] = {
    GST_VIDEO_FORMAT_RGB,  GST_VIDEO_FORMAT_BGR,  GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx,
    GST_VIDEO_FORMAT_xRGB, GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA,
    GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ABGR};

bool same(const jpeg::DecodeParams &a, const jpeg::DecodeParams &b) {
  return a.max_pixels == b.max_pixels && a.fancy_upsampling == b.fancy_upsampling;
}

// Of two files, how the first broken one is.
void say_first(const char *broken, std::string *first) {
  if (first->empty() && broken != nullptr) *first = broken;
}

// Rows of one field; without data where the picture lacks one of them.
Image rows_of_field(const Image &whole, int field) {
  Image image = whole;
  image.interlaced = false;
  image.height = whole.height / 2;
  for (int p = 0; p < whole.format.planes; ++p) {
    Plane<std::uint8_t> &plane = image.plane[p];
    plane.height = plane_rows(whole.format, p, image.height);
    if (2 * (plane.height - 1) + field >= whole.plane[p].height) return {};
    plane.data += static_cast<std::size_t>(field) * plane.pitch;
    plane.pitch *= 2;
  }
  return image;
}

}  // namespace

// Into pieces_. What is before the first file's SOI is left out.
void JpegFile::find_fields(const std::uint8_t *data, std::size_t bytes, const FieldCaps &caps) {
  JpegFraming framing(caps.height);
  // A file alone need not be looked through, but for its header.
  constexpr std::size_t kStep = 4096;
  for (std::size_t at = 0; at < bytes && !framing.has_frame(); at += kStep)
    if (framing.look_at(data + at, std::min(kStep, bytes - at))) break;
  if (framing.has_frame() && framing.hints().is_field(caps.height) && framing.second() == 0 &&
      framing.seen() < bytes)
    (void)framing.look_at(data + framing.seen(), bytes - framing.seen());
  const std::size_t begin = framing.has_begun() ? framing.begin() : 0;
  pieces_ = framing.second() > 0 ? 2 : 1;
  piece_[0] = {data + begin, (pieces_ == 2 ? framing.second() : bytes) - begin};
  piece_[1] = {data + framing.second(), bytes - framing.second()};
  fields_ = pieces_ == 2 || framing.hints().is_field(caps.height) ? 2 : 1;
  const int polarity = framing.hints().polarity;
  top_first_ = polarity == 0 ? !caps.bottom_first : polarity != 2;
}

Status JpegFile::read(const std::uint8_t *data, std::size_t bytes, const jpeg::DecodeParams &params,
                      const FieldCaps &caps) {
  params_ = params;
  why_.clear();
  find_fields(data, bytes, caps);
  jpeg::HeaderReader reader(piece_[0].data, piece_[0].bytes);
  Status status = reader.first_scan(params.max_pixels);
  frame_ = reader.frame();
  by_libjpeg_ = status.code() == StatusCode::unsupported;
  // (Both fields in one way.)
  if (status.ok() && pieces_ == 2)
    by_libjpeg_ =
        jpeg::HeaderReader(piece_[1].data, piece_[1].bytes).first_scan(params.max_pixels).code() ==
        StatusCode::unsupported;
  if (by_libjpeg_)
    status = read_by_libjpeg(piece_[0].data, piece_[0].bytes, params.max_pixels, &frame_, &why_);
  if (!status.ok() && std::int64_t{frame_.width} * frame_.height > params.max_pixels)
    why_ = std::to_string(frame_.width) + "x" + std::to_string(frame_.height) +
           " pixels are more than max-pixels=" + std::to_string(params.max_pixels) +
           "; a larger one, or 0, admits them";
  return status;
}

void JpegFile::describe(CodedPicture *picture) const {
  picture->width = frame_.width;
  picture->height = frame_.height * fields_;
  if (frame_.density_x > 0 && frame_.density_y > 0) {
    picture->par_n = frame_.density_y;
    picture->par_d = frame_.density_x;
  }
  if (fields_ == 2) picture->interlacing = GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
  picture->top_first = top_first_;
  picture->one_field = pieces_ < fields_;
  picture->for_cpu = by_libjpeg_;
  // Coefficients, and samples before they are RGB.
  picture->device_bytes = static_cast<gsize>(fields_) * frame_.blocks() * jpeg::kCoefficients * 3;
  picture->colorimetry = {GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_MATRIX_BT601,
                          GST_VIDEO_TRANSFER_UNKNOWN, GST_VIDEO_COLOR_PRIMARIES_UNKNOWN};
  picture->chroma_site = GST_VIDEO_CHROMA_SITE_JPEG;
  for (const GstVideoFormat format : kYuv)
    if (jpeg::check_output(frame_, pixel_format(format), frame_.width, frame_.height).ok())
      picture->formats.push_back(format);
  picture->formats.insert(picture->formats.end(), std::begin(kRgb), std::end(kRgb));
}

// Of each file.
Status JpegFile::find_rows(const Frame &out, Image *fields) const {
  const int first = top_first_ ? 0 : 1;
  fields[0] = fields[1] = out.image();
  for (int i = 0; fields_ == 2 && i < 2; ++i) {
    fields[i] = rows_of_field(out.image(), (first + i) % 2);
    if (fields[i].plane[0].data == nullptr)
      return {StatusCode::unsupported,
              "fields of 4:2:0 of an odd height in memory without a row for them; RGB will do"};
  }
  return {};
}

Status JpegFile::decode(const Frame &out, ThreadPool *pool, std::string *broken) {
  if (decoder_ == nullptr || pool_ != pool || !same(decoder_params_, params_)) {
    decoder_ = std::make_unique<jpeg::Decoder>(params_, pool);
    decoder_params_ = params_;
    pool_ = pool;
  }
  Image fields[2];
  if (Status s = find_rows(out, fields); !s.ok()) return s;
  broken->clear();
  for (int i = 0; i < fields_; ++i) {
    const Piece &piece = piece_[i < pieces_ ? i : 0];
    std::string of_libjpeg;
    const char *of_file = nullptr;
    Status status;
    if (by_libjpeg_) {
      status = decode_by_libjpeg(piece.data, piece.bytes, frame_, params_, fields[i], &of_libjpeg,
                                 &why_);
      of_file = of_libjpeg.c_str();
    } else {
      status = decoder_->read(piece.data, piece.bytes);
      if (status.ok()) status = decoder_->decode(fields[i], &of_file);
    }
    if (!status.ok()) return status;
    say_first(of_file, broken);
  }
  return {};
}

// ---- the GPU ---------------------------------------------------------------------------------

// With these parameters, for so many files.
Status JpegFile::make_cuda_decoder(int slots) {
  if (cuda_decoder_ != nullptr && slots_ == slots && same(cuda_decoder_params_, params_)) return {};
  cuda_decoder_.reset();
  std::unique_ptr<jpeg::CudaDecoder> made;
  if (Status s = jpeg::CudaDecoder::make(params_, slots, &made); !s.ok()) return s;
  cuda_decoder_ = std::move(made);
  cuda_decoder_params_ = params_;
  slots_ = slots;
  next_slot_ = 0;
  return {};
}

Status JpegFile::start(const Frame &out, void *stream, int room) {
  Image fields[2];
  if (Status s = find_rows(out, fields); !s.ok()) return s;
  if (Status s = make_cuda_decoder(2 * room); !s.ok()) return s;
  Started picture{cuda_decoder_, slots_, next_slot_, 0};
  Status status;
  for (; picture.files < fields_ && status.ok(); picture.files += status.ok()) {
    const Piece &piece = piece_[picture.files < pieces_ ? picture.files : 0];
    const int slot = (next_slot_ + picture.files) % slots_;
    status = cuda_decoder_->read(slot, piece.data, piece.bytes);
    if (status.ok()) status = cuda_decoder_->start(slot, fields[picture.files], stream);
  }
  if (!status.ok()) {
    std::string broken;
    (void)wait_for(picture, &broken);
    return status;
  }
  next_slot_ = (next_slot_ + fields_) % slots_;
  const std::lock_guard guard(lock_);
  started_.push_back(std::move(picture));
  return {};
}

Status JpegFile::wait_for(const Started &picture, std::string *broken) {
  broken->clear();
  Status status;
  for (int i = 0; i < picture.files; ++i) {
    const char *is_broken = nullptr;
    const Status waited = picture.decoder->wait((picture.first + i) % picture.slots, &is_broken);
    if (status.ok()) status = waited;
    say_first(is_broken, broken);
  }
  return status;
}

Status JpegFile::finish(std::string *broken) {
  Started picture;
  {
    const std::lock_guard guard(lock_);
    picture = std::move(started_.front());
    started_.pop_front();
  }
  return wait_for(picture, broken);
}

void JpegFile::discard() {
  std::string broken;
  while (!started_.empty())
    (void)finish(&broken);
}

void JpegFile::release() {
  decoder_.reset();
  cuda_decoder_.reset();
  pool_ = nullptr;
}

}  // namespace coalesce::gst
