// SPDX-License-Identifier: LGPL-2.1-or-later
// Which fields of telecined video are of one frame of film.
#pragma once

#include <cstdint>

namespace coalesce {

// How many fields frames of film have, by turns: of 25 or 30 frames a second two, of 24 two and
// three.
enum class Pulldown : std::uint8_t { two_two, two_three, two_three_three_two };

// How much fields comb with the one after them. Fields are counted from the first one of the frame
// in hand, so those before it have negative numbers.
class FieldPairs {
 public:
  // combing[0] is of fields `first` and `first` + 1. still: what does not count as combing.
  FieldPairs(const std::uint64_t *combing, int first, int count, std::uint64_t still)
      : combing_(combing), first_(first), count_(count), still_(still) {}

  bool knows(int field) const { return first_ <= field && field < first_ + count_; }
  std::uint64_t operator[](int field) const { return knows(field) ? combing_[field - first_] : 0; }
  bool combs(int field) const { return (*this)[field] > still_; }

 private:
  const std::uint64_t *combing_;
  int first_, count_;
  std::uint64_t still_;
};

// Fields that become one picture.
struct FilmRun {
  int begin, end;  // all of them
  int woven;       // those of one frame of film are the last of them, from this one on
  int halves;      // where the frame of film is in time, in halves of a field; all are equally long
  bool certain;    // they are of one frame: else a picture is to be made of the field `kept`
  int kept;
};

// Fields from which on the cadence is looked for.
constexpr int kCadenceFields = 10;

// The cadence of a sequence of fields. It is certain
//   - at first, where within the next kCadenceFields + 1 pairs of fields at least two between
//   frames
//     of film comb, and none within a frame;
//   - from then on until a pair within a frame combs.
// A pair within a frame of film combs if it does so by more than a third of what the pairs do
// between that frame and those beside it. Where nothing moves nothing combs, and the cadence goes
// on. What is unknown does not comb.
class Cadence {
 public:
  bool certain() const { return certain_; }
  Pulldown pulldown() const { return pulldown_; }

  // A new sequence, whose pulldown is this one as long as none is certain.
  void restart(Pulldown pulldown);
  // Makes the cadence certain, if one of the candidates is, from the next run on.
  bool find(const FieldPairs &pairs, const Pulldown *candidates, int count);

  // Where the next run begins.
  int next() const { return next_; }
  // The next run, of the candidate that is certain, or the last one that was, or the first one.
  // fields: as many are there; after the last one the sequence ends.
  FilmRun next_run(const FieldPairs &pairs, const Pulldown *candidates, int count, int fields);
  // The frame in hand is another one, so many fields later.
  void advance(int fields);

 private:
  struct Phase {
    Pulldown pulldown;
    int at;  // of field 0 in the period

    int of(int field) const;
    bool ends_frame(int field) const;  // is the next field of another frame of film?
    int halves(int field) const;       // FilmRun's, of the frame of film that a field is of
  };
  static bool combs_within(const Phase &phase, const FieldPairs &pairs, int field);
  static bool is_certain(const Phase &phase, const FieldPairs &pairs, int from);
  Phase phase() const { return {pulldown_, at_}; }
  int end_of_run() const;

  Pulldown pulldown_ = Pulldown::two_three;
  int at_ = 0, next_ = 0;
  bool certain_ = false;
};

}  // namespace coalesce
