// SPDX-License-Identifier: LGPL-2.1-or-later
// The encoder whole: the same bytes with any back end.
#include <memory>

#include "../../check.h"
#include "../pcrd/j2k_targets.h"
#include "../transform/j2k_device_picture.h"
#include "j2k/encoder/cuda_encoder.h"
#include "j2k/encoder/encoder.h"
#include "j2k_random_params.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

using Targets = std::vector<LayerBudget>;

// Says what went wrong, or nothing.
class Trialled {
 public:
  // others: to be set later; empty if `params` have no targets.
  Trialled(const EncoderParams &params, const Targets &others, Random &random)
      : params_(params), others_(others) {
    for (Picture &p : pictures_)
      p = picture(params.coding, random);
  }

  std::string on_cpu(ThreadPool *pool) {
    if (std::string wrong = expect(params_.targets, expected_); !wrong.empty()) return wrong;
    std::unique_ptr<Encoder> encoder;
    if (Status s = Encoder::make(params_, &encoder); !s.ok()) return s.message();
    for (std::size_t i = 0; i < kPictures; ++i)
      if (encoded(*encoder, i, pool) != expected_[i]) return "other bytes with more threads";
    if (others_.empty()) return {};
    if (std::string wrong = change_targets(*encoder); !wrong.empty()) return wrong;
    for (std::size_t i = 0; i < kPictures; ++i)
      if (encoded(*encoder, i, pool) != expected_with_others_[i])
        return "other bytes than if it had been made with these targets";
    return {};
  }

  // Both pictures are under way at once, and then the first slot goes round again.
  std::string on_cuda() {
    if (std::string wrong = expect(params_.targets, expected_); !wrong.empty()) return wrong;
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
    return others_.empty() ? std::string() : other_targets_on_cuda(*cuda, inputs);
  }

 private:
  static constexpr int kPictures = 2;

  // With targets, from a new encoder.
  std::string expect(const Targets &targets, Bytes *bytes) const {
    EncoderParams params = params_;
    params.targets = targets;
    std::unique_ptr<Encoder> encoder;
    if (Status s = Encoder::make(params, &encoder); !s.ok()) return s.message();
    for (std::size_t i = 0; i < kPictures; ++i)
      bytes[i] = encoded(*encoder, i, nullptr);
    return bytes[0].empty() || bytes[1].empty() ? "nothing was encoded" : "";
  }

  Bytes encoded(Encoder &encoder, std::size_t i, ThreadPool *pool) const {
    Bytes bytes;
    return encoder.encode(AllSamples(pictures_[i]).at, pool, &bytes).ok() ? bytes : Bytes();
  }

  // What cannot be is refused, and changes nothing.
  template <class AnyEncoder>
  std::string change_targets(AnyEncoder &encoder) {
    if (std::string wrong = expect(others_, expected_with_others_); !wrong.empty()) return wrong;
    const Targets too_few = Targets(others_.size(), {LayerBudget::Kind::bytes, 1}),
                  too_many = Targets(others_.size() + 1, {LayerBudget::Kind::everything, 0});
    const auto refuses = [&](const Targets &targets) {
      return encoder.set_targets(targets).code() == StatusCode::invalid_argument;
    };
    if (Status s = encoder.set_targets(others_); !s.ok()) return s.message();
    return refuses(too_few) && refuses(too_many) && refuses({}) ? "" : "bad targets were taken";
  }

  // The first frame is under way when they come, and goes round again with them.
  std::string other_targets_on_cuda(CudaEncoder &cuda, const DevicePicture *inputs) {
    const auto start = [&](int slot, int picture) {
      const Status s = cuda.start(slot, inputs[picture].samples(), device_stream());
      return std::string(s.ok() ? "" : s.message());
    };
    if (std::string wrong = start(0, 0); !wrong.empty()) return wrong;
    if (std::string wrong = change_targets(cuda); !wrong.empty()) return wrong;
    if (std::string wrong = start(1, 1); !wrong.empty()) return wrong;
    std::string wrong = difference(cuda, 0, expected_[0]);
    if (!wrong.empty()) return "under way when other targets came: " + wrong;
    if (wrong = start(0, 0); !wrong.empty()) return wrong;
    for (int i : {1, 0})
      if (wrong = difference(cuda, i, expected_with_others_[i]); !wrong.empty())
        return "with other targets: " + wrong;
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
  Targets others_;
  Picture pictures_[kPictures];
  Bytes expected_[kPictures], expected_with_others_[kPictures];
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

// And others of the same number.
Targets set_targets(EncoderParams *params, int index, Random &random) {
  Random same = random;
  const Picture p = picture(params->coding, same);
  const LengthRange range = length_range(*params, p);
  params->targets = random_targets(params->layers, range, random);
  if (index % 16 == 5) params->targets.back() = random_unlimited_target(random);
  Targets others = random_targets(params->layers, range, random);
  if (index % 16 == 13) others.back() = random_unlimited_target(random);
  if (index % 4 == 1 && params->layers == 1)
    try_change(params, [&](EncoderParams *e) { add_component_bytes(e, range, random); });
  EncoderParams with_others = *params;  // tile-parts may have made them too few bytes
  try_change(&with_others, [&](EncoderParams *e) { e->targets = others; });
  return with_others.targets;
}

std::string encoder_trial(Random &random, int index, const Backend &backend) {
  const bool large = backend.cuda && index < 4;
  EncoderParams params = random_params(random, large            ? 2048 * 2048
                                               : index % 8 == 0 ? 512 * 512
                                                                : 128 * 128);
  const bool targets = index % 2 == 1;
  if (index % 16 == 3) try_change(&params, add_roi);
  if (index % 16 == 7) try_change(&params, [&](EncoderParams *e) { add_layers(e, random); });
  const Targets others = targets ? set_targets(&params, index, random) : Targets();
  const std::string text = describe(params) + (targets ? ", with targets" : "") +
                           ", component bytes " + std::to_string(params.component_bytes);
  set_doing(text);
  Trialled trial(params, others, random);
  const std::string wrong = backend.cuda ? trial.on_cuda() : trial.on_cpu(backend.pool);
  return wrong.empty() ? wrong : wrong + "\n    " + text;
}

}  // namespace

Case j2k_encoder_case() {
  return {"j2k-encoder", 160, encoder_trial, [] { return std::vector<PlantedBug>(); }};
}

}  // namespace coalesce::test
