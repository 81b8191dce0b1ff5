// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section convert, in the plainest words: a sample at a time, in doubles. With
// the quantised weights every double is exact, so that the result is that of exact integers; with
// those of the formula it is the float64 that they are judged by.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "convert/convert.h"

namespace coalesce::test {

enum class Weights { quantised, exact };

class ConvertReference {
 public:
  ConvertReference(const ConvertParams &params, const ConstImage &in, const PixelFormat &out,
                   Weights weights = Weights::quantised);

  // A sample of the output before it is rounded, in the component's grid.
  double real(const PixelComponent &c, int x, int y) const;
  int rounded(const PixelComponent &c, int x, int y) const;

 private:
  using Taps = std::vector<std::pair<int, double>>;  // samples and their weights
  struct Place {
    int log2;
    double site;
  };

  double component(const PixelComponent &out, const PixelComponent &in, int x, int y) const;
  double filtered(const PixelComponent &out, const PixelComponent &in, int x, int y) const;
  Taps taps(Place in, Place out, int index) const;
  Taps columns(const PixelComponent &out, const PixelComponent &in, int x) const;
  Taps rows(const PixelComponent &out, const PixelComponent &in, int y) const;
  double matrix(const PixelComponent &out, int x, int y) const;

  ConvertParams params_;
  ConstImage in_;
  PixelFormat out_;
  Weights weights_;
};

// A sample of a picture in memory.
int sample_of(const ConstImage &image, const PixelComponent &c, int x, int y);

// The whole operation: every byte of every row.
void convert_reference(const ConvertParams &params, const ConstImage &in, const Image &out);

// For messages.
std::string text(const ConvertParams &params);

}  // namespace coalesce::test
