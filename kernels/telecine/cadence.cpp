// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cadence.h"

#include <algorithm>

namespace coalesce {
namespace {

struct Pattern {
  int fields, frames;
  unsigned ends;  // bits of fields after which a frame of film ends
  int halves;     // later than its first field, so that no frame of film is early
};

constexpr Pattern kPatterns[] = {
    {2, 1, 1u << 1, 0},
    {5, 2, 1u << 1 | 1u << 4, 0},
    {10, 4, 1u << 1 | 1u << 4 | 1u << 7 | 1u << 9, 1},
};

const Pattern &pattern_of(Pulldown pulldown) {
  return kPatterns[static_cast<int>(pulldown)];
}

}  // namespace

int Cadence::Phase::of(int field) const {
  const int period = pattern_of(pulldown).fields;
  return ((at + field) % period + period) % period;
}

bool Cadence::Phase::ends_frame(int field) const {
  return (pattern_of(pulldown).ends >> of(field) & 1) != 0;
}

int Cadence::Phase::halves(int field) const {
  const Pattern &pattern = pattern_of(pulldown);
  const int start = field - of(field);
  int frames = 0;
  for (int before = start; before < field; ++before)
    frames += ends_frame(before) ? 1 : 0;
  return 2 * start + pattern.halves + frames * 2 * pattern.fields / pattern.frames;
}

bool Cadence::combs_within(const Phase &phase, const FieldPairs &pairs, int field) {
  if (phase.ends_frame(field) || !pairs.combs(field)) return false;
  int before = field - 1, after = field + 1;
  while (!phase.ends_frame(before))
    --before;
  while (!phase.ends_frame(after))
    ++after;
  return (pairs.knows(before) || pairs.knows(after)) &&
         pairs[field] > std::max(pairs[before], pairs[after]) / 3;
}

bool Cadence::is_certain(const Phase &phase, const FieldPairs &pairs, int from) {
  int between = 0;
  for (int field = from; field <= from + kCadenceFields; ++field) {
    if (combs_within(phase, pairs, field)) return false;
    if (phase.ends_frame(field) && pairs.combs(field)) ++between;
  }
  return between >= 2;
}

void Cadence::restart(Pulldown pulldown) {
  *this = {};
  pulldown_ = pulldown;
}

bool Cadence::find(const FieldPairs &pairs, const Pulldown *candidates, int count) {
  certain_ = false;
  for (int i = 0; i < count && !certain_; ++i)
    for (int at = 0; at < pattern_of(candidates[i]).fields && !certain_; ++at) {
      const Phase phase = {candidates[i], at};
      if (!is_certain(phase, pairs, next_)) continue;
      certain_ = true;
      pulldown_ = phase.pulldown;
      at_ = phase.at;
    }
  return certain_;
}

// A single field that is left over goes with the frame after it.
int Cadence::end_of_run() const {
  int end = next_ + 2;
  while (!phase().ends_frame(end - 1))
    ++end;
  return end;
}

FilmRun Cadence::next_run(const FieldPairs &pairs, const Pulldown *candidates, int count,
                          int fields) {
  if (std::find(candidates, candidates + count, pulldown_) == candidates + count) {
    certain_ = false;
    pulldown_ = candidates[0];
  }
  for (int field = next_; certain_ && field + 1 < end_of_run(); ++field)
    if (combs_within(phase(), pairs, field)) certain_ = false;
  if (!certain_) find(pairs, candidates, count);
  FilmRun run = {};
  run.begin = next_;
  run.end = run.woven = end_of_run();
  do
    --run.woven;
  while (run.woven > run.begin && !phase().ends_frame(run.woven - 1));
  run.halves = std::max(phase().halves(run.woven), 2 * run.begin);
  run.kept = run.woven + (run.end - run.woven - 1) / 2;
  run.certain = certain_ && run.woven + 1 < fields;
  run.end = next_ = std::min(run.end, fields);
  run.kept = std::min(run.kept, fields - 1);
  return run;
}

void Cadence::advance(int fields) {
  next_ -= fields;
  at_ = phase().of(fields);
}

}  // namespace coalesce
