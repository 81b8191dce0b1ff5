// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "jpegenc_reference.h"

namespace test {

void add_jpegenc_file_cases(Suite *suite);    // bytes
void add_jpegenc_caps_cases(Suite *suite);    // caps on both sides
void add_jpegenc_change_cases(Suite *suite);  // what is wrong, and what changes while playing

// The file of a frame that is random for `seed`, but smooth; it is the reference's.
Bytes code_and_check(Harness &harness, const std::string &caps, guint32 seed = 1);

// Is a segment of this kind before the scan?
bool has_marker(const Bytes &file, guint8 marker);

}  // namespace test
