// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_block_decoder.h"

#include "j2k_mq_decoder.h"

namespace coalesce::test {
namespace {

// Table A.19
constexpr unsigned kBypass = 1, kReset = 2, kTermAll = 4, kCausal = 8, kPredictable = 16,
                   kSymbols = 32;

// Table D.1. Ranges of the sums H, V and D for LL and LH, of D and H + V for HH.
struct Row {
  int first[2], second[2], third[2], context;
};
const Row kLowRows[] = {
    {{2, 2}, {0, 2}, {0, 4}, 8}, {{1, 1}, {1, 2}, {0, 4}, 7}, {{1, 1}, {0, 0}, {1, 4}, 6},
    {{1, 1}, {0, 0}, {0, 0}, 5}, {{0, 0}, {2, 2}, {0, 4}, 4}, {{0, 0}, {1, 1}, {0, 4}, 3},
    {{0, 0}, {0, 0}, {2, 4}, 2}, {{0, 0}, {0, 0}, {1, 1}, 1}, {{0, 0}, {0, 0}, {0, 0}, 0},
};
const Row kHighRows[] = {
    {{3, 4}, {0, 4}, {0, 0}, 8}, {{2, 2}, {1, 4}, {0, 0}, 7}, {{2, 2}, {0, 0}, {0, 0}, 6},
    {{1, 1}, {2, 4}, {0, 0}, 5}, {{1, 1}, {1, 1}, {0, 0}, 4}, {{1, 1}, {0, 0}, {0, 0}, 3},
    {{0, 0}, {2, 4}, {0, 0}, 2}, {{0, 0}, {1, 1}, {0, 0}, 1}, {{0, 0}, {0, 0}, {0, 0}, 0},
};
int look_up(const Row (&rows)[9], int first, int second, int third) {
  for (const Row &row : rows)
    if (row.first[0] <= first && first <= row.first[1] && row.second[0] <= second &&
        second <= row.second[1] && row.third[0] <= third && third <= row.third[1])
      return row.context;
  return -1;
}

// Table D.3: context and XOR bit for horizontal contributions of 1, 0, -1 and vertical ones.
const int kSignTable[3][3][2] = {
    {{13, 0}, {12, 0}, {11, 0}}, {{10, 0}, {9, 0}, {10, 1}}, {{11, 1}, {12, 1}, {13, 1}}};

class BlockDecoder {
 public:
  explicit BlockDecoder(const DecoderInput &input) : in_(input) {
    const std::size_t stride = static_cast<std::size_t>(in_.width) + 2;
    const std::size_t size = stride * (static_cast<std::size_t>(in_.height) + 2);
    sigma_.assign(size, 0);
    sign_.assign(size, 0);
    refined_.assign(size, 0);
    plane_of_.assign(size, in_.planes);
    magnitude_.assign(size, 0);
  }

  DecodedBlock decode() {
    mq_.reset_contexts();
    const int count = static_cast<int>(in_.lengths.size());
    for (int pass = 0; pass < count; ++pass) {
      begin_pass(pass);
      for (int stripe = 0; stripe < in_.height; stripe += 4)
        for (int x = 0; x < in_.width; ++x)
          column(x, stripe);
      if (type(pass) == 2 && (in_.style & kSymbols) != 0)
        for (int expected : {1, 0, 1, 0})
          if (mq_.decode(18) != expected) result_.bad_segmentation_symbol = true;
      if (ends_segment(pass) && (in_.style & kPredictable) != 0 &&
          !(raw_pass_ ? raw_.ends_predictably() : mq_.ends_predictably()))
        result_.bad_termination = true;
      if ((in_.style & kReset) != 0) mq_.reset_contexts();
    }
    return take();
  }

 private:
  // Pass 0 is a cleanup pass; then three make a plane: significance, refinement, cleanup.
  static int type(int pass) { return (pass + 2) % 3; }
  int plane(int pass) const { return in_.planes - 1 - (pass + 2) / 3; }
  // D.6: raw bits from pass 10 on, but no cleanup pass.
  bool is_raw(int pass) const {
    return (in_.style & kBypass) != 0 && pass >= 10 && type(pass) != 2;
  }
  // Table D.9
  bool ends_segment(int pass) const {
    if ((in_.style & kTermAll) != 0 || pass == 3 * in_.planes - 3) return true;
    return (in_.style & kBypass) != 0 && pass >= 9 && type(pass) != 0;
  }

  void begin_pass(int pass) {
    plane_ = plane(pass);
    type_ = type(pass);
    raw_pass_ = is_raw(pass);
    if (pass > 0 && !ends_segment(pass - 1)) return;
    const std::uint32_t first = pass == 0 ? 0 : in_.lengths[static_cast<std::size_t>(pass - 1)];
    std::size_t last = static_cast<std::size_t>(pass);
    while (!ends_segment(static_cast<int>(last)) && last + 1 < in_.lengths.size())
      ++last;
    const int length = static_cast<int>(in_.lengths[last] - first);
    if (raw_pass_)
      raw_.start(in_.bytes + first, length);
    else
      mq_.start(in_.bytes + first, length);
  }

  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>((y + 1) * (in_.width + 2) + x + 1);
  }

  // Contribution of a neighbour, dy rows from row y: 0 if it is not significant.
  int chi(int x, int y, int dx, int dy) const {
    if ((in_.style & kCausal) != 0 && dy == 1 && y % 4 == 3) return 0;
    const std::size_t i = at(x + dx, y + dy);
    return sigma_[i] == 0 ? 0 : 1 - 2 * sign_[i];
  }
  int sigma(int x, int y, int dx, int dy) const { return chi(x, y, dx, dy) != 0 ? 1 : 0; }

  int zero_context(int x, int y) const {
    const int h = sigma(x, y, -1, 0) + sigma(x, y, 1, 0);
    const int v = sigma(x, y, 0, -1) + sigma(x, y, 0, 1);
    const int d = sigma(x, y, -1, -1) + sigma(x, y, 1, -1) + sigma(x, y, -1, 1) + sigma(x, y, 1, 1);
    if (in_.band == j2k::Band::hh) return look_up(kHighRows, d, h + v, 0);
    if (in_.band == j2k::Band::hl) return look_up(kLowRows, v, h, d);
    return look_up(kLowRows, h, v, d);
  }

  static int limit(int sum) { return sum > 1 ? 1 : sum < -1 ? -1 : sum; }

  void decode_sign(int x, int y) {
    const int h = limit(chi(x, y, -1, 0) + chi(x, y, 1, 0));
    const int v = limit(chi(x, y, 0, -1) + chi(x, y, 0, 1));
    const int *entry = kSignTable[1 - h][1 - v];
    const std::size_t i = at(x, y);
    sign_[i] = raw_pass_ ? raw_.decode() : mq_.decode(entry[0]) ^ entry[1];
    sigma_[i] = 1;
    magnitude_[i] |= 1u << plane_;
  }

  void decode_significance(int x, int y) {
    const int context = zero_context(x, y);
    plane_of_[at(x, y)] = plane_;
    if ((raw_pass_ ? raw_.decode() : mq_.decode(context)) == 1) decode_sign(x, y);
  }

  void decode_refinement(int x, int y) {
    const std::size_t i = at(x, y);
    const int context = refined_[i] != 0 ? 16 : zero_context(x, y) != 0 ? 15 : 14;
    refined_[i] = 1;
    plane_of_[i] = plane_;
    const int bit = raw_pass_ ? raw_.decode() : mq_.decode(context);
    magnitude_[i] |= static_cast<std::uint32_t>(bit) << plane_;
  }

  // Up to four samples, one below the other. A sample whose plane_of_ is this plane is done with.
  void column(int x, int stripe) {
    const int end = stripe + 4 < in_.height ? stripe + 4 : in_.height;
    int y = stripe;
    if (type_ == 2 && end == stripe + 4 && all_zero_context(x, stripe)) {
      for (int i = stripe; i < end; ++i)
        plane_of_[at(x, i)] = plane_;
      if (mq_.decode(17) == 0) return;
      y += 2 * mq_.decode(18);
      y += mq_.decode(18);
      decode_sign(x, y);
      for (int i = ++y; i < end; ++i)
        plane_of_[at(x, i)] = plane_ + 1;
    }
    for (; y < end; ++y) {
      const std::size_t i = at(x, y);
      if (plane_of_[i] == plane_) continue;
      if (type_ == 1 && sigma_[i] != 0) decode_refinement(x, y);
      if (type_ == 0 && sigma_[i] == 0 && zero_context(x, y) != 0) decode_significance(x, y);
      if (type_ == 2) decode_significance(x, y);
    }
  }

  bool all_zero_context(int x, int stripe) const {
    for (int y = stripe; y < stripe + 4; ++y)
      if (plane_of_[at(x, y)] == plane_ || sigma_[at(x, y)] != 0 || zero_context(x, y) != 0)
        return false;
    return true;
  }

  DecodedBlock take() {
    for (int y = 0; y < in_.height; ++y)
      for (int x = 0; x < in_.width; ++x) {
        const std::size_t i = at(x, y);
        result_.magnitudes.push_back(magnitude_[i]);
        result_.negative.push_back(sign_[i] == 1);
        result_.lowest.push_back(plane_of_[i]);
      }
    return result_;
  }

  const DecoderInput &in_;
  DecodedBlock result_;
  MqDecoder mq_;
  RawDecoder raw_;
  int plane_ = 0, type_ = 0;
  bool raw_pass_ = false;
  // With a frame of samples that are not significant.
  std::vector<int> sigma_, sign_, refined_, plane_of_;
  std::vector<std::uint32_t> magnitude_;
};

}  // namespace

DecodedBlock decode_block(const DecoderInput &input) {
  return BlockDecoder(input).decode();
}

}  // namespace coalesce::test
