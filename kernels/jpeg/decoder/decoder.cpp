// SPDX-License-Identifier: LGPL-2.1-or-later
#include "decoder.h"

#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include "file_decoder.h"
#include "output.h"

namespace coalesce::jpeg {

Status decode_coefficients(HeaderReader *reader, std::int16_t *memory, const char **broken) {
  const Frame &frame = reader->frame();
  CoefficientPlanes planes;
  std::int16_t *next = memory;
  for (int c = 0; c < frame.components; ++c) {
    planes.component[c] = next;
    next += frame.component[c].blocks() * kCoefficients;
  }
  std::fill(memory, next, std::int16_t{0});
  *broken = decode_scan(frame, reader->scan(), reader, planes);
  if (reader->has_several_scans())
    for (;;) {
      bool is_end = false;
      if (Status s = reader->next_scan(&is_end); !s.ok()) return s;
      if (is_end) break;
      const char *problem = decode_scan(frame, reader->scan(), reader, planes);
      if (*broken == nullptr) *broken = problem;
    }
  if (*broken == nullptr && reader->is_odd()) *broken = kOddHeader;
  for (int c = 0; c < frame.components; ++c)
    if (*broken == nullptr && !reader->has_scan(c)) *broken = "jpeg: a component has no data";
  return {};
}

struct Decoder::State {
  DecodeParams params;
  ThreadPool *pool;
  std::optional<HeaderReader> reader;
  bool may_decode = false;
  std::vector<std::int16_t> coefficients;
  std::vector<std::uint8_t> samples;
};

Decoder::Decoder(const DecodeParams &params, ThreadPool *pool)
    : state_(new State{params, pool, {}, false, {}, {}}) {}
Decoder::~Decoder() = default;

Status Decoder::read(const std::uint8_t *file, std::size_t bytes) {
  state_->reader.emplace(file, bytes);
  const Status s = state_->reader->first_scan(state_->params.max_pixels);
  state_->may_decode = s.ok();
  return s;
}

const Frame &Decoder::frame() const {
  return state_->reader->frame();
}

Status Decoder::decode(const Image &out, const char **broken) {
  State &s = *state_;
  if (!s.may_decode) return invalid_argument("jpeg: no file has been read");
  const Frame &frame = s.reader->frame();
  if (Status status = check_image(out); !status.ok()) return status;
  if (Status status = check_output(frame, out.format, out.width, out.height); !status.ok())
    return status;
  s.may_decode = false;
  const SampleLayout layout = sample_layout(frame);
  try {
    s.coefficients.resize(frame.blocks() * kCoefficients);
    s.samples.resize(layout.bytes);
    if (Status status = decode_coefficients(&*s.reader, s.coefficients.data(), broken);
        !status.ok())
      return status;
    SamplePlane planes[kMostComponents];
    const std::int16_t *next = s.coefficients.data();
    for (int c = 0; c < frame.components; ++c) {
      transform_blocks(frame, c, s.reader->quant(c), next, s.samples.data() + layout.offset[c],
                       layout.pitch[c], s.pool);
      planes[c] = sample_plane(frame, c, layout, s.samples.data(), s.params.fancy_upsampling);
      next += frame.component[c].blocks() * kCoefficients;
    }
    write_picture(frame, planes, out, s.pool);
  } catch (const std::bad_alloc &) {
    return {StatusCode::out_of_memory, "jpeg: no memory for the decoder"};
  }
  return {};
}

}  // namespace coalesce::jpeg
