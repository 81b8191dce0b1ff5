// SPDX-License-Identifier: LGPL-2.1-or-later
// That the covering arrays are such, by counting; and that what they leave out cannot be.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "../../../support/doctest.h"
#include "j2k/encoder/encoder.h"
#include "j2k_array.h"

namespace coalesce::test {
namespace {

using namespace j2k;

int pairs_of(const std::vector<int> &values) {
  int pairs = 0;
  for (std::size_t f = 0; f < values.size(); ++f)
    for (std::size_t g = 0; g < f; ++g)
      pairs += values[f] * values[g];
  return pairs;
}

// What is missing cannot be. Returns it as text.
std::set<std::string> test_pairs(const char *name, const J2kArray &array) {
  std::set<std::string> left_out;
  for (const CoveringPair &pair : missing_pairs(array.factors().values, array.rows())) {
    left_out.insert(array.text(pair));
    CHECK_MESSAGE(!may_occur(array.factors(), pair), name, ": ", array.text(pair), " is missing");
  }
  for (const CoveringRow &row : array.rows())
    CHECK_MESSAGE(array.factors().allowed(row), name);
  std::printf("%s: %d rows, %d pairs; %zu cannot be\n", name, array.size(),
              pairs_of(array.factors().values), left_out.size());
  return left_out;
}

// Without the rows that have two values together, that pair is missing, and may_occur() knows that
// it could be there. (Pairs of rows here and there.)
void test_lost_pairs(const J2kArray &array) {
  const std::vector<int> &values = array.factors().values;
  const int factors = static_cast<int>(values.size());
  for (int i = 0; i < 60; ++i) {
    const CoveringRow &row = array.rows()[static_cast<std::size_t>(i * 7 % array.size())];
    const int f = i % (factors - 1), g = f + 1 + i * 5 % (factors - 1 - f);
    const int a = row[static_cast<std::size_t>(f)], b = row[static_cast<std::size_t>(g)];
    std::vector<CoveringRow> rows;
    for (const CoveringRow &r : array.rows())
      if (r[static_cast<std::size_t>(f)] != a || r[static_cast<std::size_t>(g)] != b)
        rows.push_back(r);
    const CoveringPair pair = {{f, g}, {a, b}};
    const auto missing = missing_pairs(values, rows);
    CHECK_MESSAGE(std::any_of(missing.begin(), missing.end(),
                              [&](const CoveringPair &p) {
                                return p.factor[0] == f && p.factor[1] == g && p.value[0] == a &&
                                       p.value[1] == b;
                              }),
                  array.text(pair));
    CHECK_MESSAGE(may_occur(array.factors(), pair), array.text(pair));
  }
}

// Two factors of two values: four rows, or a pair is missing.
TEST_CASE("counting") {
  std::vector<CoveringRow> rows = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  CHECK_MESSAGE(missing_pairs({2, 2}, rows).empty(), "all are there");
  rows.pop_back();
  const auto missing = missing_pairs({2, 2}, rows);
  CHECK_MESSAGE((missing.size() == 1 && missing[0].value[0] == 1 && missing[0].value[1] == 1),
                missing.size());
  CHECK_MESSAGE(
      may_occur({{2, 2}, {Ties::any, Ties::any}, [](const CoveringRow &) { return true; }},
                missing[0]),
      "it may be");
  CHECK_MESSAGE(
      !may_occur(
          {{2, 2}, {Ties::any, Ties::any}, [](const CoveringRow &row) { return row[0] == 0; }},
          missing[0]),
      "it may not be");
}

// All that cannot be is known by name.
TEST_CASE("array") {
  const std::set<std::string> left_out = test_pairs("j2k array", j2k_array());
  std::set<std::string> expected = {"levels 0 with largest last 1"};
  for (const char *parts : {"0", "1", "2"})
    expected.insert(std::string("tile-parts ") + parts + " with rate component bytes");
  for (const char *layers : {"2", "5", "20"})
    expected.insert(std::string("layers ") + layers + " with rate component bytes");
  for (const std::string &text : left_out)
    CHECK_MESSAGE(expected.count(text) > 0, "left out: ", text);
  for (const std::string &text : expected)
    CHECK_MESSAGE(left_out.count(text) > 0, "is there: ", text);
  CHECK_MESSAGE(j2k_array().size() >= 1000, j2k_array().size(), " rows");
}

TEST_CASE("profiles") {
  const std::set<std::string> left_out = test_pairs("profiles", j2k_profile_array());
  for (const char *profile : {"cinema-2k", "cinema-4k"}) {
    const std::string with = std::string(" with profile ") + profile;
    CHECK_MESSAGE(left_out.count("format I420" + with) > 0, profile);
    CHECK_MESSAGE(left_out.count("format GBR_12" + with) == 0, profile);
  }
}

// The encoder takes every entry, and each is another one.
TEST_CASE("entries") {
  const int most = j2k_small_entries();
  std::set<std::string> texts;
  for (int i = 0; i < most; ++i) {
    const J2kEntry entry = j2k_entry(i);
    std::unique_ptr<Encoder> encoder;
    const Status s = Encoder::make(entry.params, &encoder);
    CHECK_MESSAGE(s.ok(), s.message(), ": ", entry.text);
    texts.insert(entry.text);
  }
  CHECK_MESSAGE(static_cast<int>(texts.size()) == most, texts.size(), " texts");
}

TEST_CASE("lost pairs") {
  test_lost_pairs(j2k_array());
  test_lost_pairs(j2k_profile_array());
}

}  // namespace
}  // namespace coalesce::test
