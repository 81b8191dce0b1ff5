// SPDX-License-Identifier: LGPL-2.1-or-later
// The encoder whole, where numbers are as large or as small as they get: the same bytes with any
// back end, or the same refusal. And what a slot goes through when things do not go well.
#include <cstring>
#include <memory>

#include "../../check.h"
#include "../transform/j2k_device_picture.h"
#include "j2k/encoder/cuda_encoder.h"
#include "j2k/encoder/encoder.h"
#include "j2k_random_params.h"
#include "j2k_size_cases.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

// Cheap to make: rows of little noise around the middle, each shifted against the one before.
Picture noisy_picture(const CodingParams &params, Random &random) {
  constexpr int kShift = 37, kShifts = 64;
  Picture p = {params, {}};
  for (int c = 0; c < params.num_components; ++c) {
    const Rect rect = component_rect(params, c);
    const int bits = params.component[static_cast<std::size_t>(c)].bits;
    const auto width = static_cast<std::size_t>(rect.width());
    std::vector<std::uint16_t> noise(width + kShift * kShifts);
    for (std::uint16_t &sample : noise)
      sample = static_cast<std::uint16_t>((1 << bits) / 2 - random.below(bits > 3 ? 5 : 2));
    p.plane[c].resize(width * static_cast<std::size_t>(rect.height()));
    for (int y = 0; y < rect.height(); ++y)
      std::memcpy(p.plane[c].data() + static_cast<std::size_t>(y) * width,
                  noise.data() + (y + y / kShifts) % kShifts * kShift, 2 * width);
  }
  return p;
}

// What came of a picture.
struct Result {
  Status status;
  Bytes bytes;
};

Result on_cpu(const EncoderParams &params, const Picture &p, ThreadPool *pool) {
  std::unique_ptr<Encoder> encoder;
  Result r;
  r.status = Encoder::make(params, &encoder);
  if (r.status.ok()) r.status = encoder->encode(AllSamples(p).at, pool, &r.bytes);
  return r;
}

Result finished(CudaEncoder &encoder, int slot) {
  Result r;
  std::size_t length = 0;
  r.status = encoder.wait(slot, &length);
  if (!r.status.ok()) return r;
  r.bytes.resize(length);
  r.status = encoder.fetch(slot, r.bytes.data());
  return r;
}

Result on_cuda(const EncoderParams &params, const DevicePicture &p) {
  std::unique_ptr<CudaEncoder> encoder;
  Result r;
  r.status = CudaEncoder::make(params, 1, &encoder);
  if (r.status.ok()) r.status = encoder->start(0, p.samples(), device_stream());
  return r.status.ok() ? finished(*encoder, 0) : r;
}

std::string difference(const Result &found, const Result &expected) {
  if (found.status.code() != expected.status.code() ||
      std::strcmp(found.status.message(), expected.status.message()) != 0)
    return std::string("it said \"") + found.status.message() + "\" and not \"" +
           expected.status.message() + '"';
  if (found.bytes == expected.bytes) return {};
  const auto at = std::mismatch(found.bytes.begin(), found.bytes.end(), expected.bytes.begin(),
                                expected.bytes.end());
  return std::to_string(found.bytes.size()) + " bytes and not " +
         std::to_string(expected.bytes.size()) + ", other ones from byte " +
         std::to_string(at.first - found.bytes.begin()) + " on";
}

std::string size_wrong(const SizeCase &size, Random &random, const Backend &backend) {
  const EncoderParams params = size.params();
  set_doing(std::string(size.name) + ": " + describe(params));
  const Picture p = noisy_picture(params.coding, random);
  ThreadPool all_cores;
  const Result expected = on_cpu(params, p, backend.cuda ? &all_cores : nullptr);
  if (expected.status.code() != size.expected)
    return std::string(size.name) + ": the CPU says \"" + expected.status.message() + '"';
  const Result found =
      backend.cuda ? on_cuda(params, DevicePicture(p)) : on_cpu(params, p, backend.pool);
  const std::string wrong = difference(found, expected);
  return wrong.empty() ? wrong : std::string(size.name) + ": " + wrong;
}

// Frames that are refused, given up, or still under way at the end.
std::string life_wrong(Random &random) {
  EncoderParams params = of_size(0, 0, 300, 200);
  params = in_layers(params, 3, LayerBudget::Kind::automatic, {LayerBudget::Kind::bytes, 20000});
  set_doing("a slot's life: " + describe(params));
  const Picture pictures[] = {noisy_picture(params.coding, random), picture(params.coding, random)};
  const DevicePicture inputs[] = {DevicePicture(pictures[0]), DevicePicture(pictures[1])};
  Samples wrong_bits = inputs[0].samples()[0];
  wrong_bits.bits = 7;
  std::unique_ptr<CudaEncoder> encoder;
  if (Status s = CudaEncoder::make(params, 2, &encoder); !s.ok()) return s.message();
  const auto start = [&](int slot, const Samples *samples) {
    return encoder->start(slot, samples, device_stream()).code();
  };
  if (start(0, &wrong_bits) != StatusCode::invalid_argument) return "wrong bits were taken";
  if (start(0, inputs[0].samples()) != StatusCode::ok) return "no start after a refusal";
  encoder->abandon(0);
  encoder->abandon(1);
  for (int i : {0, 1})
    if (start(i, inputs[i].samples()) != StatusCode::ok) return "no start after abandon()";
  for (int i : {1, 0})
    if (std::string wrong = difference(finished(*encoder, i), on_cpu(params, pictures[i], nullptr));
        !wrong.empty())
      return "after abandon(): " + wrong;
  for (int i : {0, 1})
    if (start(i, inputs[i].samples()) != StatusCode::ok) return "no second round";
  encoder.reset();  // with both under way
  return {};
}

// What the GPU's numbers are too small for is refused before memory is taken. As many slots as
// cannot be, then one; and the memory of each comes back.
std::string memory_wrong(Random &random) {
  std::unique_ptr<CudaEncoder> refused;
  if (CudaEncoder::make(too_large_packet(), 1, &refused).code() != StatusCode::unsupported)
    return "a packet of more than 4 GiB was taken";
  EncoderParams params = of_size(0, 0, 4096, 4096, 3);
  const Picture p = noisy_picture(params.coding, random);
  const DevicePicture input(p);
  set_doing("slots that there is no memory for: " + describe(params));
  (void)on_cuda(params, input);  // loads the kernels, which stay
  const std::size_t free = device_free_bytes();
  std::size_t bytes = 0;
  if (Status s = CudaEncoder::slot_memory(params, &bytes); !s.ok()) return s.message();
  const auto lost = [&] {
    const std::size_t now = device_free_bytes();  // less what the driver keeps for itself
    if (now + bytes > free) return std::string();
    return std::to_string(free - now) + " bytes were lost, a slot has " + std::to_string(bytes);
  };
  const int slots = static_cast<int>(free / bytes) + 1;
  std::unique_ptr<CudaEncoder> encoder;
  if (CudaEncoder::make(params, slots, &encoder).code() != StatusCode::out_of_memory)
    return std::to_string(slots) + " slots were made";
  if (std::string wrong = lost(); !wrong.empty()) return "too little memory: " + wrong;
  ThreadPool all_cores;
  if (std::string wrong = difference(on_cuda(params, input), on_cpu(params, p, &all_cores));
      !wrong.empty())
    return "after too little memory: " + wrong;
  return lost();
}

int number_of(std::span<const SizeCase> cases) {
  return static_cast<int>(cases.size());
}

const SizeCase &at(std::span<const SizeCase> cases, int index) {
  return cases[static_cast<std::size_t>(index) % cases.size()];
}

std::string sizes_trial(Random &random, int index, const Backend &backend) {
  if (index < number_of(small_sizes()))
    return size_wrong(at(small_sizes(), index), random, backend);
  if (!backend.cuda) return {};  // the small ones have to do
  index -= number_of(small_sizes());
  if (index == 0) return life_wrong(random);
  if (index == 1) return memory_wrong(random);
  index -= 2;
  if (index < number_of(large_sizes()))
    return size_wrong(at(large_sizes(), index), random, backend);
  return size_wrong(at(sizes_by_hand(), index - number_of(large_sizes())), random, backend);
}

}  // namespace

Case j2k_sizes_case() {
  const int trials = number_of(small_sizes()) + 2 + number_of(large_sizes());
  Case c = {"j2k-sizes", trials, sizes_trial, [] { return std::vector<PlantedBug>(); }};
  c.by_chance = false;
  return c;
}

}  // namespace coalesce::test
