// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlacefilm.h"

#include <algorithm>
#include <array>
#include <span>

#include "telecine/combing.h"

namespace coalesce::gst {
namespace {

constexpr Pulldown kEach[] = {Pulldown::two_three, Pulldown::two_three_three_two,
                              Pulldown::two_two};

// What is known of the fields around the frame in hand.
class Measured {
 public:
  explicit Measured(const Film::Window &window) : still_(window.still) {
    int frame = window.in.measured(0) == nullptr ? 1 : window.in.measured(-1) == nullptr ? 0 : -1;
    first_ = 2 * frame - 1;
    for (; frame < window.frames && window.in.measured(frame) != nullptr; frame++) {
      const Combing combing =
          sum_of(*static_cast<const Combing(*)[kCombingParts]>(window.in.measured(frame)));
      combing_[static_cast<std::size_t>(count_++)] = combing.across[window.top_first ? 0 : 1];
      combing_[static_cast<std::size_t>(count_++)] = combing.within;
    }
  }
  FieldPairs pairs() const { return {combing_.data(), first_, count_, still_}; }

 private:
  std::array<std::uint64_t, 2 * (kFilmFramesAhead + 2)> combing_;
  int first_ = 0, count_ = 0;
  std::uint64_t still_;
};

// Those whose frames of film come at this rate.
std::span<const Pulldown> pulldowns_of(DeinterlaceRate rate) {
  const std::span<const Pulldown> all(kEach);
  return rate == DeinterlaceRate::film ? all.first(2) : all.last(1);
}

}  // namespace

const guint kFilmBytes = sizeof(Combing) * kCombingParts;

guint Film::plan(const Window &window, DeinterlaceRate rate, FilmPicture *pictures) {
  const Measured measured(window);
  const std::span<const Pulldown> pulldowns = pulldowns_of(rate);
  const int parts = rate == DeinterlaceRate::film ? 5 : kFilmParts;
  guint count = 0;
  while (cadence_.next() < 2) {
    const FilmRun run = cadence_.next_run(measured.pairs(), pulldowns.data(),
                                          static_cast<int>(pulldowns.size()), 2 * window.frames);
    uncertain_ = run.certain ? 0 : uncertain_ + 1;
    const int field = run.certain ? run.woven : run.kept;
    // Each begins where the one before it ends, the last one ends with the fields, and the one
    // before that leaves it some time. (Flags and properties may end the fields earlier than it
    // seemed then.)
    const bool is_last = cadence_.next() >= 2 * window.frames;
    const int last = kFilmParts * window.frames, begin = end_;
    end_ = std::max(begin + 1, is_last ? last : std::min(run.halves + parts, last - 1));
    pictures[count++] = {run.certain, field / 2, field % 2, {begin, end_, kFilmParts}};
  }
  cadence_.advance(2);
  end_ -= kFilmParts;
  return count;
}

DeinterlaceRate Film::found(const Window &window) const {
  Cadence cadence;
  if (!cadence.find(Measured(window).pairs(), kEach, std::size(kEach)))
    return DeinterlaceRate::field;
  return cadence.pulldown() == Pulldown::two_two ? DeinterlaceRate::frame : DeinterlaceRate::film;
}

void Film::restart(DeinterlaceRate rate) {
  cadence_.restart(pulldowns_of(rate)[0]);
  uncertain_ = end_ = 0;
}

}  // namespace coalesce::gst
