// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../check.h"
#include "j2k_mq_frame.h"

namespace coalesce::test {

// Every coder makes of a random frame what PassCoder makes.
std::string j2k_mq_trial(const std::vector<MqCoder> &coders, Random &random, int index,
                         const Backend &backend);

}  // namespace coalesce::test
