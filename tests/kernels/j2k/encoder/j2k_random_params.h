// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "../../../support/random.h"
#include "j2k/params/encoder_params.h"

namespace coalesce::test {

// Any parameters that a picture of at most so many samples can have, or nearly.
j2k::EncoderParams random_params(Random &random, int at_most);

// For messages.
std::string describe(const j2k::EncoderParams &params);

}  // namespace coalesce::test
