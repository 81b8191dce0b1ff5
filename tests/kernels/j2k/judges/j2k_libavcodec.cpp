// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_libavcodec.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>
}

#include <cstdarg>
#include <cstdio>
#include <memory>

namespace coalesce::test {
namespace {

struct Free {
  void operator()(AVCodecContext *context) const { avcodec_free_context(&context); }
  void operator()(AVPacket *packet) const { av_packet_free(&packet); }
  void operator()(AVFrame *frame) const { av_frame_free(&frame); }
};
using Context = std::unique_ptr<AVCodecContext, Free>;
using Packet = std::unique_ptr<AVPacket, Free>;
using Frame = std::unique_ptr<AVFrame, Free>;

// (What is logged has no pointer of the user's with it.)
std::string said;

void listen(void *, int level, const char *format, va_list arguments) {
  if (level > AV_LOG_ERROR) return;
  char line[1024];
  std::vsnprintf(line, sizeof line, format, arguments);
  said += line;
}

Frame decode(const std::vector<std::uint8_t> &bytes, Context *context) {
  const AVCodec *codec = avcodec_find_decoder(AV_CODEC_ID_JPEG2000);
  context->reset(avcodec_alloc_context3(codec));
  Packet packet(av_packet_alloc());
  Frame frame(av_frame_alloc());
  if (codec == nullptr || *context == nullptr || packet == nullptr || frame == nullptr ||
      av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0)
    return nullptr;
  std::copy(bytes.begin(), bytes.end(), packet->data);
  (*context)->thread_count = 1;
  return avcodec_open2(context->get(), codec, nullptr) >= 0 &&
                 avcodec_send_packet(context->get(), packet.get()) >= 0 &&
                 avcodec_receive_frame(context->get(), frame.get()) >= 0
             ? std::move(frame)
             : nullptr;
}

// The part of a plane that the component fills. (Where the image does not begin at 0, 0, the frame
// may have a column or a row more of chroma.) Samples lie at the upper end of those that have room
// for more bits.
Decoded::Component component(const AVFrame &frame, int index, const j2k::CodingParams &params) {
  const auto *format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const int bits = params.component[static_cast<std::size_t>(index)].bits;
  const j2k::Rect rect = component_rect(params, index);
  Decoded::Component component = {rect.width(), rect.height(), bits, {}};
  std::vector<std::uint16_t> row(static_cast<std::size_t>(rect.width()));
  for (int y = 0; y < rect.height(); ++y) {
    av_read_image_line(row.data(), const_cast<const std::uint8_t **>(frame.data), frame.linesize,
                       format, 0, y, index, rect.width(), 0);
    for (const std::uint16_t sample : row)
      component.samples.push_back(sample >> (format->comp[index].depth - bits));
  }
  return component;
}

// It has planes for them, and they are large enough.
bool has_room(const AVFrame &frame, const j2k::CodingParams &params) {
  const auto *format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  if (format->nb_components != params.num_components) return false;
  for (int c = 0; c < params.num_components; ++c) {
    const bool chroma = c == 1 || c == 2;
    const int width = AV_CEIL_RSHIFT(frame.width, chroma ? format->log2_chroma_w : 0),
              height = AV_CEIL_RSHIFT(frame.height, chroma ? format->log2_chroma_h : 0);
    const j2k::Rect rect = component_rect(params, c);
    if (width < rect.width() || height < rect.height() ||
        format->comp[c].depth < params.component[static_cast<std::size_t>(c)].bits)
      return false;
  }
  return true;
}

}  // namespace

bool have_libavcodec() {
  return avcodec_find_decoder(AV_CODEC_ID_JPEG2000) != nullptr;
}

unsigned libavcodec_version() {
  return avcodec_version();
}

Decoded decode_with_libavcodec(const std::vector<std::uint8_t> &bytes,
                               const j2k::CodingParams &params) {
  said.clear();
  av_log_set_callback(listen);
  Context context;
  const Frame frame = decode(bytes, &context);
  Decoded decoded;
  decoded.complaint = said;
  if (frame == nullptr || !has_room(*frame, params)) {
    decoded.complaint += frame == nullptr ? "(it did not decode)" : "(another kind of picture)";
    return decoded;
  }
  for (int c = 0; c < params.num_components; ++c)
    decoded.components.push_back(component(*frame, c, params));
  return decoded;
}

}  // namespace coalesce::test
