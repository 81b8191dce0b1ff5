// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section multiview, in the plainest words: every window of every candidate.
#pragma once

#include "multiview/multiview.h"

namespace coalesce::test {

// Every sample of every row.
void multiview_reference(const MultiviewParams &params, const MultiviewView *views, int count,
                         int reference, const Image &depth, const Image *confidence);

}  // namespace coalesce::test
