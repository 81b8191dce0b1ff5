// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_trial.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <memory>

#include "../tier1/j2k_block_decoder.h"
#include "../tier1/j2k_serial_model.h"
#include "j2k/tier1/codeword_segments.h"
#include "j2k/tier1/context/context_model.h"

namespace coalesce::test {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char *text, ...) {
  char line[200];
  va_list values;
  va_start(values, text);
  std::vsnprintf(line, sizeof line, text, values);
  va_end(values);
  return line;
}

// A model whose symbols are written down.
template <class Model>
struct Recording {
  Model &model;
  std::vector<std::vector<std::uint8_t>> passes;

  j2k::PassSymbols record(const j2k::PassSymbols &made, const std::uint8_t *symbols) {
    passes.emplace_back(symbols, symbols + made.count);
    return made;
  }
  j2k::PassSymbols significance(int plane, bool raw, std::uint8_t *symbols) {
    return record(model.significance(plane, raw, symbols), symbols);
  }
  j2k::PassSymbols refinement(int plane, bool raw, std::uint8_t *symbols) {
    return record(model.refinement(plane, raw, symbols), symbols);
  }
  j2k::PassSymbols cleanup(int plane, std::uint8_t *symbols) {
    return record(model.cleanup(plane, symbols), symbols);
  }
};

template <class Model>
Encoded encode(Model &model, const j2k::CodeBlock &block) {
  Encoded encoded;
  encoded.planes = model.begin(block);
  encoded.passes.resize(j2k::kMaxPasses);
  encoded.bytes.resize(
      j2k::tier1_bytes_bound(block.width * block.height, encoded.planes, block.style));
  std::vector<std::uint8_t> symbols(j2k::kMaxPassSymbols);
  Recording<Model> recording = {model, {}};
  j2k::PassCoder coder;
  coder.start(block.style, encoded.planes, encoded.passes.data(), encoded.bytes.data());
  j2k::code_passes(recording, encoded.planes, block.style, symbols.data(), coder);
  encoded.passes.resize(static_cast<std::size_t>(coder.passes()));
  encoded.bytes.resize(coder.length());
  encoded.symbols = std::move(recording.passes);
  return encoded;
}

class Judge {
 public:
  Judge(const TestBlock &test, const Encoded &encoded) : test_(test), encoded_(encoded) {
    for (int y = 0; y < test.height; ++y)
      for (int x = 0; x < test.width; ++x)
        samples_.push_back(test.samples[static_cast<std::size_t>(y * test.pitch + x)]);
  }

  std::string run() {
    const int count = static_cast<int>(encoded_.passes.size());
    if (count != (encoded_.planes == 0 ? 0 : 3 * encoded_.planes - 2))
      return format("%d passes for %d planes", count, encoded_.planes);
    std::string wrong = bytes_wrong();
    // About 200,000 samples are decoded.
    const int step = 1 + count * static_cast<int>(samples_.size()) / 100000;
    for (int pass = 0; pass < count && wrong.empty(); ++pass)
      if (pass % step == 0 || pass + 1 == count) wrong = pass_wrong(pass);
    return wrong;
  }

 private:
  std::uint64_t magnitude(std::size_t i) const {
    const std::int64_t v = samples_[i];
    return static_cast<std::uint64_t>(v < 0 ? -v : v);
  }

  // The first passes of them, with so many bytes less than they say.
  DecodedBlock decode(int passes, int less) const {
    DecoderInput input;
    input.width = test_.width;
    input.height = test_.height;
    input.band = test_.band;
    input.style = test_.style;
    input.planes = encoded_.planes;
    input.bytes = encoded_.bytes.data();
    for (int i = 0; i < passes; ++i)
      input.lengths.push_back(encoded_.passes[static_cast<std::size_t>(i)].length);
    if (passes > 0) input.lengths.back() -= static_cast<std::uint32_t>(less);
    return decode_block(input);
  }

  std::string bytes_wrong() const {
    std::uint32_t start = 0, length = 0;
    for (std::size_t i = 0; i < encoded_.passes.size(); ++i) {
      const j2k::Pass &pass = encoded_.passes[i];
      if (pass.length < length || pass.length > encoded_.bytes.size())
        return format("pass %zu has length %u after %u", i, pass.length, length);
      length = pass.length;
      if (length > start && encoded_.bytes[length - 1] == 0xFF)
        return format("pass %zu ends in FF", i);
      for (std::uint32_t at = start; pass.terminated && at + 1 < length; ++at)
        if (encoded_.bytes[at] == 0xFF && encoded_.bytes[at + 1] > 0x8F)
          return format("pass %zu: a marker at byte %u", i, at);
      if (pass.terminated) start = length;
    }
    if (start != encoded_.bytes.size()) return format("%u of the bytes are of use", start);
    return "";
  }

  std::string pass_wrong(int index) const {
    const j2k::Pass &pass = encoded_.passes[static_cast<std::size_t>(index)];
    const DecodedBlock decoded = decode(index + 1, 0);
    if (!equals_samples(decoded)) return format("pass %d is not what was coded", index);
    const bool complete = index + 1 == static_cast<int>(encoded_.passes.size());
    for (std::size_t i = 0; complete && i < samples_.size(); ++i)
      if (decoded.lowest[i] != 0) return format("sample %zu is not decoded to the end", i);
    if (decoded.bad_segmentation_symbol) return format("pass %d: segmentation symbol", index);
    if (decoded.bad_termination) return format("pass %d: termination", index);

    const std::uint32_t before =
        index == 0 ? 0 : encoded_.passes[static_cast<std::size_t>(index - 1)].length;
    const bool kept_whole = pass.terminated && (test_.style & j2k::kPredictable) != 0;
    if (!kept_whole && pass.length > before) {
      const DecodedBlock less = decode(index + 1, 1);
      if (equals_samples(less) && less.lowest == decoded.lowest && !less.bad_segmentation_symbol)
        return format("pass %d: length %u, less would do", index, pass.length);
    }
    return distortion_wrong(index, decode(index, 0), decoded);
  }

  bool equals_samples(const DecodedBlock &decoded) const {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const std::uint64_t coded = magnitude(i) >> test_.fraction_bits;
      const std::uint64_t expected = coded >> decoded.lowest[i] << decoded.lowest[i];
      if (decoded.magnitudes[i] != expected) return false;
      if (expected != 0 && decoded.negative[i] != (samples_[i] < 0)) return false;
    }
    return true;
  }

  // In steps of the quantiser: what a decoder takes for the magnitude is the middle of what it may
  // be, unless it is known.
  double error(const DecodedBlock &decoded, std::size_t i) const {
    const double truth = std::ldexp(static_cast<double>(magnitude(i)), -test_.fraction_bits);
    const bool known = test_.fraction_bits == 0 && decoded.lowest[i] == 0;
    double value = decoded.magnitudes[i];
    if (decoded.magnitudes[i] != 0 && !known) value += std::ldexp(0.5, decoded.lowest[i]);
    return (truth - value) * (truth - value);
  }

  std::string distortion_wrong(int index, const DecodedBlock &before,
                               const DecodedBlock &after) const {
    const j2k::Pass &pass = encoded_.passes[static_cast<std::size_t>(index)];
    // Of numbers up to 2^64 a double keeps 53 bits.
    const double unit = std::ldexp(1.0 / 64, 2 * pass.plane);
    double gain = 0, least = 0, most = 0, scale = 0;
    const bool rounded = pass.plane + test_.fraction_bits > 6;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (before.lowest[i] == after.lowest[i]) continue;
      gain += (error(before, i) - error(after, i)) / unit;
      scale += error(before, i) / unit;
      if (!rounded) continue;
      if (before.magnitudes[i] == 0 && after.magnitudes[i] != 0) most += 3;
      if (before.magnitudes[i] == 0) continue;
      least -= 1;
      most += 1;
    }
    const double off = gain - pass.distortion;
    const double slack = scale * 1e-13;
    if (off < least - slack || off > most + slack)
      return format("pass %d: distortion %d instead of %.3f", index, pass.distortion, gain);
    return "";
  }

  const TestBlock &test_;
  const Encoded &encoded_;
  std::vector<std::int32_t> samples_;
};

}  // namespace

Encoded encode_serially(const j2k::CodeBlock &block) {
  j2k::SerialModel model;
  return encode(model, block);
}

Encoded encode_in_parallel(const j2k::CodeBlock &block) {
  const auto model = std::make_unique<j2k::ContextModel>();
  return encode(*model, block);
}

std::string difference(const Encoded &a, const Encoded &b) {
  if (a.planes != b.planes) return format("%d planes and %d", a.planes, b.planes);
  if (a.passes.size() != b.passes.size())
    return format("%zu passes and %zu", a.passes.size(), b.passes.size());
  if (a.symbols != b.symbols) {
    std::size_t pass = 0;
    while (a.symbols[pass] == b.symbols[pass])
      ++pass;
    return format("pass %zu: symbols", pass);
  }
  for (std::size_t i = 0; i < a.passes.size(); ++i) {
    const j2k::Pass &p = a.passes[i], &q = b.passes[i];
    if (p.length != q.length) return format("pass %zu: length %u and %u", i, p.length, q.length);
    if (p.distortion != q.distortion)
      return format("pass %zu: distortion %d and %d", i, p.distortion, q.distortion);
    if (p.type != q.type || p.plane != q.plane || p.terminated != q.terminated || p.raw != q.raw)
      return format("pass %zu: another kind", i);
  }
  return a.bytes == b.bytes ? "" : "bytes";
}

std::string judge(const TestBlock &test, const Encoded &encoded) {
  return Judge(test, encoded).run();
}

}  // namespace coalesce::test
