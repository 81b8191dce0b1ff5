// SPDX-License-Identifier: LGPL-2.1-or-later
// The JPEG encoder whole: pictures of every format of 8 bits, with random parameters, against the
// obvious encoder and against libjpeg.
#include <algorithm>
#include <functional>
#include <memory>

#include "../picture.h"
#include "jpeg/encoder/cuda_encoder.h"
#include "jpeg/encoder/encoder.h"
#include "jpeg_reference.h"
#include "libjpeg_judge.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using jpeg::EncoderParams;
using jpeg::Subsampling;

using Bytes = std::vector<std::uint8_t>;

struct Call {
  EncoderParams params;
  ConstImage image;
  bool one_slot = false;  // of CUDA; to make several takes longer than to code small pictures
};
using Encode = std::function<Status(const Call &call, const Backend &backend, Bytes *file)>;

// Two frames under way at once, and then the first slot goes round again, with memory for a file
// that is long enough, or too short.
Status encode_on_cuda(const Call &call, Bytes *file) {
  std::unique_ptr<jpeg::CudaEncoder> encoder;
  const int slots = call.one_slot ? 1 : 2;
  if (Status s = jpeg::CudaEncoder::make(call.params, slots, &encoder); !s.ok()) return s;
  for (int slot = 0; slot < slots; ++slot)
    if (Status s = encoder->start(slot, call.image, device_stream()); !s.ok()) return s;
  Bytes files[3];
  const auto finish = [&](int slot, Bytes *to) {
    std::size_t bytes = 0;
    if (Status s = encoder->wait(slot, &bytes); !s.ok()) return s;
    to->resize(bytes);
    return encoder->fetch(slot, to->data());
  };
  if (Status s = finish(0, &files[0]); !s.ok()) return s;
  files[2].resize(files[0].size());
  if (Status s = encoder->start(0, call.image, device_stream(), files[2].data(),
                                files[0].size() - files[0].size() % 3);
      !s.ok())
    return s;
  if (!call.one_slot)
    if (Status s = finish(1, &files[1]); !s.ok()) return s;
  if (Status s = finish(0, &files[2]); !s.ok()) return s;
  if ((!call.one_slot && files[1] != files[0]) || files[2] != files[0])
    return {StatusCode::device_error, "the same picture, other bytes"};
  file->insert(file->end(), files[0].begin(), files[0].end());
  return {};
}

Status encode(const Call &call, const Backend &backend, Bytes *file) {
  if (backend.cuda) return encode_on_cuda(call, file);
  std::unique_ptr<jpeg::Encoder> encoder;
  if (Status s = jpeg::Encoder::make(call.params, &encoder); !s.ok()) return s;
  return encoder->encode(call.image, file);
}

std::vector<NamedFormat> byte_formats() {
  std::vector<NamedFormat> found;
  for (const NamedFormat &f : named_formats())
    if (f.format.in_bytes()) found.push_back(f);
  return found;
}

// Edges of blocks and MCUs, and some that fill more than one group of threads.
int choose_size(Random &random) {
  const int size = random.pick({1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 64, 65});
  return random.below(3) == 0 ? random.between(1, 100) : size;
}

jpeg::QuantTable random_table(Random &random) {
  jpeg::QuantTable table;
  const int most = random.pick({1, 5, 255});
  for (std::uint16_t &step : table)
    step = static_cast<std::uint16_t>(random.between(1, most));
  return table;
}

EncoderParams random_params(const NamedFormat &format, Random &random) {
  EncoderParams params;
  params.format = format.format;
  params.width = choose_size(random);
  params.height = choose_size(random);
  if (random.below(16) == 0) {  // many tiles of the scan, as threads look back over 32 at once
    params.width = random.between(800, 2400);
    params.height = random.between(60, 90);
  }
  params.quality =
      random.below(2) == 0 ? random.between(1, 100) : random.pick({1, 50, 90, 95, 100});
  if (format.format.has(Role::r)) {
    params.keep_rgb = random.below(4) == 0;
    if (!params.keep_rgb)
      params.subsampling = random.pick(
          {Subsampling::automatic, Subsampling::s444, Subsampling::s422, Subsampling::s420});
  }
  params.optimize = random.below(3) == 0;
  if (random.below(2) == 0) params.restart_interval = random.pick({1, 2, 3, 7, 11, 40, 65535});
  if (random.below(8) == 0) params.luma_table = random_table(random);
  if (random.below(8) == 0) params.chroma_table = random_table(random);
  params.density_x = random.pick({1, 3, 300, 65535});
  params.density_y = random.pick({1, 4, 72});
  return params;
}

std::string text_of(const EncoderParams &p) {
  const auto number = [](const char *name, int value) {
    return std::string(" ") + name + " " + std::to_string(value);
  };
  return number("quality", p.quality) + number("subsampling", static_cast<int>(p.subsampling)) +
         (p.keep_rgb ? " kept as RGB" : "") + (p.optimize ? " optimize" : "") +
         number("restart", p.restart_interval) + (p.luma_table ? " own luma table" : "") +
         (p.chroma_table ? " own chroma table" : "");
}

Bytes libjpeg_bytes(const EncoderParams &params, const ConstImage &image) {
  LibjpegCoding coding;
  coding.quality = params.quality;
  coding.optimize = params.optimize;
  coding.restart_interval = params.restart_interval;
  coding.density_x = params.density_x;
  coding.density_y = params.density_y;
  coding.luma = params.luma_table ? &*params.luma_table : nullptr;
  coding.chroma = params.chroma_table ? &*params.chroma_table : nullptr;
  const auto plane = [](const Bytes &samples, int width, int height, int bytes) {
    return LibjpegPlane{samples.data(), static_cast<std::size_t>(bytes * width), width, height};
  };
  if (params.format.has(Role::r)) {
    coding.h = params.subsampling == Subsampling::s444 ? 1 : 2;
    coding.v = params.subsampling == Subsampling::s422 ? 1 : coding.h;
    return libjpeg_file_of_rgb(plane(rgb_pixels(image), image.width, image.height, 3),
                               params.keep_rgb, coding);
  }
  const CodedSamples samples = samples_as_they_are(image);
  coding.h = samples.h;
  coding.v = samples.v;
  std::vector<LibjpegPlane> planes;
  for (int c = 0; c < samples.components; ++c)
    planes.push_back(plane(samples.samples[c], samples.width[c], samples.height[c], 1));
  return libjpeg_file(image.width, image.height, planes, coding);
}

std::string difference(const Bytes &file, const Bytes &expected, const char *whose) {
  const auto at = std::mismatch(file.begin(), file.end(), expected.begin(), expected.end());
  if (at.first == file.end() && at.second == expected.end()) return {};
  return std::string("other bytes than ") + whose + " from byte " +
         std::to_string(at.first - file.begin()) + " on, of " + std::to_string(file.size()) +
         " and " + std::to_string(expected.size());
}

std::string trial(const Encode &operation, bool roomy, Random &random, int index,
                  const Backend &backend) {
  const std::vector<NamedFormat> formats = byte_formats();
  const NamedFormat &format = formats[static_cast<std::size_t>(index) % formats.size()];
  const EncoderParams params = random_params(format, random);
  InputPicture in({format.name, params.width, params.height}, {false, roomy},
                  random_pattern(random), random);
  const std::string what = in.text() + text_of(params);
  set_doing(what);
  const Bytes expected = jpeg_reference(params, in.image());
  Bytes file = {'a', 'b'};  // what is there stays
  const Status status = operation({params, in.given(backend), index % 4 != 0}, backend, &file);
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + what;
  if (file.size() < 2 || file[0] != 'a' || file[1] != 'b') return "the bytes before are others";
  file.erase(file.begin(), file.begin() + 2);
  std::string wrong = difference(file, expected, "the reference");
  if (wrong.empty() && have_libjpeg())
    wrong = difference(file, libjpeg_bytes(params, in.image()), "libjpeg");
  if (wrong.empty()) wrong = in.difference(backend);
  return wrong.empty() ? wrong : wrong + "\n    " + what;
}

// A limit of bytes somewhere between the least and the most file: the bytes of the quality that was
// found, which fits, while the next one does not.
std::string limit_trial(Random &random, int index, const Backend &backend) {
  const std::vector<NamedFormat> formats = byte_formats();
  const NamedFormat &format = formats[static_cast<std::size_t>(7 * index) % formats.size()];
  EncoderParams params = random_params(format, random);
  InputPicture in({format.name, params.width, params.height}, {}, random_pattern(random), random);
  const auto with_quality = [&](int quality) {
    EncoderParams plain = params;
    plain.max_bytes = 0;
    plain.quality = quality;
    if (plain.luma_table) plain.luma_table = jpeg::quant_table(*plain.luma_table, quality);
    if (plain.chroma_table) plain.chroma_table = jpeg::quant_table(*plain.chroma_table, quality);
    return jpeg_reference(plain, in.image());
  };
  const auto least = with_quality(1).size(), most = with_quality(params.quality).size();
  params.max_bytes =
      least +
      static_cast<std::size_t>(random.below(static_cast<int>(std::max(most, least) - least + 10)));
  const std::string what =
      in.text() + text_of(params) + " max-bytes " + std::to_string(params.max_bytes);
  set_doing(what);
  Bytes file;
  int quality = 0;
  Status s;
  if (backend.cuda) {
    std::unique_ptr<jpeg::CudaEncoder> encoder;
    std::size_t bytes = 0;
    s = jpeg::CudaEncoder::make(params, 1, &encoder);
    if (s.ok()) s = encoder->start(0, in.given(backend), device_stream());
    if (s.ok()) s = encoder->wait(0, &bytes);
    file.resize(bytes);
    if (s.ok()) s = encoder->fetch(0, file.data());
    if (s.ok()) quality = encoder->quality(0);
  } else {
    std::unique_ptr<jpeg::Encoder> encoder;
    s = jpeg::Encoder::make(params, &encoder);
    if (s.ok()) s = encoder->encode(in.image(), &file);
    if (s.ok()) quality = encoder->quality();
  }
  if (!s.ok()) return std::string("it returned: ") + s.message() + "\n    " + what;
  if (file.size() > params.max_bytes) return "the file is over its limit\n    " + what;
  if (quality < params.quality && with_quality(quality + 1).size() <= params.max_bytes)
    return "a quality that fits was left out\n    " + what;
  const std::string wrong = difference(file, with_quality(quality), "of its quality");
  return wrong.empty() ? wrong : wrong + "\n    " + what;
}

// The true encoder on spoiled arguments; on the CPU, and on CUDA.
void add_bug(std::vector<PlantedBug> *bugs, const char *name, void (*spoil)(Call *call)) {
  const auto broken = [spoil](Call call, const Backend &backend, Bytes *file) {
    spoil(&call);
    return encode(call, backend, file);
  };
  for (const bool cuda : {false, true})
    bugs->push_back({name, cuda, [broken](Random &random, int index, const Backend &backend) {
                       return trial(broken, true, random, index, backend);
                     }});
}

std::vector<PlantedBug> planted() {
  std::vector<PlantedBug> bugs;
  add_bug(&bugs, "jpeg, is a row too low", [](Call *c) {
    for (Plane<const std::uint8_t> &plane : c->image.plane)
      if (c->image.height > 1) plane.data += plane.pitch;
  });
  add_bug(&bugs, "jpeg, ignores the pitch", [](Call *c) {
    c->image.plane[0].pitch = static_cast<std::size_t>(c->image.plane[0].width);
  });
  add_bug(&bugs, "jpeg, swaps the components of chroma", [](Call *c) {
    if (c->params.format.components < 3) return;
    std::swap(c->image.format.component[1].first, c->image.format.component[2].first);
    std::swap(c->image.format.component[1].plane, c->image.format.component[2].plane);
    c->params.format = c->image.format;
  });
  add_bug(&bugs, "jpeg, a quality that is one too low",
          [](Call *c) { c->params.quality = std::max(c->params.quality - 1, 1); });
  add_bug(&bugs, "jpeg, forgets the restart interval",
          [](Call *c) { c->params.restart_interval = 0; });
  add_bug(&bugs, "jpeg, has the usual Huffman tables", [](Call *c) { c->params.optimize = false; });
  return bugs;
}

}  // namespace

Case jpeg_encoder_case() {
  return {"jpeg-encoder", 12 * static_cast<int>(byte_formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return index % 12 == 11 ? limit_trial(random, index, backend)
                                    : trial(encode, false, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
