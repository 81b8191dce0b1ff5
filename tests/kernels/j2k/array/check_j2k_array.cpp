// SPDX-License-Identifier: LGPL-2.1-or-later
// The covering array: the same bytes with any back end. Trial N is entry N.
#include <memory>

#include "../../check.h"
#include "../transform/j2k_device_picture.h"
#include "j2k/encoder/cuda_encoder.h"
#include "j2k/encoder/encoder.h"
#include "j2k_array.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

constexpr int kSample = 150;

Status encode_on_cpu(const EncoderParams &params, const Picture &p, ThreadPool *pool,
                     Bytes *bytes) {
  std::unique_ptr<Encoder> encoder;
  if (Status s = Encoder::make(params, &encoder); !s.ok()) return s;
  return encoder->encode(AllSamples(p).at, pool, bytes);
}

Status encode_on_cuda(const EncoderParams &params, const Picture &p, Bytes *bytes) {
  std::unique_ptr<CudaEncoder> encoder;
  if (Status s = CudaEncoder::make(params, 1, &encoder); !s.ok()) return s;
  const DevicePicture input(p);
  if (Status s = encoder->start(0, input.samples(), device_stream()); !s.ok()) return s;
  std::size_t length = 0;
  if (Status s = encoder->wait(0, &length); !s.ok()) return s;
  bytes->resize(length);
  return encoder->fetch(0, bytes->data());
}

// What is compared has parameters that may have been spoiled.
using Spoil = void (*)(EncoderParams *);

std::string array_trial(Spoil spoil, int index, const Backend &backend) {
  static ThreadPool all_cores;
  set_doing(j2k_entry_text(index));
  const J2kEntry entry = j2k_entry(index);
  EncoderParams params = entry.params;
  spoil(&params);
  Bytes bytes, expected;
  Status s =
      encode_on_cpu(entry.params, entry.picture, backend.cuda ? &all_cores : nullptr, &expected);
  if (s.ok())
    s = backend.cuda ? encode_on_cuda(params, entry.picture, &bytes)
                     : encode_on_cpu(params, entry.picture, backend.pool, &bytes);
  const std::string wrong = s.ok() ? byte_difference(bytes, expected) : s.message();
  return wrong.empty() ? wrong : wrong + "\n    " + entry.text;
}

PlantedBug bug(const char *name, bool cuda, Spoil spoil) {
  return {name, cuda, [spoil](Random &, int index, const Backend &backend) {
            return array_trial(spoil, index, backend);
          }};
}

// Each where two values meet.
std::vector<PlantedBug> planted() {
  std::vector<PlantedBug> bugs;
  for (const bool cuda : {false, true}) {
    bugs.push_back(bug("j2k-array, no resetting where there is causal", cuda, [](EncoderParams *e) {
      if ((e->block_style & kCausal) != 0) e->block_style &= ~unsigned{kReset};
    }));
    bugs.push_back(bug("j2k-array, PCRL of tiles is CPRL", cuda, [](EncoderParams *e) {
      if (e->coding.tile_width > 0 && e->progression == Progression::pcrl)
        e->progression = Progression::cprl;
    }));
    bugs.push_back(bug("j2k-array, no EPH behind SOP", cuda, [](EncoderParams *e) {
      if (e->sop) e->eph = false;
    }));
    bugs.push_back(
        bug("j2k-array, 9/7 with subsampled chroma is a step coarser", cuda, [](EncoderParams *e) {
          if (e->coding.component[1].dx > 1) e->base_step *= 2;
        }));
  }
  return bugs;
}

std::string encoder_array_trial(Random &, int index, const Backend &backend) {
  return array_trial([](EncoderParams *) {}, index, backend);
}

}  // namespace

Case j2k_array_case() {
  return {"j2k-array", kSample, encoder_array_trial, planted, j2k_entries};
}

}  // namespace coalesce::test
