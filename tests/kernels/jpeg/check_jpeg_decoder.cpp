// SPDX-License-Identifier: LGPL-2.1-or-later
// The JPEG decoder whole: files of our own writer and of libjpeg, good and spoiled, against
// libjpeg's raw data and RGB.
#include <algorithm>
#include <functional>
#include <memory>

#include "../picture.h"
#include "jpeg/decoder/cuda_decoder.h"
#include "jpeg/decoder/decoder.h"
#include "jpeg/decoder/output.h"
#include "jpeg_writer.h"
#include "libjpeg_judge.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t kFewPixels = 1 << 20;  // spoiled headers may say anything

constexpr std::uint8_t kFill[] = {0xFF, 0xFF};

struct Call {
  Bytes file;
  jpeg::DecodeParams params;
  Image out;
  bool is_for_gpu = false;  // good, and of one scan
};
using Decode = std::function<Status(const Call &call, const Backend &backend, const char **broken)>;

// From memory with something else in it as soon as start() has returned.
Status start_on_cuda(const Call &call, jpeg::CudaDecoder *decoder, std::uint8_t *memory) {
  std::copy(call.file.begin(), call.file.end(), memory);
  Status s = decoder->read(0, memory, call.file.size());
  if (s.ok()) s = decoder->start(0, call.out, device_stream());
  std::fill_n(memory, call.file.size(), std::uint8_t{0x55});
  return s;
}

// Twice, the second time from page-locked memory and with what is left in the slot's memory, while
// another slot reads a file that is cut off.
Status decode_on_cuda(const Call &call, const char **broken) {
  std::unique_ptr<jpeg::CudaDecoder> decoder;
  if (Status s = jpeg::CudaDecoder::make(call.params, 2, &decoder); !s.ok()) return s;
  Bytes memory(call.file.size());
  if (Status s = start_on_cuda(call, decoder.get(), memory.data()); !s.ok()) return s;
  (void)decoder->read(1, call.file.data(), call.file.size() / 2);
  if (Status s = decoder->wait(0, broken); !s.ok()) return s;
  const std::shared_ptr<std::uint8_t> locked = page_locked(call.file.size());
  if (Status s = start_on_cuda(call, decoder.get(), locked.get()); !s.ok()) return s;
  const char *broken_again = nullptr;
  if (Status s = decoder->wait(0, &broken_again); !s.ok()) return s;
  if ((broken_again != nullptr) != (*broken != nullptr))
    return {StatusCode::device_error, "the same file, another verdict"};
  if (call.is_for_gpu && decoder->was_on_cpu(0))
    return {StatusCode::device_error, "the CPU has decoded what the GPU can"};
  return {};
}

Status decode(const Call &call, const Backend &backend, const char **broken) {
  if (backend.cuda) return decode_on_cuda(call, broken);
  jpeg::Decoder decoder(call.params, backend.pool);
  if (Status s = decoder.read(call.file.data(), call.file.size()); !s.ok()) return s;
  return decoder.decode(call.out, broken);
}

// What libjpeg shows, in a picture of ours.
void fill(const LibjpegPicture &picture, const Image &out) {
  const PixelFormat &format = out.format;
  const bool is_rgb = format.has(Role::r);
  // Bytes that have no component, too.
  for (int y = 0; is_rgb && format.planes == 1 && y < out.height; ++y)
    std::fill_n(out.plane[0].row(y), format.component[0].step * out.width, std::uint8_t{255});
  for (int c = 0; c < format.components; ++c) {
    const PixelComponent &k = format.component[c];
    const LibjpegSamples &from = picture.planes[is_rgb ? 0 : static_cast<std::size_t>(c)];
    for (int y = 0; y < from.height; ++y)
      for (int x = 0; x < from.width; ++x) {
        const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(from.width) +
                        static_cast<std::size_t>(x);
        const std::uint8_t sample = k.role == Role::alpha ? 255
                                    : is_rgb ? from.samples[3 * at + static_cast<std::size_t>(c)]
                                             : from.samples[at];
        out.of(k).row(y)[k.first + x * k.step] = sample;
      }
  }
}

Bytes libjpeg_random_file(Random &random, std::string *text) {
  const int width = random.between(1, 90), height = random.between(1, 70);
  LibjpegCoding coding;
  coding.quality = random.between(1, 100);
  coding.optimize = random.below(2) == 0;
  coding.restart_interval = random.below(2) * random.between(1, 20);
  coding.h = random.between(1, 2);
  coding.v = random.between(1, 2);
  Bytes pixels(static_cast<std::size_t>(3 * width * height));
  const int noise = random.between(1, 255);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(i / 31 + static_cast<unsigned>(random.below(noise)));
  *text = "libjpeg's, " + std::to_string(width) + " x " + std::to_string(height) + ", quality " +
          std::to_string(coding.quality);
  return libjpeg_file_of_rgb({pixels.data(), static_cast<std::size_t>(3 * width), width, height},
                             random.below(8) == 0, coding);
}

void spoil(Bytes *file, std::size_t scan, Random &random) {
  // Mostly in the data, as broken headers are soon refused.
  const std::size_t from = random.below(6) == 0 ? 2 : std::min(scan, file->size() - 1);
  const auto anywhere = [&] {
    return from + static_cast<std::size_t>(random.below(static_cast<int>(file->size() - from)));
  };
  for (int n = random.between(1, 4); n > 0 && file->size() > from + 4; --n)
    switch (random.below(6)) {
      case 0:
        file->resize(anywhere() + 1);
        break;
      case 1:
        (*file)[anywhere()] ^= static_cast<std::uint8_t>(1 << random.below(8));
        break;
      case 2:
        (*file)[anywhere()] = 0xFF;
        break;
      case 3: {  // a marker
        const std::uint8_t marker[] = {
            0xFF, static_cast<std::uint8_t>(
                      random.pick({0xD0, 0xD1, 0xD2, 0xD5, 0xD7, 0xD9, 0x05, 0xE0}))};
        file->insert(file->begin() + static_cast<std::ptrdiff_t>(anywhere()), marker, marker + 2);
        break;
      }
      case 4: {
        const auto at = file->begin() + static_cast<std::ptrdiff_t>(anywhere());
        file->erase(at, at + std::min<std::ptrdiff_t>(random.between(1, 20), file->end() - at));
        break;
      }
      default:
        (*file)[anywhere()] = static_cast<std::uint8_t>(random.below(256));
    }
}

std::string trial(const Decode &operation, bool roomy, bool may_spoil, Random &random, int index,
                  const Backend &backend) {
  Call call;
  std::string what;
  std::size_t scan = 0;
  if (have_libjpeg() && index % 4 == 3) {
    call.file = libjpeg_random_file(random, &what);
    scan = call.file.size() / 2;
  } else {
    WrittenFile file = random_jpeg(random);
    call.file = std::move(file.bytes);
    scan = file.scan;
    what = file.text;
  }
  const bool is_spoiled = may_spoil && random.below(2) == 0;
  if (is_spoiled) {
    spoil(&call.file, scan, random);
    what += ", spoiled";
  }
  call.params.max_pixels = kFewPixels;
  call.params.fancy_upsampling = random.below(3) != 0;
  if (!call.params.fancy_upsampling) what += ", repeated";
  set_doing(what);

  jpeg::HeaderReader header(call.file.data(), call.file.size());
  const Status read = header.first_scan(kFewPixels);
  if (!read.ok()) {
    if (!is_spoiled)
      return std::string("a good file was refused: ") + read.message() + "\n    " + what;
    jpeg::Decoder decoder(call.params);
    if (decoder.read(call.file.data(), call.file.size()).ok()) return "two opinions of a header";
    if (read.code() == StatusCode::unsupported || !have_libjpeg() ||
        std::string(read.message()).find("max-pixels") != std::string::npos)
      return {};
    return libjpeg_planes(call.file).error.empty()
               ? std::string("refused, and not by libjpeg: ") + read.message() + "\n    " + what
               : "";
  }
  const jpeg::Frame &frame = header.frame();
  // (Fill bytes before restart markers are left to the CPU.)
  const bool has_fill = std::search(call.file.begin() + static_cast<std::ptrdiff_t>(scan),
                                    call.file.end(), kFill, kFill + 2) != call.file.end();
  call.is_for_gpu = !is_spoiled && !header.has_several_scans() && !has_fill;
  const char *name = random.pick({"RGB", "BGR", "RGBx", "BGRA", "xRGB", "GBR"});
  if (jpeg::coded_format(frame).planes != 0 && random.below(2) == 0)
    for (const char *coded : {"GRAY8", "I420", "Y42B", "Y444", "NV12"})
      if (jpeg::check_output(frame, pixel_format(coded), frame.width, frame.height).ok())
        name = random.below(2) == 0 || name[0] != 'I' ? coded : name;
  what += std::string(" to ") + name;
  set_doing(what);
  OutputPicture out({name, frame.width, frame.height}, {false, roomy}, random);
  const bool is_rgb = out.expected().format.has(Role::r);
  LibjpegPicture expected;
  if (have_libjpeg()) {
    expected =
        is_rgb ? libjpeg_rgb(call.file, call.params.fancy_upsampling) : libjpeg_planes(call.file);
  } else {  // the decoder on the CPU, whose coefficients have a test of their own
    call.out = out.expected();
    const char *broken = nullptr;
    jpeg::Decoder decoder(call.params);
    Status s = decoder.read(call.file.data(), call.file.size());
    if (s.ok()) s = decoder.decode(call.out, &broken);
    if (!s.ok()) expected.error = s.message();
  }
  call.out = out.given(backend);
  const char *broken = nullptr;
  const Status status = operation(call, backend, &broken);
  if (status.ok() != expected.error.empty())
    return std::string(status.ok()
                           ? "not refused, and libjpeg says: " + expected.error
                           : std::string("refused, and not by libjpeg: ") + status.message()) +
           "\n    " + what;
  if (!status.ok()) return {};
  if (backend.cuda) {
    const char *cpu_broken = nullptr;
    jpeg::Decoder cpu(call.params);
    Status s = cpu.read(call.file.data(), call.file.size());
    if (s.ok()) s = cpu.decode(out.expected(), &cpu_broken);
    if (!s.ok() || (cpu_broken != nullptr) != (broken != nullptr))
      return "another verdict than the CPU's\n    " + what;
  }
  if (!is_spoiled && broken != nullptr) return "a good file is said to be broken\n    " + what;
  // (Libjpeg also warns of a missing EOI, which is none here. We also do of coefficients behind the
  // last one of a block.)
  const bool has_end =
      call.file.size() > 2 && *(call.file.end() - 2) == 0xFF && call.file.back() == 0xD9;
  if (expected.warned && has_end && broken == nullptr) return "libjpeg warns\n    " + what;
  if (have_libjpeg()) fill(expected, out.expected());
  const std::string wrong = out.difference(backend);
  return wrong.empty() ? wrong : wrong + "\n    " + what;
}

// The true decoder on spoiled arguments.
PlantedBug bug(const char *name, std::function<void(Call *call)> change) {
  const auto broken = [change](Call call, const Backend &backend, const char **is_broken) {
    change(&call);
    return decode(call, backend, is_broken);
  };
  return {name, false, [broken](Random &random, int index, const Backend &backend) {
            return trial(broken, true, false, random, index, backend);
          }};
}

// Changes the first segment of this marker.
void change_segment(Bytes *file, int marker,
                    const std::function<void(std::uint8_t *segment)> &change) {
  for (std::size_t i = 2; i + 8 < file->size(); ++i)
    if ((*file)[i] == 0xFF && (*file)[i + 1] == marker) {
      change(file->data() + i + 4);
      return;
    }
}

std::vector<PlantedBug> planted() {
  return {
      bug("jpeg decoder, is a row too low",
          [](Call *c) {
            for (Plane<std::uint8_t> &plane : c->out.plane)
              if (c->out.height > 1) plane.data += plane.pitch;
          }),
      bug("jpeg decoder, repeats samples, or does not, where it should not",
          [](Call *c) { c->params.fancy_upsampling = !c->params.fancy_upsampling; }),
      bug("jpeg decoder, has a step of a quantisation table wrong",
          [](Call *c) { change_segment(&c->file, 0xDB, [](std::uint8_t *s) { s[1] ^= 2; }); }),
      bug("jpeg decoder, forgets the restart interval",
          [](Call *c) {
            change_segment(&c->file, 0xDD, [](std::uint8_t *s) { s[0] = s[1] = 0; });
          }),
      bug("jpeg decoder, forgets Adobe's marker",
          [](Call *c) { change_segment(&c->file, 0xEE, [](std::uint8_t *s) { s[0] = 0; }); }),
      bug("jpeg decoder, has the last byte of the data wrong",
          [](Call *c) {
            for (std::size_t i = c->file.size() - 3; i > 2; --i)
              if (c->file[i] != 0xFF && c->file[i - 1] != 0xFF) {
                c->file[i] ^= 0x3C;
                return;
              }
          }),
  };
}

}  // namespace

Case jpeg_decoder_case() {
  return {"jpeg-decoder", 900,
          [](Random &random, int index, const Backend &backend) {
            return trial(decode, false, true, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
