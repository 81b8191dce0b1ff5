// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of the CPU back end.
#pragma once

#include "scratch.h"

namespace coalesce {

// Samples as bytes or census transforms.
void prepare_stereo_samples(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool);
// Of ncc: sums of windows.
void prepare_ncc_windows(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool);

// The best candidates of both pictures' pixels: by windows, by paths.
void find_by_windows(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool);
void find_by_paths(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool);

}  // namespace coalesce
