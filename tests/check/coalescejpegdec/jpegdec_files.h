// SPDX-License-Identifier: LGPL-2.1-or-later
// JPEG files for tests of coalescejpegdec, and what they become.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

// Of random blocks of colour, by the library's own encoder; format: GRAY8, I420, Y42B or Y444.
Bytes jpeg_file(const char *format, Size size, unsigned seed, int restart_interval = 0);

// The picture of a file by the library's decoder, as picture() has it; empty where it is refused.
// (The library itself is judged by libjpeg in tests/kernels.)
Bytes decoded(const Bytes &file, const char *format, bool fancy = true, bool *broken = nullptr);

// A segment behind SOI.
Bytes with_segment(const Bytes &file, guint8 marker, const Bytes &payload);
Bytes with_orientation(const Bytes &file, int orientation);
// Without EOI.
Bytes without_end(Bytes file);
Bytes joined(const std::vector<Bytes> &parts);

GstBuffer *buffer_with(const Bytes &bytes, GstClockTime pts = GST_CLOCK_TIME_NONE);
// Pushes a file as one buffer.
void push_file(Harness &harness, const Bytes &file, GstClockTime pts = GST_CLOCK_TIME_NONE);
// Rows of a buffer in system memory have zeros behind their samples, of 8 bits.
void expect_clear_padding(GstBuffer *buffer, const GstVideoInfo &info);
// The next output has these bytes.
void expect_picture(Harness &harness, const Bytes &expected, const char *what);

void add_jpegdec_broken_cases(Suite *suite);
void add_jpegdec_field_cases(Suite *suite);
void add_jpegdec_input_cases(Suite *suite);
void add_jpegdec_pipeline_cases(Suite *suite);

}  // namespace test
