// SPDX-License-Identifier: LGPL-2.1-or-later
// Named by a prototype in libgstcuda's headers that we never call; see cuda.h.
#pragma once

#include "cuda.h"

typedef enum { CU_GL_DEVICE_LIST_ALL = 1 } CUGLDeviceList;
