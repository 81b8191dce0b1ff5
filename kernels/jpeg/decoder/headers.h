// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands before the coefficients of a JPEG file (ITU-T T.81, annex B), read with libjpeg's
// patience: it is refused where libjpeg ends with an error. Files come from strangers: nothing is
// believed, and nothing outside the file is read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/status.h"
#include "../tables/huffman.h"
#include "../tables/quantisation.h"
#include "byte_source.h"

namespace coalesce::jpeg {

constexpr int kMostComponents = 4;    // of those that are decoded
constexpr int kMostSampling = 4;      // factors
constexpr int kMostBlocksOfMcu = 10;  // of a scan of several components
constexpr int kMostSide = 65500;      // libjpeg's
constexpr int kMostScans = 100;       // sequential files have one for each component at most
constexpr int kTables = 4;            // destinations, of each kind
constexpr std::int64_t kUsualMostPixels = std::int64_t{1} << 27;

enum class Colour : std::uint8_t { grey, ycc, rgb };  // what the components are

struct FrameComponent {
  int id, h, v, quant;           // as in SOF
  int width, height;             // samples of the picture
  int blocks_wide, blocks_high;  // that hold them
  int padded_wide, padded_high;  // those of whole MCUs
  std::size_t blocks() const {
    return static_cast<std::size_t>(padded_wide) * static_cast<std::size_t>(padded_high);
  }
};

struct Frame {
  int width = 0, height = 0;
  int components = 0;
  FrameComponent component[kMostComponents] = {};
  int max_h = 1, max_v = 1;
  int mcus_wide = 0, mcus_high = 0;  // of a scan of several components
  Colour colour = Colour::ycc;
  // JFIF: 0 for an aspect ratio of pixels, 1 dots per inch, 2 dots per centimetre.
  int density_unit = 0, density_x = 1, density_y = 1;
  int orientation = 1;  // EXIF's, 1 to 8: 1 is upright

  std::size_t blocks() const {
    std::size_t sum = 0;
    for (int c = 0; c < components; ++c)
      sum += component[c].blocks();
    return sum;
  }
};

struct ScanComponent {
  int component;  // of the frame
  int dc, ac;     // destinations of Huffman tables
};
struct Scan {
  int components = 0;
  ScanComponent component[kMostComponents] = {};
  int restart_interval = 0;  // MCUs
  int mcus_wide = 0, mcus_high = 0;
};

// Goes through a file, scan by scan. After each next_scan() the caller moves source() behind the
// scan's data, to the marker that ends it.
class HeaderReader {
 public:
  // file: stays where it is while this is used.
  HeaderReader(const std::uint8_t *file, std::size_t bytes) {
    source_.data = file;
    source_.size = bytes;
  }

  // Everything up to the first scan, and that scan's header.
  // Errors: invalid_argument for what is no JPEG file or is broken before its data, or has more
  // than max_pixels; unsupported, with their name, for files that are progressive, arithmetic,
  // lossless, hierarchical, of 12 bits, or CMYK.
  Status first_scan(std::int64_t max_pixels);
  // Of a file with several scans (has_several_scans()). *is_end: there are no more. Errors: as
  // before.
  Status next_scan(bool *is_end);

  const Frame &frame() const { return frame_; }
  const Scan &scan() const { return scan_; }
  bool has_several_scans() const { return scan_count_ > 0 && several_; }
  const HuffmanTable &dc_table(int i) const { return dc_[i]; }
  const HuffmanTable &ac_table(int i) const { return ac_[i]; }
  // Of a component of the frame: zeros, as long as there was no scan of it. In rows, as libjpeg has
  // them: 16 bits with a sign.
  const QuantTable &quant(int component) const { return quant_[component]; }
  bool has_scan(int component) const { return latched_[component]; }  // so far
  ByteSource *source() { return &source_; }
  bool is_odd() const { return odd_; }  // libjpeg warns of something in a header

 private:
  Status read_markers(bool *is_end);
  Status read_frame();
  Status read_scan();
  Status read_huffman();
  Status read_quantisation();
  Status read_restart();
  Status read_arithmetic();
  Status skip_segment();
  void read_app0();
  void read_app1();
  void read_app14();
  Status set_up_frame();
  Status set_up_scan();

  ByteSource source_;
  Frame frame_;
  Scan scan_;
  HuffmanTable dc_[kTables], ac_[kTables];
  bool has_dc_[kTables] = {}, has_ac_[kTables] = {}, has_quant_[kTables] = {};
  QuantTable quant_slots_[kTables] = {}, quant_[kMostComponents] = {};
  bool latched_[kMostComponents] = {};
  int restart_interval_ = 0, scan_count_ = 0;
  bool saw_frame_ = false, saw_jfif_ = false, saw_adobe_ = false;
  bool several_ = false, odd_ = false;
  const char *refused_ = nullptr;  // a coding that is not decoded here
  int precision_ = 8, adobe_transform_ = 0;
};

}  // namespace coalesce::jpeg
