// SPDX-License-Identifier: LGPL-2.1-or-later
// In place of sparse.cu where nothing is compiled for compute capability 9.0: no kernel there.
#include "../kernels.h"

namespace coalesce {

bool sparse_takes(const ConvolveParams &, const ConvolvePlane &) {
  return false;
}

Status launch_sparse(const ConvolveParams &, const ConvolvePlane &, cudaStream_t) {
  return {StatusCode::unsupported, "convolve: no kernels for sparse tensor cores in this build"};
}

}  // namespace coalesce
