// SPDX-License-Identifier: LGPL-2.1-or-later
// The headers of libgstcuda include <cuda.h> and <cudaGL.h>, which only a CUDA toolkit has. This is
// enough for them to compile.
#pragma once

#include "../driver_abi.h"

struct CUDA_RESOURCE_DESC;
struct CUDA_TEXTURE_DESC;
struct CUDA_RESOURCE_VIEW_DESC;
enum CUGLDeviceList { CU_GL_DEVICE_LIST_ALL = 1 };
enum CUgraphicsRegisterFlags { CU_GRAPHICS_REGISTER_FLAGS_NONE = 0 };
enum CUgraphicsMapResourceFlags { CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0 };
