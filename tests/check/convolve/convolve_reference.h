// SPDX-License-Identifier: LGPL-2.1-or-later
// What convolve has to give, in the plainest words: for masks whose sums a double holds exactly.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

// A format, as its bytes are written in memory.
struct SampleFormat {
  const char *name;
  int bits, shift;  // of a sample, and how far up its bits stand
  // Of each plane the channels of a pixel: y luma and RGB, c chroma, a alpha, x nothing that is
  // filtered.
  const char *planes[4];
  // Packed 4:2:2, or words: the channels are those that GStreamer unpacks, alpha last.
  bool unpacked = false;
};
// Those that this GStreamer has.
const std::vector<SampleFormat> &sample_formats();
const SampleFormat &sample_format(const char *name);

// One channel of a plane.
struct Channel {
  std::vector<int> samples;
  int width = 0, height = 0;
  int at(int x, int y) const { return samples[static_cast<gsize>(y * width + x)]; }
};
// n_rows: of the plane, if not as many as a progressive frame has.
Channel read_channel(const GstVideoFrame &frame, const SampleFormat &format, int plane, int channel,
                     int n_rows = 0);
// What stands for a position outside, by the name of the border. -1: nothing.
int position_inside(const std::string &border, int at, int size);

// A convolution with everything spelled out.
struct Convolution {
  int width, height;
  std::vector<double> mask;  // row by row
  double divisor = 1;
  double bias = 0;  // not of chroma
  int anchor_x = -1, anchor_y = -1;
  bool correlate = false, absolute = false;
  std::string border = "replicate";
  int border_value = 0;
  bool luma_only = false, filter_alpha = false;
};

// Every sample of `out`, a frame of these caps, is what the convolution makes of `in`.
void expect_convolved(GstBuffer *in, GstBuffer *out, const std::string &caps,
                      const Convolution &convolution);

// Pushes a frame of these caps, random for `seed`, and checks what comes out.
void push_and_check(Harness &harness, const std::string &caps, const Convolution &convolution,
                    guint32 seed = 1);

}  // namespace test
