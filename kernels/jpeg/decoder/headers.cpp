// SPDX-License-Identifier: LGPL-2.1-or-later
#include "headers.h"

#include <algorithm>

#include "../tables/parts.h"

namespace coalesce::jpeg {
namespace {

constexpr int kSof3 = 0xC3, kSof9 = 0xC9, kSof11 = 0xCB, kSof15 = 0xCF;

constexpr bool is(int marker, Marker which) {
  return marker == static_cast<int>(which);
}

constexpr Status unsupported(const char *message) {
  return {StatusCode::unsupported, message};
}

// Numbers of TIFF, in either order of bytes.
struct Tiff {
  const std::uint8_t *data;
  std::size_t size;
  bool is_little;

  unsigned number(std::size_t at, unsigned bytes) const {
    unsigned value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value = value << 8 | data[at + (is_little ? bytes - 1 - i : i)];
    return value;
  }
  bool has(std::size_t at, std::size_t bytes) const { return at <= size && bytes <= size - at; }
};

// Of the first directory; 1 where there is none that makes sense.
int exif_orientation(const std::uint8_t *data, std::size_t size) {
  constexpr std::size_t kEntry = 12;
  if (size < 8) return 1;
  const Tiff tiff = {data, size, data[0] == 'I'};
  if (data[0] != data[1] || (data[0] != 'I' && data[0] != 'M') || tiff.number(2, 2) != 42) return 1;
  const std::size_t directory = tiff.number(4, 4);
  if (!tiff.has(directory, 2)) return 1;
  const unsigned entries = tiff.number(directory, 2);
  for (unsigned i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + kEntry * i;
    if (!tiff.has(at, kEntry)) return 1;
    if (tiff.number(at, 2) != 0x0112 || tiff.number(at + 2, 2) != 3) continue;  // a SHORT
    const unsigned value = tiff.number(at + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace

Status HeaderReader::first_scan(std::int64_t max_pixels) {
  if (source_.word() != 0xFFD8)
    return invalid_argument("jpeg: a file that does not begin with SOI");
  bool is_end = false;
  if (Status s = read_markers(&is_end); !s.ok()) return s;
  if (is_end)
    return invalid_argument(saw_frame_ ? "jpeg: it ends before the data of the picture (SOS)"
                                       : "jpeg: it ends before the header of a picture (SOF)");
  // What a picture weighs is known before anything is allocated for it.
  if (std::int64_t{frame_.width} * frame_.height > max_pixels)
    return invalid_argument("jpeg: a picture of more pixels than max-pixels");
  if (Status s = set_up_frame(); !s.ok()) return s;
  // Files of motion JPEG leave out the usual tables.
  const HuffmanTable *usual_dc[] = {&kLumaDcTable, &kChromaDcTable};
  const HuffmanTable *usual_ac[] = {&kLumaAcTable, &kChromaAcTable};
  for (int i = 0; i < 2; ++i) {
    if (!has_dc_[i]) dc_[i] = *usual_dc[i];
    if (!has_ac_[i]) ac_[i] = *usual_ac[i];
    has_dc_[i] = has_ac_[i] = true;
  }
  return set_up_scan();
}

Status HeaderReader::next_scan(bool *is_end) {
  if (Status s = read_markers(is_end); !s.ok() || *is_end) return s;
  return set_up_scan();
}

// Up to SOS or EOI, which is dealt with.
Status HeaderReader::read_markers(bool *is_end) {
  for (;; source_.marker = 0) {
    source_.skipped = false;
    if (source_.marker == 0) source_.next_marker();
    odd_ |= source_.skipped;
    const int marker = source_.marker;
    Status s;
    if (marker >= static_cast<int>(Marker::sof0) && marker <= kSof15 && !is(marker, Marker::dht) &&
        !is(marker, Marker::jpg) && !is(marker, Marker::dac)) {
      if (is(marker, Marker::sof2))
        refused_ = "jpeg: a progressive file";
      else if (marker == kSof3)
        refused_ = "jpeg: a lossless file";
      else if (marker >= kSof9 && marker <= kSof11)
        refused_ = "jpeg: a file of arithmetic coding";
      else if (!is(marker, Marker::sof0) && !is(marker, Marker::sof1))
        return unsupported("jpeg: a hierarchical file");
      s = read_frame();
    } else if (is(marker, Marker::sos)) {
      source_.marker = 0;
      *is_end = false;
      return read_scan();
    } else if (is(marker, Marker::eoi)) {
      source_.marker = 0;
      *is_end = true;
      return {};
    } else if (is(marker, Marker::dht)) {
      s = read_huffman();
    } else if (is(marker, Marker::dqt)) {
      s = read_quantisation();
    } else if (is(marker, Marker::dri)) {
      s = read_restart();
    } else if (is(marker, Marker::app0)) {
      read_app0();
    } else if (marker == static_cast<int>(Marker::app0) + 1) {
      read_app1();
    } else if (is(marker, Marker::app14)) {
      read_app14();
    } else if ((marker >= static_cast<int>(Marker::app0) &&
                marker <= static_cast<int>(Marker::app15)) ||
               is(marker, Marker::com) || is(marker, Marker::dnl)) {
      s = skip_segment();
    } else if (is(marker, Marker::dac)) {
      s = read_arithmetic();
    } else if (is(marker, Marker::soi)) {
      return invalid_argument("jpeg: a second SOI");
    } else if (!is(marker, Marker::tem) && (marker < static_cast<int>(Marker::rst0) ||
                                            marker > static_cast<int>(Marker::rst7))) {
      return invalid_argument("jpeg: an unknown marker");
    }
    if (!s.ok()) return s;
  }
}

Status HeaderReader::read_frame() {
  if (saw_frame_) return invalid_argument("jpeg: a second frame header");
  const int length = source_.word();
  precision_ = source_.byte();
  frame_.height = source_.word();
  frame_.width = source_.word();
  frame_.components = source_.byte();
  if (frame_.height == 0 || frame_.width == 0 || frame_.components == 0)
    return invalid_argument("jpeg: an empty picture");
  if (length != 8 + 3 * frame_.components)
    return invalid_argument("jpeg: a frame header of a wrong length");
  for (int c = 0; c < frame_.components; ++c) {
    const int id = source_.byte(), sampling = source_.byte(), quant = source_.byte();
    if (c >= kMostComponents) continue;
    FrameComponent &k = frame_.component[c];
    k.id = id;
    k.h = sampling >> 4;
    k.v = sampling & 15;
    k.quant = quant;
  }
  saw_frame_ = true;
  return {};
}

Status HeaderReader::read_scan() {
  if (!saw_frame_) return invalid_argument("jpeg: a scan without a frame header");
  if (refused_ != nullptr) return unsupported(refused_);
  if (precision_ != 8) return unsupported("jpeg: samples of other than 8 bits");
  if (frame_.components == 4) return unsupported("jpeg: four components (CMYK or YCCK)");
  if (frame_.components != 1 && frame_.components != 3)
    return unsupported("jpeg: neither one component nor three");
  if (++scan_count_ > kMostScans) return invalid_argument("jpeg: too many scans");
  const int length = source_.word();
  scan_ = {};
  scan_.components = source_.byte();
  if (length != 6 + 2 * scan_.components || scan_.components < 1 ||
      scan_.components > kMostComponents)
    return invalid_argument("jpeg: a scan header of a wrong length");
  bool taken[kMostComponents] = {};  // places of the scan that have a component
  for (int i = 0; i < scan_.components; ++i) {
    const int id = source_.byte(), tables = source_.byte();
    // As libjpeg does it: of two components with one id, the second one where the scan's place of
    // the first one's number is taken.
    int c = 0;
    while (c < frame_.components && (frame_.component[c].id != id || taken[c]))
      ++c;
    if (c == frame_.components)
      return invalid_argument("jpeg: a scan of a component that there is not");
    for (int before = 0; before < i; ++before)
      if (scan_.component[before].component == c)
        return invalid_argument("jpeg: a scan that has a component twice");
    scan_.component[i] = {c, tables >> 4, tables & 15};
    taken[i] = true;
  }
  const int first = source_.byte(), last = source_.byte(), approximation = source_.byte();
  if (first != 0 || last != kCoefficients - 1 || approximation != 0) odd_ = true;
  if (scan_count_ == 1) several_ = scan_.components < frame_.components;
  return {};
}

Status HeaderReader::read_huffman() {
  int length = source_.word() - 2;
  while (length > kMostCodeBits) {
    int index = source_.byte();
    HuffmanTable table;
    for (std::uint8_t &count : table.counts)
      count = source_.byte();
    length -= 1 + kMostCodeBits;
    const int symbols = table.size();
    if (symbols > kSymbols || symbols > length)
      return invalid_argument("jpeg: a Huffman table of a wrong length");
    for (int i = 0; i < symbols; ++i)
      table.symbols[static_cast<std::size_t>(i)] = source_.byte();
    length -= symbols;
    const bool is_ac = (index & 0x10) != 0;
    if (is_ac) index -= 0x10;
    if (index >= kTables) return invalid_argument("jpeg: a Huffman table of a wrong number");
    (is_ac ? ac_ : dc_)[index] = table;
    (is_ac ? has_ac_ : has_dc_)[index] = true;
  }
  if (length != 0) return invalid_argument("jpeg: Huffman tables of a wrong length");
  return {};
}

Status HeaderReader::read_quantisation() {
  int length = source_.word() - 2;
  while (length > 0) {
    const int index = source_.byte();
    if ((index & 15) >= kTables)
      return invalid_argument("jpeg: a quantisation table of a wrong number");
    const bool is_wide = index >> 4 != 0;
    QuantTable &table = quant_slots_[index & 15];
    for (const std::uint8_t at : kNaturalOrder)
      table[at] = static_cast<std::uint16_t>(is_wide ? source_.word() : source_.byte());
    has_quant_[index & 15] = true;
    length -= 1 + kCoefficients * (is_wide ? 2 : 1);
  }
  if (length != 0) return invalid_argument("jpeg: quantisation tables of a wrong length");
  return {};
}

Status HeaderReader::read_restart() {
  if (source_.word() != 4) return invalid_argument("jpeg: a restart interval of a wrong length");
  restart_interval_ = source_.word();
  return {};
}

// What no file that is decoded here wants; but libjpeg ends where it is wrong.
Status HeaderReader::read_arithmetic() {
  constexpr int kConditions = 16;  // of each class
  int length = source_.word() - 2;
  for (; length > 0; length -= 2) {
    const int index = source_.byte(), value = source_.byte();
    if (index >= 2 * kConditions || (index < kConditions && (value & 15) > value >> 4))
      return invalid_argument("jpeg: conditions of arithmetic coding that there are not");
  }
  if (length != 0)
    return invalid_argument("jpeg: conditions of arithmetic coding of a wrong length");
  return {};
}

Status HeaderReader::skip_segment() {
  source_.skip(static_cast<std::size_t>(std::max(source_.word() - 2, 0)));
  return {};
}

void HeaderReader::read_app0() {
  const auto length = static_cast<std::size_t>(std::max(source_.word() - 2, 0));
  const std::size_t end = source_.at + length;
  std::uint8_t data[14] = {};
  if (length >= sizeof data) {
    for (std::uint8_t &byte : data)
      byte = source_.byte();
    if (std::memcmp(data, "JFIF", 5) == 0) {
      saw_jfif_ = true;
      if (data[5] != 1) odd_ = true;
      frame_.density_unit = data[7];
      frame_.density_x = data[8] << 8 | data[9];
      frame_.density_y = data[10] << 8 | data[11];
    }
  }
  source_.at = end;
}

void HeaderReader::read_app1() {
  const auto length = static_cast<std::size_t>(std::max(source_.word() - 2, 0));
  constexpr std::size_t kName = 6;
  if (source_.at < source_.size) {
    const std::size_t there = std::min(length, source_.size - source_.at);
    if (there > kName && std::memcmp(source_.data + source_.at, "Exif\0", kName) == 0)
      frame_.orientation = exif_orientation(source_.data + source_.at + kName, there - kName);
  }
  source_.skip(length);
}

void HeaderReader::read_app14() {
  const auto length = static_cast<std::size_t>(std::max(source_.word() - 2, 0));
  const std::size_t end = source_.at + length;
  std::uint8_t data[12] = {};
  if (length >= sizeof data) {
    for (std::uint8_t &byte : data)
      byte = source_.byte();
    if (std::memcmp(data, "Adobe", 5) == 0) {
      saw_adobe_ = true;
      adobe_transform_ = data[11];
    }
  }
  source_.at = end;
}

Status HeaderReader::set_up_frame() {
  Frame &f = frame_;
  if (f.width > kMostSide || f.height > kMostSide)
    return invalid_argument("jpeg: a picture that is wider or higher than 65500");
  for (int c = 0; c < f.components; ++c) {
    const FrameComponent &k = f.component[c];
    if (k.h < 1 || k.h > kMostSampling || k.v < 1 || k.v > kMostSampling)
      return invalid_argument("jpeg: sampling factors other than 1 to 4");
    f.max_h = std::max(f.max_h, k.h);
    f.max_v = std::max(f.max_v, k.v);
  }
  f.mcus_wide = parts(f.width, kBlockSize * f.max_h);
  f.mcus_high = parts(f.height, kBlockSize * f.max_v);
  for (int c = 0; c < f.components; ++c) {
    FrameComponent &k = f.component[c];
    k.width = parts(f.width * k.h, f.max_h);
    k.height = parts(f.height * k.v, f.max_v);
    k.blocks_wide = parts(f.width * k.h, kBlockSize * f.max_h);
    k.blocks_high = parts(f.height * k.v, kBlockSize * f.max_v);
    k.padded_wide = f.mcus_wide * k.h;
    k.padded_high = f.mcus_high * k.v;
  }
  if (f.components == 1) {
    f.colour = Colour::grey;
  } else if (saw_jfif_) {
    f.colour = Colour::ycc;
  } else if (saw_adobe_) {
    f.colour = adobe_transform_ == 0 ? Colour::rgb : Colour::ycc;
    if (adobe_transform_ > 1) odd_ = true;
  } else {
    const FrameComponent *k = f.component;
    f.colour = k[0].id == 'R' && k[1].id == 'G' && k[2].id == 'B' ? Colour::rgb : Colour::ycc;
  }
  return {};
}

Status HeaderReader::set_up_scan() {
  scan_.restart_interval = restart_interval_;
  scan_.mcus_wide = frame_.mcus_wide;
  scan_.mcus_high = frame_.mcus_high;
  if (scan_.components == 1) {
    const FrameComponent &k = frame_.component[scan_.component[0].component];
    scan_.mcus_wide = k.blocks_wide;
    scan_.mcus_high = k.blocks_high;
  } else {
    int blocks = 0;
    for (int i = 0; i < scan_.components; ++i) {
      const FrameComponent &k = frame_.component[scan_.component[i].component];
      blocks += k.h * k.v;
    }
    if (blocks > kMostBlocksOfMcu) return invalid_argument("jpeg: more than 10 blocks in an MCU");
  }
  for (int i = 0; i < scan_.components; ++i) {
    const ScanComponent &s = scan_.component[i];
    const FrameComponent &k = frame_.component[s.component];
    if (!latched_[s.component]) {
      if (k.quant >= kTables || !has_quant_[k.quant])
        return invalid_argument("jpeg: a quantisation table is missing");
      quant_[s.component] = quant_slots_[k.quant];
      latched_[s.component] = true;
    }
    if (s.dc >= kTables || s.ac >= kTables || !has_dc_[s.dc] || !has_ac_[s.ac])
      return invalid_argument("jpeg: a Huffman table is missing");
    if (Status status = check_table(dc_[s.dc]); !status.ok()) return status;
    if (Status status = check_table(ac_[s.ac]); !status.ok()) return status;
    for (int n = 0; n < dc_[s.dc].size(); ++n)
      if (dc_[s.dc].symbols[static_cast<std::size_t>(n)] > 15)
        return invalid_argument("jpeg: a difference of more than 15 bits");
  }
  return {};
}

}  // namespace coalesce::jpeg
