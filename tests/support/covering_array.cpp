// SPDX-License-Identifier: LGPL-2.1-or-later
#include "covering_array.h"

#include <algorithm>
#include <numeric>

#include "random.h"

namespace coalesce::test {
namespace {

constexpr int kUnset = -1;
constexpr int kGreedyRows = 8;  // of which the best is taken
constexpr int kTries = 3000;    // of rows by chance, for a pair that greedy rows do not get
constexpr std::uint64_t kSeed = 1, kOtherSeed = 2;

// Which pairs are still wanted. Values of all factors are numbered through.
class Wanted {
 public:
  explicit Wanted(const std::vector<int> &values) {
    for (int n : values) {
      first_.push_back(static_cast<int>(all_));
      all_ += static_cast<std::size_t>(n);
    }
    wanted_.assign(all_ * all_, true);
  }

  bool has(const CoveringPair &p) const {
    return wanted_[at(p.factor[0], p.value[0], p.factor[1], p.value[1])];
  }
  // Of the value with those that the row has already.
  int count(const CoveringRow &row, int factor, int value) const {
    int n = 0;
    for (int f = 0; f < static_cast<int>(row.size()); ++f)
      if (f != factor && row[static_cast<std::size_t>(f)] != kUnset)
        n += wanted_[at(factor, value, f, row[static_cast<std::size_t>(f)])];
    return n;
  }
  void remove(const CoveringPair &p) {
    wanted_[at(p.factor[0], p.value[0], p.factor[1], p.value[1])] = false;
    wanted_[at(p.factor[1], p.value[1], p.factor[0], p.value[0])] = false;
  }
  void remove(const CoveringRow &row) {
    const int n = static_cast<int>(row.size());
    for (int f = 0; f < n; ++f)
      for (int g = 0; g < f; ++g)
        remove({{f, g}, {row[static_cast<std::size_t>(f)], row[static_cast<std::size_t>(g)]}});
  }

 private:
  std::size_t at(int f, int a, int g, int b) const {
    return static_cast<std::size_t>(first_[static_cast<std::size_t>(f)] + a) * all_ +
           static_cast<std::size_t>(first_[static_cast<std::size_t>(g)] + b);
  }
  std::vector<int> first_;
  std::size_t all_ = 0;
  std::vector<bool> wanted_;
};

template <class T>
void shuffle(std::vector<T> *list, Random &random) {
  for (std::size_t left = list->size(); left > 1; --left)
    std::swap((*list)[left - 1],
              (*list)[static_cast<std::size_t>(random.below(static_cast<int>(left)))]);
}

// So that the first rows are a sample of everything.
std::vector<CoveringPair> shuffled_pairs(const std::vector<int> &values, Random &random) {
  std::vector<CoveringPair> pairs;
  const int n = static_cast<int>(values.size());
  for (int f = 0; f < n; ++f)
    for (int g = f + 1; g < n; ++g)
      for (int a = 0; a < values[static_cast<std::size_t>(f)]; ++a)
        for (int b = 0; b < values[static_cast<std::size_t>(g)]; ++b)
          pairs.push_back({{f, g}, {a, b}});
  shuffle(&pairs, random);
  return pairs;
}

CoveringRow row_with(const CoveringPair &pair, std::size_t factors) {
  CoveringRow row(factors, kUnset);
  for (int i = 0; i < 2; ++i)
    row[static_cast<std::size_t>(pair.factor[i])] = pair.value[i];
  return row;
}

// The value that meets most of those it is still to meet; among equals, by chance.
int best_value(const CoveringFactors &factors, const Wanted &wanted, const CoveringRow &row,
               int factor, Random &random) {
  const int values = factors.values[static_cast<std::size_t>(factor)];
  const Ties ties = factors.ties[static_cast<std::size_t>(factor)];
  int best = 0, most = -1, equals = 0;
  for (int v = 0; v < values; ++v) {
    const int n = wanted.count(row, factor, v);
    if (n == 0 && v > 0 && v + 1 == values && ties == Ties::not_last) continue;
    if (n > most) equals = 0;
    if (n < most || random.below(++equals) != 0) continue;
    best = v;
    most = n;
  }
  return most == 0 && ties == Ties::mostly_first && random.below(2) == 0 ? 0 : best;
}

CoveringRow greedy_row(const CoveringFactors &factors, const Wanted &wanted,
                       const CoveringPair &pair, Random &random) {
  CoveringRow row = row_with(pair, factors.values.size());
  std::vector<int> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  shuffle(&order, random);
  for (int factor : order) {
    int &value = row[static_cast<std::size_t>(factor)];
    if (value == kUnset) value = best_value(factors, wanted, row, factor, random);
  }
  return row;
}

CoveringRow random_row(const CoveringFactors &factors, const CoveringPair &pair, Random &random) {
  CoveringRow row = row_with(pair, factors.values.size());
  for (std::size_t f = 0; f < row.size(); ++f)
    if (row[f] == kUnset) row[f] = random.below(factors.values[f]);
  return row;
}

// An allowed row by chance; none if there is none.
CoveringRow any_row(const CoveringFactors &factors, const CoveringPair &pair, Random &random) {
  for (int i = 0; i < kTries; ++i)
    if (CoveringRow row = random_row(factors, pair, random); factors.allowed(row)) return row;
  return {};
}

int gain(const Wanted &wanted, const CoveringRow &row) {
  int twice = 0;
  for (int f = 0; f < static_cast<int>(row.size()); ++f)
    twice += wanted.count(row, f, row[static_cast<std::size_t>(f)]);
  return twice / 2;
}

CoveringRow best_row(const CoveringFactors &factors, const Wanted &wanted, const CoveringPair &pair,
                     Random &random) {
  CoveringRow best;
  for (int i = 0, most = -1; i < kGreedyRows; ++i) {
    CoveringRow row = greedy_row(factors, wanted, pair, random);
    const int n = gain(wanted, row);
    if (n <= most || !factors.allowed(row)) continue;
    most = n;
    best = std::move(row);
  }
  return best.empty() ? any_row(factors, pair, random) : best;
}

}  // namespace

std::vector<CoveringRow> covering_rows(const CoveringFactors &factors) {
  Wanted wanted(factors.values);
  Random random(kSeed);
  std::vector<CoveringRow> rows;
  for (const CoveringPair &pair : shuffled_pairs(factors.values, random)) {
    if (!wanted.has(pair)) continue;
    CoveringRow row = best_row(factors, wanted, pair, random);
    wanted.remove(pair);
    if (row.empty()) continue;
    wanted.remove(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<CoveringRow> covering_rows(const std::vector<int> &values) {
  return covering_rows(
      {values, std::vector(values.size(), Ties::any), [](const CoveringRow &) { return true; }});
}

std::vector<CoveringPair> missing_pairs(const std::vector<int> &values,
                                        const std::vector<CoveringRow> &rows) {
  std::vector<CoveringPair> missing;
  const std::size_t n = values.size();
  for (std::size_t f = 0; f < n; ++f)
    for (std::size_t g = f + 1; g < n; ++g) {
      std::vector<int> times(static_cast<std::size_t>(values[f] * values[g]), 0);
      for (const CoveringRow &row : rows)
        ++times[static_cast<std::size_t>(row[f] * values[g] + row[g])];
      for (int i = 0; i < values[f] * values[g]; ++i)
        if (times[static_cast<std::size_t>(i)] == 0)
          missing.push_back(
              {{static_cast<int>(f), static_cast<int>(g)}, {i / values[g], i % values[g]}});
    }
  return missing;
}

bool may_occur(const CoveringFactors &factors, const CoveringPair &pair) {
  Random random(kOtherSeed);
  return !any_row(factors, pair, random).empty();
}

}  // namespace coalesce::test
