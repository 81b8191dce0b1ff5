// SPDX-License-Identifier: LGPL-2.1-or-later
// Headers that are refused, what else they say, and coefficients: those that were written. Pictures
// are compared by the check tool's case jpeg-decoder.
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "jpeg/decoder/decoder.h"
#include "jpeg/decoder/file_decoder.h"
#include "jpeg/decoder/inverse_dct.h"
#include "jpeg/decoder/output.h"
#include "jpeg_writer.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using namespace jpeg;  // NOLINT

using Bytes = std::vector<std::uint8_t>;

struct Segment {
  int marker;
  std::vector<int> bytes;
};

// Grey, one block of zeros: a difference of size 0 (00), and the end of the block (1010).
const Segment kFrame = {0xC0, {8, 0, 8, 0, 8, 1, 1, 0x11, 0}};
const Segment kScan = {0xDA, {1, 1, 0x00, 0, 63, 0}};

Segment steps(int step) {
  Segment segment = {0xDB, {0}};
  segment.bytes.resize(65, step);
  segment.bytes[0] = 0;
  return segment;
}

Bytes file_of(const std::vector<Segment> &segments, const Bytes &data = {0x2B, 0xFF, 0xD9}) {
  Bytes file = {0xFF, 0xD8};
  for (const Segment &s : segments) {
    const std::size_t length = s.bytes.size() + 2;
    file.insert(file.end(),
                {0xFF, static_cast<std::uint8_t>(s.marker), static_cast<std::uint8_t>(length >> 8),
                 static_cast<std::uint8_t>(length)});
    for (const int byte : s.bytes)
      file.push_back(static_cast<std::uint8_t>(byte));
  }
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

Status read(const Bytes &file, std::int64_t max_pixels = kUsualMostPixels) {
  return HeaderReader(file.data(), file.size()).first_scan(max_pixels);
}

std::string refusal(const Bytes &file, StatusCode code = StatusCode::invalid_argument) {
  const Status s = read(file);
  CHECK(s.code() == code);
  return s.message();
}

Segment with(Segment segment, std::size_t at, int value) {
  segment.bytes[at] = value;
  return segment;
}

TEST_CASE("a least file is read, and is grey") {
  const Bytes file = file_of({steps(1), kFrame, kScan});
  Decoder decoder({});
  REQUIRE(decoder.read(file.data(), file.size()).ok());
  CHECK(decoder.frame().width == 8);
  CHECK(coded_format(decoder.frame()) == pixel_format("GRAY8"));
  Bytes samples(64, 7);
  const char *broken = "";
  REQUIRE(decoder.decode({pixel_format("GRAY8"), 8, 8, false, {{samples.data(), 8, 8, 8}}}, &broken)
              .ok());
  CHECK(broken == nullptr);
  CHECK(samples == Bytes(64, 128));
}

TEST_CASE("what is refused before its data") {
  CHECK(refusal({}).find("SOI") != std::string::npos);
  CHECK(refusal({0xFF}).find("SOI") != std::string::npos);
  CHECK(refusal({0xFF, 0xD8}) == "jpeg: it ends before the header of a picture (SOF)");
  CHECK(refusal(file_of({steps(1), kFrame}, {})) ==
        "jpeg: it ends before the data of the picture (SOS)");
  CHECK(refusal(file_of({steps(1), kScan})) == "jpeg: a scan without a frame header");
  CHECK(refusal(file_of({kFrame, kScan})) == "jpeg: a quantisation table is missing");
  CHECK(refusal(file_of({steps(1), kFrame, kFrame, kScan})) == "jpeg: a second frame header");
  CHECK(refusal(file_of({steps(1), with(kFrame, 2, 0), kScan})) == "jpeg: an empty picture");
  CHECK(refusal(file_of({steps(1), with(kFrame, 7, 0x51), kScan})) ==
        "jpeg: sampling factors other than 1 to 4");
  CHECK(refusal(file_of({steps(1), with(kFrame, 7, 0x10), kScan})) ==
        "jpeg: sampling factors other than 1 to 4");
  CHECK(refusal(file_of({steps(1), kFrame, with(kScan, 1, 2)})) ==
        "jpeg: a scan of a component that there is not");
  CHECK(refusal(file_of({steps(1), kFrame, with(kScan, 2, 0x20)})) ==
        "jpeg: a Huffman table is missing");
  CHECK(refusal(file_of({steps(1), kFrame, with(kScan, 2, 0x04)})) ==
        "jpeg: a Huffman table is missing");
  CHECK(refusal(file_of({steps(1), kFrame, with(kScan, 0, 0)})) ==
        "jpeg: a scan header of a wrong length");
  CHECK(refusal(file_of({with(steps(1), 0, 4), kFrame, kScan})) ==
        "jpeg: a quantisation table of a wrong number");
  CHECK(refusal(file_of({with(steps(1), 0, 16), kFrame, kScan})) ==
        "jpeg: quantisation tables of a wrong length");
  CHECK(refusal(file_of({steps(1), {0xDD, {0}}, kFrame, kScan})) ==
        "jpeg: a restart interval of a wrong length");
  Segment huffman = {0xC4, {0}};
  huffman.bytes.resize(17 + 3, 0);
  CHECK(refusal(file_of({steps(1), huffman, kFrame, kScan})) ==
        "jpeg: Huffman tables of a wrong length");
  huffman.bytes[1] = 3;  // three codes of one bit
  CHECK(refusal(file_of({steps(1), huffman, kFrame, kScan})).find("more codes") !=
        std::string::npos);
  huffman.bytes[1] = 0;
  huffman.bytes[2] = 3;
  huffman.bytes[18] = 16;
  CHECK(refusal(file_of({steps(1), huffman, kFrame, kScan})) ==
        "jpeg: a difference of more than 15 bits");
  CHECK(refusal(file_of({steps(1), with(huffman, 0, 0x24), kFrame, kScan})) ==
        "jpeg: a Huffman table of a wrong number");
  CHECK(refusal(file_of({steps(1), with(huffman, 2, 255), kFrame, kScan})) ==
        "jpeg: a Huffman table of a wrong length");
  CHECK(refusal(file_of({steps(1), {0xCC, {32, 0}}, kFrame, kScan})) ==
        "jpeg: conditions of arithmetic coding that there are not");
  CHECK(refusal(file_of({steps(1), {0xCC, {0, 1}}, kFrame, kScan})) ==
        "jpeg: conditions of arithmetic coding that there are not");
  CHECK(refusal(file_of({steps(1), {0xCC, {0}}, kFrame, kScan})) ==
        "jpeg: conditions of arithmetic coding of a wrong length");
  CHECK(refusal(file_of({steps(1), {0x02, {}}, kFrame, kScan})) == "jpeg: an unknown marker");
  CHECK(refusal(file_of({steps(1), {0xD8, {}}, kFrame, kScan})) == "jpeg: a second SOI");
}

TEST_CASE("what is refused by name") {
  const auto text = [](const Segment &frame, const Segment &scan = kScan) {
    return refusal(file_of({steps(1), frame, scan}), StatusCode::unsupported);
  };
  const auto coded = [](int marker) {
    Segment frame = kFrame;
    frame.marker = marker;
    return frame;
  };
  CHECK(text(coded(0xC2)) == "jpeg: a progressive file");
  CHECK(text(coded(0xC3)) == "jpeg: a lossless file");
  CHECK(text(coded(0xC9)) == "jpeg: a file of arithmetic coding");
  CHECK(text(coded(0xC5)) == "jpeg: a hierarchical file");
  CHECK(text(with(kFrame, 0, 12)) == "jpeg: samples of other than 8 bits");
  CHECK(text({0xC0, {8, 0, 8, 0, 8, 4, 1, 17, 0, 2, 17, 0, 3, 17, 0, 4, 17, 0}}) ==
        "jpeg: four components (CMYK or YCCK)");
  CHECK(text({0xC0, {8, 0, 8, 0, 8, 2, 1, 17, 0, 2, 17, 0}}) ==
        "jpeg: neither one component nor three");
}

TEST_CASE("a picture of too many pixels is refused before anything is allocated") {
  const Segment frame = {0xC0, {8, 0xFF, 0xDC, 0xFF, 0xDC, 1, 1, 0x11, 0}};
  const Bytes file = file_of({steps(1), frame, kScan});
  CHECK(std::string(read(file).message()) == "jpeg: a picture of more pixels than max-pixels");
  CHECK(read(file, std::int64_t{65500} * 65500).ok());
  CHECK(std::string(read(file_of({steps(1), with(frame, 4, 0xDD), kScan}), 1ll << 40).message()) ==
        "jpeg: a picture that is wider or higher than 65500");
  const Bytes small = file_of({steps(1), kFrame, kScan});
  CHECK(read(small, 64).ok());
  CHECK_FALSE(read(small, 63).ok());
}

TEST_CASE("aspect ratio and orientation") {
  const Segment jfif = {0xE0, {'J', 'F', 'I', 'F', 0, 1, 1, 2, 1, 2, 0, 5, 0, 0}};
  std::vector<int> tiff = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12,
                           1,   3,   0,  1, 0, 0, 0, 6, 0, 0, 0};
  const auto exif = [](std::vector<int> bytes) {
    bytes.insert(bytes.begin(), {'E', 'x', 'i', 'f', 0, 0});
    return Segment{0xE1, bytes};
  };
  const auto frame_of = [](const Segment &segment) {
    const Bytes file = file_of({segment, steps(1), kFrame, kScan});
    HeaderReader reader(file.data(), file.size());
    CHECK(reader.first_scan(64).ok());
    return reader.frame();
  };
  CHECK(frame_of(jfif).density_unit == 2);
  CHECK(frame_of(jfif).density_x == 258);
  CHECK(frame_of(jfif).density_y == 5);
  CHECK(frame_of(jfif).orientation == 1);
  CHECK(frame_of(exif(tiff)).orientation == 6);
  CHECK(frame_of(exif({'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0}))
            .orientation == 8);
  tiff[18] = 9;
  CHECK(frame_of(exif(tiff)).orientation == 1);
  tiff[18] = 6;
  for (std::size_t size = 0; size < tiff.size(); ++size)  // cut off
    CHECK(frame_of(exif({tiff.begin(), tiff.begin() + static_cast<std::ptrdiff_t>(size)}))
              .orientation == 1);
  tiff[7] = 0xFF;  // a directory far away
  CHECK(frame_of(exif(tiff)).orientation == 1);
}

TEST_CASE("the coefficients of random files are those that were written") {
  Random random = random_of_run(22);
  for (int n = 0; n < 300; ++n) {
    const WrittenFile file = random_jpeg(random);
    INFO(file.text);
    HeaderReader reader(file.bytes.data(), file.bytes.size());
    REQUIRE(reader.first_scan(1 << 20).ok());
    std::vector<std::int16_t> all(reader.frame().blocks() * kCoefficients, 77), expected;
    const char *broken = "";
    REQUIRE(decode_coefficients(&reader, all.data(), &broken).ok());
    CHECK(broken == nullptr);
    for (const WrittenComponent &c : file.components)
      expected.insert(expected.end(), c.coefficients.begin(), c.coefficients.end());
    CHECK(all == expected);
  }
}

TEST_CASE("a file that is cut off anywhere is refused, broken, or has all that matters") {
  Random random = random_of_run(23);
  int broken_ones = 0;
  for (int n = 0; n < 8; ++n) {
    const WrittenFile file = random_jpeg(random);
    INFO(file.text);
    std::vector<std::int16_t> expected;
    for (const WrittenComponent &c : file.components)
      expected.insert(expected.end(), c.coefficients.begin(), c.coefficients.end());
    for (std::size_t size = 0; size < file.bytes.size(); size += 1 + size / 64) {
      const Bytes cut(file.bytes.begin(), file.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      HeaderReader reader(cut.data(), cut.size());
      if (!reader.first_scan(1 << 20).ok()) continue;
      std::vector<std::int16_t> all(reader.frame().blocks() * kCoefficients);
      const char *broken = nullptr;
      if (!decode_coefficients(&reader, all.data(), &broken).ok()) continue;
      CHECK((broken != nullptr || all == expected));
      broken_ones += broken != nullptr ? 1 : 0;
    }
  }
  CHECK(broken_ones > 100);
}

TEST_CASE("the DCT in 32 bits is that in 64 bits, up to the limit") {
  Random random = random_of_run(24);
  for (int n = 0; n < 20000; ++n) {
    std::uint32_t narrow[8] = {};
    std::uint64_t wide[8] = {};
    std::int32_t left = n % 2 == 0 ? kMostIn32Bits : 113000;  // of a column, of a row
    for (int i = 0; i < 8; ++i) {
      const std::int32_t size = i == 7 ? left : random.below(left + 1);
      left -= size;
      const std::int32_t value = random.below(2) == 0 ? size : -size;
      narrow[(i + n) % 8] = static_cast<std::uint32_t>(value);
      wide[(i + n) % 8] = static_cast<std::uint64_t>(std::int64_t{value});
    }
    const int shift = n % 2 == 0 ? kColumnShift : kRowShift;
    inverse_dct_8(narrow, shift);
    inverse_dct_8(wide, shift);
    for (int i = 0; i < 8; ++i)
      CHECK(narrow[i] == static_cast<std::uint32_t>(wide[i]));
  }
}

TEST_CASE("outputs that do not fit are refused, and so is a second picture") {
  const Bytes file = file_of({steps(1), kFrame, kScan});
  Decoder decoder({});
  Bytes memory(1000);
  const char *broken = nullptr;
  const auto out = [&](const char *format, int width) {
    const int row = static_cast<int>(row_bytes(pixel_format(format), 0, width));
    return Image{pixel_format(format),
                 width,
                 8,
                 false,
                 {{memory.data(), row, 8, static_cast<std::size_t>(row)},
                  {memory.data(), width, 8, static_cast<std::size_t>(width)},
                  {memory.data(), width, 8, static_cast<std::size_t>(width)}}};
  };
  CHECK_FALSE(decoder.decode(out("GRAY8", 8), &broken).ok());
  REQUIRE(decoder.read(file.data(), file.size()).ok());
  CHECK_FALSE(decoder.decode(out("GRAY8", 9), &broken).ok());
  CHECK_FALSE(decoder.decode(out("Y444", 8), &broken).ok());
  CHECK_FALSE(decoder.decode(out("GRAY16_LE", 8), &broken).ok());
  CHECK(decoder.decode(out("RGB", 8), &broken).ok());
  CHECK_FALSE(decoder.decode(out("RGB", 8), &broken).ok());
}

}  // namespace
}  // namespace coalesce::test
