// SPDX-License-Identifier: LGPL-2.1-or-later
// Telecined video in the frames of a window: which pictures of film a frame becomes.
#pragma once

#include "base/temporal.h"
#include "deinterlacesettings.h"
#include "telecine/cadence.h"

namespace coalesce::gst {

// A picture: fields that are woven, or one that is deinterlaced.
struct FilmPicture {
  bool woven;
  int frame;   // of the window, whose field it is
  int number;  // of that field in the frame; of woven ones the first
  TemporalSpan span;
};

class Film {
 public:
  // frames: from the one in hand on, whose fields can be of one frame of film.
  struct Window {
    const FrameWindow &in;
    int frames;
    bool top_first;
    std::uint64_t still;  // combing that is none
  };

  // The pictures that begin in the frame in hand, at most kMostPictures, at this rate of pictures.
  guint plan(const Window &window, DeinterlaceRate rate, FilmPicture *pictures);
  // What the look ahead says of video that no cadence has been certain of.
  DeinterlaceRate found(const Window &window) const;
  // Pictures since the cadence was certain.
  int uncertain() const { return uncertain_; }
  // Where the time of the last picture ends, from the frame in hand on, in parts of it.
  int end() const { return end_; }
  // The next frame does not continue the fields of this one.
  void restart(DeinterlaceRate rate);

 private:
  Cadence cadence_;
  int uncertain_ = 0;
  int end_ = 0;
};

// Parts of a frame: halves of fields.
constexpr int kFilmParts = 4;

// In measure(), pictures() and run(): frames that the cadence looks ahead, and bytes a frame.
constexpr guint kFilmFramesAhead = kCadenceFields / 2 + 1;
extern const guint kFilmBytes;

}  // namespace coalesce::gst
