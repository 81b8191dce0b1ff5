// SPDX-License-Identifier: LGPL-2.1-or-later
// Covering arrays of strength 2: few rows, in which every value of every factor meets every value
// of every other one. Always the same rows.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace coalesce::test {

using CoveringRow = std::vector<int>;  // of each factor, which of its values

// Which value is taken where no pair wants one: any; not the last, which is costly; in every second
// row the first, which is the plain one.
enum class Ties { any, not_last, mostly_first };

// What decides about rows.
struct CoveringFactors {
  std::vector<int> values;  // how many each factor has
  std::vector<Ties> ties;
  std::function<bool(const CoveringRow &)> allowed;
};

struct CoveringPair {
  int factor[2], value[2];
};

// Rows with all pairs, apart from those for which chance finds no row that is allowed.
std::vector<CoveringRow> covering_rows(const CoveringFactors &factors);
// Of factors with so many values, all rows of which are allowed.
std::vector<CoveringRow> covering_rows(const std::vector<int> &values);

// Which pairs there are not, by counting.
std::vector<CoveringPair> missing_pairs(const std::vector<int> &values,
                                        const std::vector<CoveringRow> &rows);

// Whether chance finds an allowed row with the pair. (Other rows than covering_rows() tries.)
bool may_occur(const CoveringFactors &factors, const CoveringPair &pair);

// An array that makes a Subject of each row: every factor does something to it, in their order.
template <class Subject>
class CoveringArray {
 public:
  struct Value {
    std::string name;
    std::function<void(Subject *)> set;
  };
  struct Factor {
    std::string name;
    std::vector<Value> values;
    Ties ties = Ties::any;
  };

  CoveringArray(std::vector<Factor> factors, std::function<bool(const Subject &)> allowed)
      : factors_(std::move(factors)) {
    for (const Factor &factor : factors_) {
      what_decides_.values.push_back(static_cast<int>(factor.values.size()));
      what_decides_.ties.push_back(factor.ties);
    }
    what_decides_.allowed = [this, allowed = std::move(allowed)](const CoveringRow &row) {
      return allowed(made(row));
    };
    rows_ = covering_rows(what_decides_);
  }
  CoveringArray(const CoveringArray &) = delete;
  CoveringArray &operator=(const CoveringArray &) = delete;

  int size() const { return static_cast<int>(rows_.size()); }
  Subject at(int row) const { return made(rows_[static_cast<std::size_t>(row)]); }
  std::string text(int row) const {
    std::string all;
    for (std::size_t f = 0; f < factors_.size(); ++f)
      all += (f > 0 ? ", " : "") + name(f, rows_[static_cast<std::size_t>(row)][f]);
    return all;
  }
  std::string text(const CoveringPair &pair) const {
    return name(static_cast<std::size_t>(pair.factor[0]), pair.value[0]) + " with " +
           name(static_cast<std::size_t>(pair.factor[1]), pair.value[1]);
  }

  const std::vector<CoveringRow> &rows() const { return rows_; }
  const CoveringFactors &factors() const { return what_decides_; }

 private:
  Subject made(const CoveringRow &row) const {
    Subject subject;
    for (std::size_t f = 0; f < factors_.size(); ++f)
      factors_[f].values[static_cast<std::size_t>(row[f])].set(&subject);
    return subject;
  }
  std::string name(std::size_t factor, int value) const {
    return factors_[factor].name + " " +
           factors_[factor].values[static_cast<std::size_t>(value)].name;
  }

  std::vector<Factor> factors_;
  CoveringFactors what_decides_;
  std::vector<CoveringRow> rows_;
};

}  // namespace coalesce::test
