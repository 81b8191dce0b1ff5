// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures with known depths, from files.
#pragma once

#include <string>

#include "tests/kernels/multiview/multiview_scene.h"

namespace coalesce::test {

// From a folder with view0.pgm, view1.pgm and so on, of 8 bits; cameras.txt, as the element has it;
// and depths.raw: those of view0.pgm as float32, as the element writes them, 0 where nobody knows.
// Of the views it reads `count`, or as many as there are. One sees a point unless a nearer one
// hides it, by more than `apart` in inverse depths. Throws std::runtime_error.
MultiviewScene read_scene(const std::string &folder, int count, double apart);

}  // namespace coalesce::test
