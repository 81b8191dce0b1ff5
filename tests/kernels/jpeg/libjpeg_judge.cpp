// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libjpeg_judge.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

#include <jpeglib.h>

namespace coalesce::test {
namespace {

struct ErrorManager {
  jpeg_error_mgr base;  // first: libjpeg knows its address
  std::jmp_buf leave;
  char text[JMSG_LENGTH_MAX];
};

void leave_with_text(j_common_ptr libjpeg) {
  auto *manager = reinterpret_cast<ErrorManager *>(libjpeg->err);
  libjpeg->err->format_message(libjpeg, manager->text);
  std::longjmp(manager->leave, 1);
}

// Before libjpeg's first use: it looks once.
void without_simd() {
  static const int done = setenv("JSIMD_FORCENONE", "1", 1);
  (void)done;
}

using Work = std::function<void(jpeg_compress_struct *)>;

// Nothing with a destructor lives between setjmp() and longjmp() but `work`, which owns nothing.
bool compress(ErrorManager *errors, unsigned char **file, unsigned long *bytes, const Work &work) {
  jpeg_compress_struct libjpeg;
  libjpeg.err = jpeg_std_error(&errors->base);
  errors->base.error_exit = leave_with_text;
  jpeg_create_compress(&libjpeg);
  if (setjmp(errors->leave) != 0) {
    jpeg_destroy_compress(&libjpeg);
    return false;
  }
  jpeg_mem_dest(&libjpeg, file, bytes);
  work(&libjpeg);
  jpeg_finish_compress(&libjpeg);
  jpeg_destroy_compress(&libjpeg);
  return true;
}

std::vector<std::uint8_t> file_of(const Work &work) {
  without_simd();
  ErrorManager errors;
  unsigned char *file = nullptr;
  unsigned long bytes = 0;
  const bool good = compress(&errors, &file, &bytes, work);
  std::vector<std::uint8_t> copy;
  if (good) copy.assign(file, file + bytes);
  std::free(file);
  if (!good) throw std::runtime_error(std::string("libjpeg: ") + errors.text);
  return copy;
}

void set_table(jpeg_compress_struct *libjpeg, int which, const jpeg::QuantTable *table) {
  if (table == nullptr) return;
  unsigned steps[DCTSIZE2];
  std::copy(table->begin(), table->end(), steps);
  jpeg_add_quant_table(libjpeg, which, steps, 100, TRUE);
}

// After jpeg_set_defaults() and the colour space.
void set(jpeg_compress_struct *libjpeg, const LibjpegCoding &coding) {
  jpeg_set_quality(libjpeg, coding.quality, TRUE);
  set_table(libjpeg, 0, coding.luma);
  set_table(libjpeg, 1, coding.chroma);
  libjpeg->dct_method = JDCT_ISLOW;
  libjpeg->optimize_coding = coding.optimize ? TRUE : FALSE;
  if (coding.progressive) jpeg_simple_progression(libjpeg);
  libjpeg->restart_interval = static_cast<unsigned>(coding.restart_interval);
  libjpeg->X_density = static_cast<UINT16>(coding.density_x);
  libjpeg->Y_density = static_cast<UINT16>(coding.density_y);
  if (libjpeg->jpeg_color_space != JCS_YCbCr) return;
  libjpeg->comp_info[0].h_samp_factor = coding.h;
  libjpeg->comp_info[0].v_samp_factor = coding.v;
}

// A plane with the columns that its blocks reach beyond it.
struct Padded {
  std::size_t pitch = 0;
  std::vector<std::uint8_t> samples;
  std::vector<JSAMPROW> rows;

  Padded(const LibjpegPlane &plane, int columns) : pitch(static_cast<std::size_t>(columns)) {
    samples.resize(pitch * static_cast<std::size_t>(plane.height));
    for (int y = 0; y < plane.height; ++y) {
      const std::uint8_t *from = plane.data + plane.pitch * static_cast<std::size_t>(y);
      rows.push_back(samples.data() + pitch * static_cast<std::size_t>(y));
      std::copy_n(from, plane.width, rows.back());
      std::fill(rows.back() + plane.width, rows.back() + columns, from[plane.width - 1]);
    }
  }
  JSAMPROW row(int y) const {
    return rows[static_cast<std::size_t>(std::min(y, static_cast<int>(rows.size()) - 1))];
  }
};

// A file in pieces.
struct Pieces {
  jpeg_source_mgr base;  // first
  const std::uint8_t *next;
  std::size_t left;

  static Pieces *of(j_decompress_ptr libjpeg) { return reinterpret_cast<Pieces *>(libjpeg->src); }
};

void nothing(j_decompress_ptr) {}

boolean next_piece(j_decompress_ptr libjpeg) {
  static const JOCTET kEnd[] = {0xFF, JPEG_EOI};
  Pieces *pieces = Pieces::of(libjpeg);
  const std::size_t bytes = std::min<std::size_t>(pieces->left, 256);
  pieces->base.next_input_byte = bytes == 0 ? kEnd : pieces->next;
  pieces->base.bytes_in_buffer = bytes == 0 ? sizeof kEnd : bytes;
  pieces->next += bytes;
  pieces->left -= bytes;
  if (bytes == 0) ++libjpeg->err->num_warnings;
  return TRUE;
}

void skip_bytes(j_decompress_ptr libjpeg, long bytes) {
  jpeg_source_mgr *source = libjpeg->src;
  while (bytes > static_cast<long>(source->bytes_in_buffer)) {
    bytes -= static_cast<long>(source->bytes_in_buffer);
    next_piece(libjpeg);
  }
  if (bytes <= 0) return;
  source->next_input_byte += bytes;
  source->bytes_in_buffer -= static_cast<std::size_t>(bytes);
}

void count_warning(j_common_ptr libjpeg, int level) {
  if (level < 0) ++libjpeg->err->num_warnings;
}

// As compress().
using Reading = std::function<void(jpeg_decompress_struct *)>;
void decompress(ErrorManager *errors, const std::vector<std::uint8_t> &file,
                LibjpegPicture *picture, const Reading &work) {
  jpeg_decompress_struct libjpeg;
  libjpeg.err = jpeg_std_error(&errors->base);
  errors->base.error_exit = leave_with_text;
  errors->base.emit_message = count_warning;
  jpeg_create_decompress(&libjpeg);
  if (setjmp(errors->leave) != 0) {
    jpeg_destroy_decompress(&libjpeg);
    picture->error = errors->text;
    return;
  }
  Pieces pieces = {};
  pieces.base.init_source = nothing;
  pieces.base.fill_input_buffer = next_piece;
  pieces.base.skip_input_data = skip_bytes;
  pieces.base.resync_to_restart = jpeg_resync_to_restart;
  pieces.base.term_source = nothing;
  pieces.next = file.data();
  pieces.left = file.size();
  libjpeg.src = &pieces.base;
  jpeg_read_header(&libjpeg, TRUE);
  libjpeg.dct_method = JDCT_ISLOW;
  work(&libjpeg);
  picture->warned = libjpeg.err->num_warnings != 0;
  jpeg_destroy_decompress(&libjpeg);
}

LibjpegPicture picture_of(
    const std::vector<std::uint8_t> &file,
    const std::function<void(jpeg_decompress_struct *, LibjpegPicture *)> &work) {
  without_simd();
  ErrorManager errors;
  LibjpegPicture picture;
  decompress(&errors, file, &picture,
             [&](jpeg_decompress_struct *libjpeg) { work(libjpeg, &picture); });
  return picture;
}

}  // namespace

bool have_libjpeg() {
  return true;
}

std::vector<std::uint8_t> libjpeg_file(int width, int height,
                                       const std::vector<LibjpegPlane> &planes,
                                       const LibjpegCoding &coding) {
  const bool grey = planes.size() == 1;
  const int h = grey ? 1 : coding.h, v = grey ? 1 : coding.v;
  std::vector<Padded> padded;
  for (std::size_t c = 0; c < planes.size(); ++c)
    padded.emplace_back(planes[c], (width + 8 * h - 1) / (8 * h) * 8 * (c == 0 ? h : 1));
  JSAMPROW rows[3][2 * DCTSIZE];
  JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
  const auto work = [&](jpeg_compress_struct *libjpeg) {
    libjpeg->image_width = static_cast<JDIMENSION>(width);
    libjpeg->image_height = static_cast<JDIMENSION>(height);
    libjpeg->input_components = static_cast<int>(planes.size());
    libjpeg->in_color_space = grey ? JCS_GRAYSCALE : JCS_YCbCr;
    jpeg_set_defaults(libjpeg);
    set(libjpeg, coding);
    libjpeg->raw_data_in = TRUE;
    jpeg_start_compress(libjpeg, TRUE);
    for (int y = 0; y < height; y += DCTSIZE * v) {
      for (std::size_t c = 0; c < planes.size(); ++c) {
        const int of_plane = c == 0 ? v : 1;
        for (int i = 0; i < DCTSIZE * of_plane; ++i)
          rows[c][i] = padded[c].row(y / v * of_plane + i);
      }
      jpeg_write_raw_data(libjpeg, arrays, static_cast<JDIMENSION>(DCTSIZE * v));
    }
  };
  return file_of(work);
}

namespace {

// Of pixels, whose samples come by turns.
std::vector<std::uint8_t> file_of_pixels(const LibjpegPlane &pixels, J_COLOR_SPACE space,
                                         bool keep_space, const LibjpegCoding &coding) {
  const auto work = [&](jpeg_compress_struct *libjpeg) {
    libjpeg->image_width = static_cast<JDIMENSION>(pixels.width);
    libjpeg->image_height = static_cast<JDIMENSION>(pixels.height);
    libjpeg->input_components = space == JCS_CMYK ? 4 : 3;
    libjpeg->in_color_space = space;
    jpeg_set_defaults(libjpeg);
    if (keep_space) jpeg_set_colorspace(libjpeg, space);
    set(libjpeg, coding);
    jpeg_start_compress(libjpeg, TRUE);
    for (int y = 0; y < pixels.height; ++y) {
      auto row = const_cast<JSAMPROW>(pixels.data + pixels.pitch * static_cast<std::size_t>(y));
      jpeg_write_scanlines(libjpeg, &row, 1);
    }
  };
  return file_of(work);
}

}  // namespace

std::vector<std::uint8_t> libjpeg_file_of_rgb(const LibjpegPlane &pixels, bool keep_rgb,
                                              const LibjpegCoding &coding) {
  return file_of_pixels(pixels, JCS_RGB, keep_rgb, coding);
}

std::vector<std::uint8_t> libjpeg_file_of_cmyk(const LibjpegPlane &pixels,
                                               const LibjpegCoding &coding) {
  return file_of_pixels(pixels, JCS_CMYK, true, coding);
}

LibjpegPicture libjpeg_planes(const std::vector<std::uint8_t> &file) {
  // Here, as libjpeg's errors leave the function without destructors.
  std::vector<std::vector<std::uint8_t>> band;
  std::vector<std::vector<JSAMPROW>> rows;
  std::vector<JSAMPARRAY> arrays;
  return picture_of(file, [&](jpeg_decompress_struct *libjpeg, LibjpegPicture *picture) {
    libjpeg->raw_data_out = TRUE;
    jpeg_start_decompress(libjpeg);
    for (int c = 0; c < libjpeg->num_components; ++c) {
      const jpeg_component_info &k = libjpeg->comp_info[c];
      const std::size_t pitch = (k.width_in_blocks + 4) * DCTSIZE;
      const auto lines = static_cast<std::size_t>(k.v_samp_factor * DCTSIZE);
      band.emplace_back(pitch * lines);
      rows.emplace_back();
      for (std::size_t y = 0; y < lines; ++y)
        rows.back().push_back(band.back().data() + pitch * y);
      picture->planes.push_back(
          {static_cast<int>(k.downsampled_width), static_cast<int>(k.downsampled_height), {}});
    }
    for (std::vector<JSAMPROW> &of : rows)
      arrays.push_back(of.data());
    const int lines = libjpeg->max_v_samp_factor * DCTSIZE;
    while (libjpeg->output_scanline < libjpeg->output_height) {
      jpeg_read_raw_data(libjpeg, arrays.data(), static_cast<JDIMENSION>(lines));
      for (std::size_t c = 0; c < rows.size(); ++c) {
        LibjpegSamples &plane = picture->planes[c];
        const auto width = static_cast<std::size_t>(plane.width);
        for (const JSAMPROW row : rows[c])
          if (plane.samples.size() < width * static_cast<std::size_t>(plane.height))
            plane.samples.insert(plane.samples.end(), row, row + width);
      }
    }
  });
}

LibjpegPicture libjpeg_rgb(const std::vector<std::uint8_t> &file, bool fancy_upsampling) {
  return picture_of(file, [&](jpeg_decompress_struct *libjpeg, LibjpegPicture *picture) {
    libjpeg->do_fancy_upsampling = fancy_upsampling ? TRUE : FALSE;
    libjpeg->out_color_space = JCS_RGB;
    jpeg_start_decompress(libjpeg);
    const std::size_t pitch = 3 * std::size_t{libjpeg->output_width};
    picture->planes.push_back(
        {static_cast<int>(libjpeg->output_width), static_cast<int>(libjpeg->output_height), {}});
    std::vector<std::uint8_t> &samples = picture->planes.back().samples;
    samples.resize(pitch * libjpeg->output_height);
    while (libjpeg->output_scanline < libjpeg->output_height) {
      JSAMPROW row = samples.data() + pitch * libjpeg->output_scanline;
      jpeg_read_scanlines(libjpeg, &row, 1);
    }
  });
}

}  // namespace coalesce::test
