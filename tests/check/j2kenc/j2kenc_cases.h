// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../support/elements/elements.h"

namespace test {

void add_j2kenc_caps_cases(Suite *suite);         // what they say
void add_j2kenc_negotiation_cases(Suite *suite);  // what downstream wishes
void add_j2kenc_library_cases(Suite *suite);      // properties are parameters of the library
void add_j2kenc_rate_cases(Suite *suite);         // bytes
void add_j2kenc_quality_cases(Suite *suite);      // decibels
void add_j2kenc_refusal_cases(Suite *suite);      // what is wrong, at the start
void add_j2kenc_change_cases(Suite *suite);       // what changes while playing
void add_j2kenc_profile_cases(Suite *suite);      // what decoders for an application expect
void add_j2kenc_preset_cases(Suite *suite);       // settings handed on

}  // namespace test
