// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpeglibjpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <new>
#include <string_view>
#include <vector>

#include <jpeglib.h>

#include <jerror.h>

#include "jpeg/decoder/output.h"
#include "jpeg/tables/parts.h"

namespace coalesce::gst {
namespace {

using jpeg::Frame;
using jpeg::parts;

// libjpeg's object, and where its errors lead. Nothing that has a destructor is made between a
// setjmp() and what may jump there.
struct Decompress {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf out;
  bool no_memory = false;
  bool lacks_end = false, is_complete = false;  // of the file, and of its picture
  char text[JMSG_LENGTH_MAX] = {}, warning[JMSG_LENGTH_MAX] = {};  // the first one

  Decompress() {
    info.err = jpeg_std_error(&errors);
    info.client_data = this;
    errors.error_exit = [](j_common_ptr common) {
      auto *self = static_cast<Decompress *>(common->client_data);
      self->errors.format_message(common, self->text);
      self->no_memory = std::string_view(self->text).starts_with("Insufficient memory");
      std::longjmp(self->out, 1);
    };
    errors.emit_message = [](j_common_ptr common, int level) {
      auto *self = static_cast<Decompress *>(common->client_data);
      if (level >= 0) return;
      if (self->errors.msg_code == JWRN_JPEG_EOF)
        self->lacks_end = true;
      else if (self->warning[0] == 0)
        self->errors.format_message(common, self->warning);
    };
    errors.output_message = [](j_common_ptr) {};
    progress.progress_monitor = [](j_common_ptr common) {
      auto *self = static_cast<Decompress *>(common->client_data);
      // Files of a few bytes may have scans without end, of all blocks each.
      if (self->info.input_scan_number <= jpeg::kMostScans) return;
      std::snprintf(self->text, sizeof self->text, "more than %d scans", jpeg::kMostScans);
      std::longjmp(self->out, 1);
    };
  }
  ~Decompress() { jpeg_destroy_decompress(&info); }
  Decompress(const Decompress &) = delete;
  Decompress &operator=(const Decompress &) = delete;
};

constexpr Status kFails = {StatusCode::invalid_argument, "libjpeg does not decode it"};

Status failed(const Decompress &jpeg, std::string *why) {
  if (jpeg.no_memory) return {StatusCode::out_of_memory, "no memory for libjpeg"};
  *why = std::string("libjpeg: ") + jpeg.text;
  return kFails;
}

// False where libjpeg has ended with an error.
bool read_header(Decompress *jpeg, const std::uint8_t *file, std::size_t bytes) {
  if (setjmp(jpeg->out) != 0) return false;
  jpeg_create_decompress(&jpeg->info);
  jpeg->info.client_data = jpeg;
  jpeg->info.progress = &jpeg->progress;
  jpeg_mem_src(&jpeg->info, file, static_cast<unsigned long>(bytes));
  return jpeg_read_header(&jpeg->info, TRUE) == JPEG_HEADER_OK;
}

// Of a file without EOI: has all of the picture come? Where Huffman codes are cut, libjpeg warns of
// that, too. Arithmetic codes may lack zeros at their end, so there nobody can tell.
bool is_complete(const jpeg_decompress_struct &info) {
  if (info.arith_code) return false;
  for (int c = 0; c < info.num_components; ++c) {
    if (info.comp_info[c].quant_table == nullptr) return false;                 // no scan has it
    const int *bits = info.coef_bits != nullptr ? info.coef_bits[c] : nullptr;  // progressive
    if (bits != nullptr && std::any_of(bits, bits + DCTSIZE2, [](int b) { return b != 0; }))
      return false;
  }
  return true;
}

// After the last row.
void finish(Decompress *jpeg) {
  jpeg->is_complete = is_complete(jpeg->info);
  jpeg_finish_decompress(&jpeg->info);
}

std::string warning_of(const Decompress &jpeg) {
  if (jpeg.warning[0] != 0) return std::string("libjpeg: ") + jpeg.warning;
  if (!jpeg.lacks_end || jpeg.is_complete) return {};
  return std::string("libjpeg: ") + jpeg.errors.jpeg_message_table[JWRN_JPEG_EOF];
}

bool is_of_four(const jpeg_decompress_struct &info) {
  return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
}

// As djpeg has it: samples are inverted, as Adobe's are, whatever the file says.
std::uint8_t of_cmyk(int colour, int black) {
  return static_cast<std::uint8_t>((2 * colour * black + 255) / 510);
}

void put_rgb_row(const jpeg_decompress_struct &info, const std::uint8_t *row, int y,
                 const Image &out) {
  const PixelFormat format = jpeg::with_spare_bytes(out.format);
  const bool four = info.out_color_space == JCS_CMYK;
  const int step = four ? 4 : info.out_color_space == JCS_GRAYSCALE ? 1 : 3;
  for (int c = 0; c < format.components; ++c) {
    const PixelComponent &k = format.component[c];
    std::uint8_t *to = out.of(k).row(y) + k.first;
    for (int x = 0; x < out.width; ++x) {
      const std::uint8_t *from = row + x * step;
      to[x * k.step] = k.role == Role::alpha ? std::uint8_t{255}
                       : four                ? of_cmyk(from[c], from[3])
                       : step == 1           ? from[0]
                                             : from[c];
    }
  }
}

// row: of as many samples as libjpeg has for one.
bool read_rgb(Decompress *jpeg, const Image &out, std::uint8_t *row) {
  jpeg_decompress_struct &info = jpeg->info;
  if (setjmp(jpeg->out) != 0) return false;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    const auto y = static_cast<int>(info.output_scanline);
    JSAMPROW rows[1] = {row};
    jpeg_read_scanlines(&info, rows, 1);
    put_rgb_row(info, row, y, out);
  }
  finish(jpeg);
  return true;
}

// Rows of samples of one MCU's height, of all components.
struct RawRows {
  std::vector<std::uint8_t> samples[jpeg::kMostComponents];
  std::vector<JSAMPROW> rows[jpeg::kMostComponents];
  JSAMPARRAY planes[jpeg::kMostComponents] = {};

  explicit RawRows(const Frame &frame) {
    for (int c = 0; c < frame.components; ++c) {
      const jpeg::FrameComponent &k = frame.component[c];
      const auto pitch = static_cast<std::size_t>(k.padded_wide) * DCTSIZE;
      const auto count = static_cast<std::size_t>(k.v) * DCTSIZE;
      samples[c].resize(pitch * count);
      for (std::size_t y = 0; y < count; ++y)
        rows[c].push_back(samples[c].data() + pitch * y);
      planes[c] = rows[c].data();
    }
  }
};

void put_raw_rows(const Frame &frame, const RawRows &raw, int mcu_row, const Image &out) {
  for (int c = 0; c < out.format.components; ++c) {
    const jpeg::FrameComponent &from = frame.component[c];
    const PixelComponent &k = out.format.component[c];
    const int first = mcu_row * from.v * DCTSIZE;
    const int last = std::min(first + from.v * DCTSIZE, from.height);
    for (int y = first; y < last; ++y) {
      std::uint8_t *to = out.of(k).row(y) + k.first;
      const JSAMPROW row = raw.planes[c][y - first];
      for (int x = 0; x < from.width; ++x)
        to[x * k.step] = row[x];
    }
  }
}

bool read_raw(Decompress *jpeg, const Frame &frame, RawRows *raw, const Image &out) {
  jpeg_decompress_struct &info = jpeg->info;
  if (setjmp(jpeg->out) != 0) return false;
  info.raw_data_out = TRUE;
  jpeg_start_decompress(&info);
  const auto height = static_cast<JDIMENSION>(frame.max_v * DCTSIZE);
  for (int mcu_row = 0; info.output_scanline < info.output_height; ++mcu_row) {
    jpeg_read_raw_data(&info, raw->planes, height);
    put_raw_rows(frame, *raw, mcu_row, out);
  }
  finish(jpeg);
  return true;
}

void set_up(const jpeg_decompress_struct &info, Frame *frame) {
  frame->width = static_cast<int>(info.image_width);
  frame->height = static_cast<int>(info.image_height);
  frame->components = info.num_components;
  frame->max_h = info.max_h_samp_factor;
  frame->max_v = info.max_v_samp_factor;
  frame->mcus_wide = parts(frame->width, DCTSIZE * frame->max_h);
  frame->mcus_high = parts(frame->height, DCTSIZE * frame->max_v);
  for (int c = 0; c < frame->components; ++c) {
    const jpeg_component_info &from = info.comp_info[c];
    jpeg::FrameComponent &k = frame->component[c];
    k.id = from.component_id;
    k.h = from.h_samp_factor;
    k.v = from.v_samp_factor;
    k.quant = from.quant_tbl_no;
    k.width = parts(frame->width * k.h, frame->max_h);
    k.height = parts(frame->height * k.v, frame->max_v);
    k.blocks_wide = parts(frame->width * k.h, DCTSIZE * frame->max_h);
    k.blocks_high = parts(frame->height * k.v, DCTSIZE * frame->max_v);
    k.padded_wide = frame->mcus_wide * k.h;
    k.padded_high = frame->mcus_high * k.v;
  }
  frame->colour = info.jpeg_color_space == JCS_GRAYSCALE ? jpeg::Colour::grey
                  : info.jpeg_color_space == JCS_YCbCr   ? jpeg::Colour::ycc
                                                         : jpeg::Colour::rgb;
}

// Into what remains of *frame as it is.
Status read_frame(Decompress *jpeg, const std::uint8_t *file, std::size_t bytes,
                  std::int64_t max_pixels, Frame *frame, std::string *why) {
  if (!read_header(jpeg, file, bytes)) return failed(*jpeg, why);
  const jpeg_decompress_struct &info = jpeg->info;
  if (std::int64_t{info.image_width} * info.image_height > max_pixels)
    return invalid_argument("jpeg: a picture of more pixels than max-pixels");
  if (info.data_precision != 8 || info.num_components > jpeg::kMostComponents ||
      info.jpeg_color_space == JCS_UNKNOWN)
    return {StatusCode::unsupported, "jpeg: neither grey, YCbCr, RGB, CMYK nor YCCK of 8 bits"};
  for (int c = 0; c < info.num_components; ++c)
    if (info.comp_info[c].h_samp_factor < 1 || info.comp_info[c].v_samp_factor < 1) return kFails;
  set_up(info, frame);
  return {};
}

bool have_same_samples(const Frame &a, const Frame &b) {
  bool same = a.width == b.width && a.height == b.height && a.components == b.components &&
              a.colour == b.colour;
  for (int c = 0; same && c < a.components; ++c)
    same = a.component[c].h == b.component[c].h && a.component[c].v == b.component[c].v;
  return same;
}

}  // namespace

Status read_by_libjpeg(const std::uint8_t *file, std::size_t bytes, std::int64_t max_pixels,
                       Frame *frame, std::string *why) {
  Decompress jpeg;
  return read_frame(&jpeg, file, bytes, max_pixels, frame, why);
}

Status decode_by_libjpeg(const std::uint8_t *file, std::size_t bytes, const Frame &frame,
                         const jpeg::DecodeParams &params, const Image &out, std::string *broken,
                         std::string *why) {
  if (Status s = check_image(out); !s.ok()) return s;
  if (Status s = jpeg::check_output(frame, out.format, out.width, out.height); !s.ok()) return s;
  try {
    Decompress jpeg;
    Frame own;
    if (Status s = read_frame(&jpeg, file, bytes, params.max_pixels, &own, why); !s.ok()) return s;
    // What follows relies on it: of two fields, the second one comes with the first one's frame.
    if (!have_same_samples(own, frame))
      return invalid_argument(
          "jpeg: the second field is unlike the first one in size, number or sampling of "
          "components");
    jpeg_decompress_struct &info = jpeg.info;
    info.dct_method = JDCT_ISLOW;
    info.do_fancy_upsampling = params.fancy_upsampling ? TRUE : FALSE;
    bool read = false;
    if (out.format.has(Role::r)) {
      info.out_color_space = is_of_four(info)                         ? JCS_CMYK
                             : info.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE
                                                                      : JCS_RGB;
      std::vector<std::uint8_t> row(static_cast<std::size_t>(frame.width) * 4);
      read = read_rgb(&jpeg, out, row.data());
    } else {
      info.out_color_space = info.jpeg_color_space;
      RawRows raw(frame);
      read = read_raw(&jpeg, frame, &raw, out);
    }
    *broken = warning_of(jpeg);
    return read ? Status() : failed(jpeg, why);
  } catch (const std::bad_alloc &) {
    return {StatusCode::out_of_memory, "no memory for libjpeg"};
  }
}

}  // namespace coalesce::gst
