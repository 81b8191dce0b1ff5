// SPDX-License-Identifier: LGPL-2.1-or-later
// The encoder whole: the same bytes with any back end.
#include <memory>

#include "check.h"
#include "j2k/cuda_encoder.h"
#include "j2k/encoder.h"
#include "j2k_device_picture.h"
#include "j2k_random_params.h"
#include "j2k_targets.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

// Says what went wrong, or nothing.
class Trialled {
 public:
  Trialled(const EncoderParams &params, Random &random) : params_(params) {
    for (Picture &p : pictures_)
      p = picture(params.coding, random);
  }

  std::string on_cpu(ThreadPool *pool) {
    std::string wrong = expect_from(nullptr);
    for (std::size_t i = 0; i < kPictures && wrong.empty(); ++i) {
      Bytes bytes;
      if (Status s = encoder_->encode(AllSamples(pictures_[i]).at, pool, &bytes); !s.ok())
        return s.message();
      if (bytes != expected_[i]) return "other bytes with more threads";
    }
    return wrong;
  }

  // Both pictures are under way at once, and then the first slot goes round again.
  std::string on_cuda() {
    if (std::string wrong = expect_from(nullptr); !wrong.empty()) return wrong;
    std::unique_ptr<CudaEncoder> cuda;
    if (Status s = CudaEncoder::make(params_, kPictures, &cuda); !s.ok()) return s.message();
    const DevicePicture inputs[kPictures] = {DevicePicture(pictures_[0]),
                                             DevicePicture(pictures_[1])};
    for (int i = 0; i < kPictures; ++i)
      if (Status s = cuda->start(i, inputs[i].samples(), device_stream()); !s.ok())
        return s.message();
    if (std::string wrong = difference(*cuda, 0, expected_[0]); !wrong.empty()) return wrong;
    if (Status s = cuda->start(0, inputs[1].samples(), device_stream()); !s.ok())
      return s.message();
    for (int slot : {1, 0})
      if (std::string wrong = difference(*cuda, slot, expected_[1]); !wrong.empty()) return wrong;
    return {};
  }

 private:
  static constexpr int kPictures = 2;

  std::string expect_from(ThreadPool *pool) {
    if (Status s = Encoder::make(params_, &encoder_); !s.ok()) return s.message();
    for (std::size_t i = 0; i < kPictures; ++i)
      if (Status s = encoder_->encode(AllSamples(pictures_[i]).at, pool, &expected_[i]); !s.ok())
        return s.message();
    return {};
  }

  static std::string difference(CudaEncoder &cuda, int slot, const Bytes &expected) {
    std::size_t length = 0;
    if (Status s = cuda.wait(slot, &length); !s.ok()) return s.message();
    Bytes bytes(length);
    if (Status s = cuda.fetch(slot, bytes.data()); !s.ok()) return s.message();
    return byte_difference(bytes, expected);
  }

  EncoderParams params_;
  Picture pictures_[kPictures];
  std::unique_ptr<Encoder> encoder_;
  Bytes expected_[kPictures];
};

// Changes to `params` that may be too much for them.
template <class Change>
void try_change(EncoderParams *params, Change change) {
  EncoderParams changed = *params;
  change(&changed);
  std::unique_ptr<Encoder> encoder;
  if (Encoder::make(changed, &encoder).ok()) *params = changed;
}

void add_roi(EncoderParams *params) {
  const Rect &image = params->coding.image;
  params->roi = {image.x0 + image.width() / 4, image.y0 + image.height() / 4,
                 image.x1 - image.width() / 4, image.y1 - image.height() / 4};
}

// More layers than there may be slopes, in one tile-part. Each of them costs a turn of the
// allocation or more.
void add_layers(EncoderParams *params, Random &random) {
  params->layers = random.between(20, 70);
  params->tile_parts = TileParts::one;
}

void add_component_bytes(EncoderParams *params, const LengthRange &range, Random &random) {
  params->tile_parts = TileParts::component;
  params->component_bytes =
      range.least +
      static_cast<unsigned>(random.below(static_cast<int>(range.finest - range.least) + 1));
}

void set_targets(EncoderParams *params, int index, Random &random) {
  Random same = random;
  const Picture p = picture(params->coding, same);
  const LengthRange range = length_range(*params, p);
  params->targets = random_targets(params->layers, range, random);
  if (index % 16 == 5) params->targets.back() = random_unlimited_target(random);
  if (index % 4 == 1 && params->layers == 1)
    try_change(params, [&](EncoderParams *e) { add_component_bytes(e, range, random); });
}

std::string encoder_trial(Random &random, int index, const Backend &backend) {
  const bool large = backend.cuda && index < 4;
  EncoderParams params = random_params(random, large            ? 2048 * 2048
                                               : index % 8 == 0 ? 512 * 512
                                                                : 128 * 128);
  const bool targets = index % 2 == 1;
  if (index % 16 == 3) try_change(&params, add_roi);
  if (index % 16 == 7) try_change(&params, [&](EncoderParams *e) { add_layers(e, random); });
  if (targets) set_targets(&params, index, random);
  const std::string text = describe(params) + (targets ? ", with targets" : "") +
                           ", component bytes " + std::to_string(params.component_bytes);
  set_doing(text);
  Trialled trial(params, random);
  const std::string wrong = backend.cuda ? trial.on_cuda() : trial.on_cpu(backend.pool);
  return wrong.empty() ? wrong : wrong + "\n    " + text;
}

}  // namespace

Case j2k_encoder_case() {
  return {"j2k-encoder", 160, encoder_trial, [] { return std::vector<PlantedBug>(); },
          [](Bench &, const Backend &) {}};
}

}  // namespace coalesce::test
