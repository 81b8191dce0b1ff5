// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and cadences of made-up fields.
#include <cstring>
#include <vector>

#include "../../support/doctest.h"
#include "../refused.h"
#include "picture/formats.h"
#include "telecine/cadence.h"
#include "telecine_reference.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 8, kHeight = 6;

struct GreyCall {
  std::uint8_t memory[2][kWidth * kHeight] = {};
  ConstImage frame[2];
  Combing parts[kCombingParts];
  Combing *place = parts;

  GreyCall() {
    for (int i = 0; i < 2; ++i) {
      frame[i] = {pixel_format("GRAY8"), kWidth, kHeight, false, {}};
      frame[i].plane[0] = {memory[i], kWidth, kHeight, kWidth};
    }
  }
  GreyCall(const GreyCall &) = delete;
  GreyCall &operator=(const GreyCall &) = delete;

  void fill(int image, int row, std::uint8_t value) {
    std::memset(memory[image] + row * kWidth, value, kWidth);
  }
  Status run() { return measure_combing(frame[0], frame[1], place, Queue::cpu()); }
};

TEST_CASE("refused") {
  expect_refused<GreyCall>("differ in size",
                           [](GreyCall &c) { c.frame[0].height = c.frame[0].plane[0].height = 4; });
  expect_refused<GreyCall>("differ in format", [](GreyCall &c) {
    c.frame[0].format = pixel_format("GRAY16_LE"), c.frame[0].plane[0].width = 2 * kWidth,
    c.frame[0].plane[0].pitch = 2 * kWidth;
  });
  expect_refused<GreyCall>("no place", [](GreyCall &c) { c.place = nullptr; });
  expect_refused<GreyCall>("no data", [](GreyCall &c) { c.frame[1].plane[0].data = nullptr; });
}

// Rows 0, 2 and 4 of 100 in the new frame, which was black before.
TEST_CASE("a combed frame") {
  GreyCall call;
  for (int row : {0, 2, 4})
    call.fill(1, row, 100);
  REQUIRE(call.run().ok());
  const Combing combing = sum_of(call.parts);
  CHECK(combing.within == 3 * kWidth / 4 * (100 - 8));  // three groups of four rows
  CHECK(combing.across[0] == combing.within);           // the other rows were black before, too
  CHECK(combing.across[1] == 0);
  // What does not change does not count.
  std::memcpy(call.memory[0], call.memory[1], sizeof call.memory[0]);
  REQUIRE(call.run().ok());
  CHECK(sum_of(call.parts).within == 0);
}

// ---- Cadences -----------------------------------------------------------------------------------

constexpr Pulldown kAll[] = {Pulldown::two_two, Pulldown::two_three, Pulldown::two_three_three_two};
constexpr std::uint64_t kStill = 10;

// Fields by the letters of their frames of film: a pair of different ones combs, and equal ones
// have some detail. A capital letter has not moved, and '.' is video, each field of its own.
struct Fields {
  std::vector<std::uint64_t> combing;

  explicit Fields(const std::string &film) {
    for (std::size_t i = 0; i + 1 < film.size(); ++i) {
      const bool video = film[i] == '.' || film[i + 1] == '.';
      const bool still = film[i + 1] >= 'A' && film[i + 1] <= 'Z';
      combing.push_back(video ? 900 : still ? 0 : film[i] == film[i + 1] ? 40 : 1000);
    }
  }
  FieldPairs from(int frame) const {
    return {combing.data(), -2 * frame, static_cast<int>(combing.size()), kStill};
  }
};

// Frames of film from 'a' on, of two and three fields by turns.
std::string film_of(int frames) {
  std::string film;
  for (int i = 0; i < frames; ++i)
    film.append(i % 2 == 0 ? 2 : 3, static_cast<char>('a' + i));
  return film;
}

// What every run would be shown as: "cc" a woven frame, "c?" one that is not certain.
std::string runs_of(const std::string &film, std::vector<Pulldown> candidates,
                    std::vector<int> *halves = nullptr) {
  const Fields fields(film);
  Cadence cadence;
  cadence.restart(candidates[0]);
  std::string text;
  const int frames = static_cast<int>(film.size()) / 2;
  for (int frame = 0; frame < frames; ++frame) {
    while (cadence.next() < 2) {
      const int there = 2 * (frames - frame);
      const FilmRun run = cadence.next_run(fields.from(frame), candidates.data(),
                                           static_cast<int>(candidates.size()), there);
      CHECK(run.begin <= run.woven);
      CHECK(run.woven < run.end);
      CHECK(run.end <= there);
      const auto at = [&](int field) { return film[static_cast<std::size_t>(2 * frame + field)]; };
      if (!text.empty()) text += ' ';
      text += run.certain ? std::string{at(run.woven), at(run.woven + 1)}
                          : std::string{at(run.kept), '?'};
      if (halves != nullptr) halves->push_back(4 * frame + run.halves);
    }
    cadence.advance(2);
  }
  return text;
}

const std::vector<Pulldown> k32 = {Pulldown::two_three}, k22 = {Pulldown::two_two},
                            kAny(std::begin(kAll), std::end(kAll));

TEST_CASE("three and two fields by turns, from each of the five places") {
  const std::string film = film_of(13);
  CHECK(runs_of(film.substr(0, 30), k32) == "aa bb cc dd ee ff gg hh ii jj kk ll");
  CHECK(runs_of(film.substr(0, 30), kAny) == "aa bb cc dd ee ff gg hh ii jj kk ll");
  CHECK(runs_of(film.substr(1, 30), k32) == "bb cc dd ee ff gg hh ii jj kk ll m?");
  CHECK(runs_of(film.substr(2, 30), k32) == "bb cc dd ee ff gg hh ii jj kk ll mm");
  CHECK(runs_of(film.substr(3, 28), k32) == "bb cc dd ee ff gg hh ii jj kk ll m?");
  CHECK(runs_of(film.substr(4, 28), k32) == "cc dd ee ff gg hh ii jj kk ll mm");
}

TEST_CASE("frames of film are two and a half fields apart") {
  std::vector<int> halves;
  runs_of(film_of(13).substr(2), k32, &halves);
  REQUIRE(halves.size() == 12);
  for (std::size_t i = 0; i < halves.size(); ++i)
    CHECK(halves[i] == 1 + 5 * static_cast<int>(i));
}

TEST_CASE("two, three, three and two fields") {
  std::vector<int> halves;
  const std::string film = "aabbbcccddeefffggghhiijjjkkkllmm";
  CHECK(runs_of(film, kAny, &halves) == "aa bb cc dd ee ff gg hh ii jj kk ll mm");
  for (std::size_t i = 0; i < halves.size(); ++i)
    CHECK(halves[i] == 1 + 5 * static_cast<int>(i));
  CHECK(runs_of(film.substr(3, 28), kAny) == "bb cc dd ee ff gg hh ii jj kk ll m?");
  CHECK(runs_of(film, k32) != runs_of(film, kAny));
}

TEST_CASE("two fields a frame, in phase and out of phase") {
  CHECK(runs_of("aabbccddeeffgghhiijjkk", k22) == "aa bb cc dd ee ff gg hh ii jj kk");
  CHECK(runs_of("aabbccddeeffgghhiijjkk", kAny) == "aa bb cc dd ee ff gg hh ii jj kk");
  CHECK(runs_of("abbccddeeffgghhiijjkkl", k22) == "bb cc dd ee ff gg hh ii jj kk l?");
}

TEST_CASE("video is of no cadence") {
  CHECK(runs_of("....................", k32) == ".? .? .? .? .? .? .? .?");
  CHECK(runs_of("....................", k22) == ".? .? .? .? .? .? .? .? .? .?");
}

// An edit in the middle of a frame of film: the fields before it are known to be of one frame, and
// those behind it are found anew.
TEST_CASE("a cut that breaks the cadence") {
  CHECK(runs_of("aabbbccddd"
                "ffgghhhiijjjkklllmmnnnoo",
                k32) == "aa bb cc dd ff gg hh ii jj kk ll mm nn oo");
  CHECK(runs_of(film_of(9).substr(0, 21) + "kkkllmmmnnoooppqqq", k32) ==
        "aa bb cc dd ee ff gg hh kk ll mm nn oo pp qq");
}

TEST_CASE("what stands still keeps the cadence") {
  CHECK(runs_of(film_of(8) + std::string(20, 'H') + film_of(16).substr(20), k32).find('?') ==
        std::string::npos);
  CHECK(runs_of("aAAAAAAAAAAAAAAAAAAA", k32).find("AA") == std::string::npos);
}

// Film, video, film: the pictures of video have the times that those of film would have.
TEST_CASE("video between film") {
  std::vector<int> halves;
  const std::string text =
      runs_of(film_of(8) + std::string(30, '.') + film_of(16).substr(20), k32, &halves);
  CHECK(text.substr(0, 23) == "aa bb cc dd ee ff gg hh");
  CHECK(text.substr(24, 5) == ".? .?");
  CHECK(text.substr(text.size() - 23) == "ii jj kk ll mm nn oo pp");
  for (std::size_t i = 0; i < halves.size(); ++i)
    CHECK(halves[i] == 5 * static_cast<int>(i));
}

}  // namespace
}  // namespace coalesce::test
