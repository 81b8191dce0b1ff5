// SPDX-License-Identifier: LGPL-2.1-or-later
// The test plugin links this file in place of the CUDA kernels: every <op>_cuda() runs its CPU back
// end in the simulated driver's streams and memory, as late as a kernel may run. (The encoder is in
// encoder_twin.cpp.)

#include <dlfcn.h>

#include "../../kernels/convolve/planes.h"
#include "../../kernels/rgb2yuv/rgb2yuv_job.h"
#include "../../kernels/uyvy2y/uyvy2y.h"
#include "fakecuda.h"
#include "twin.h"

namespace coalesce {

namespace twin {

namespace {

struct Driver {
  void *handle = nullptr;
  decltype(&fakecuda_launch) launch = nullptr;
  decltype(&fakecuda_check_access) check_access = nullptr;
};

// Only a driver that someone else has loaded counts, as for real kernels.
const Driver *driver() {
  static const Driver loaded = [] {
    Driver d;
    d.handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (d.handle == nullptr) return d;
    d.launch = reinterpret_cast<decltype(d.launch)>(dlsym(d.handle, "fakecuda_launch"));
    d.check_access =
        reinterpret_cast<decltype(d.check_access)>(dlsym(d.handle, "fakecuda_check_access"));
    return d;
  }();
  return loaded.launch != nullptr && loaded.check_access != nullptr ? &loaded : nullptr;
}

Status launch_failed() {
  return {StatusCode::device_error, "the kernel could not be launched"};
}

}  // namespace

void *driver_function(const char *name) {
  const Driver *d = driver();
  return d != nullptr ? dlsym(d->handle, name) : nullptr;
}

Status no_driver() {
  return {StatusCode::unsupported, "the simulated CUDA driver is not loaded"};
}

Status check_access(std::initializer_list<Bytes> planes) {
  const Driver *d = driver();
  if (d == nullptr) return no_driver();
  for (const Bytes &plane : planes) {
    if (plane.data == nullptr) continue;
    constexpr int illegal_address = 700;
    int error = d->check_access(plane.data, plane.row_bytes, plane.rows, plane.pitch);
    if (error == illegal_address)
      return {StatusCode::device_error, "an illegal memory access was encountered"};
    if (error != 0) return launch_failed();
  }
  return {};
}

Status enqueue(void *stream, void (*fn)(void *), void *arg, void (*free_arg)(void *)) {
  const Driver *d = driver();
  if (d == nullptr) {
    free_arg(arg);
    return no_driver();
  }
  constexpr int out_of_memory = 2, no_kernel_image = 209;
  const int error = d->launch(static_cast<CUstream_st *>(stream), fn, arg, free_arg);
  if (error == out_of_memory) return {StatusCode::out_of_memory, "out of memory"};
  if (error == no_kernel_image)
    return {
        StatusCode::unsupported,
        "the CUDA kernels were not built for this GPU; -Dcuda-archs=portable builds them for all"};
  return error != 0 ? launch_failed() : Status();
}

}  // namespace twin

namespace {

bool same(const Filter::Offsets &a, const Filter::Offsets &b) {
  return a.before == b.before && a.after == b.after;
}

// Kernels would take from a cache what they had made of the filter before.
bool is_of(ArgumentCache *cache, const Filter &f) {
  if (cache == nullptr) return true;
  const auto &made = cache->get<Filter>(0, [&] { return f; });
  return made.width == f.width && made.height == f.height && made.left == f.left &&
         made.above == f.above && made.weights == f.weights && made.across == f.across &&
         made.down == f.down && made.divisor == f.divisor && made.absolute == f.absolute &&
         same(made.level, f.level) && same(made.chroma, f.chroma) &&
         made.depth.bits == f.depth.bits && made.depth.shift == f.depth.shift;
}

}  // namespace

Status convolve_cuda(const ConvolveParams &params, const ConvolvePlanes &image,
                     ConvolveAlgorithm algorithm, void *stream) {
  for (int i = 0; i < image.planes; ++i)
    if (Status s = twin::check_access({image.plane[i].in, image.plane[i].out}); !s.ok()) return s;
  if (!is_of(params.cache, *params.filter))
    return {StatusCode::device_error, "convolve: the cache is that of another filter"};
  // The filter is the caller's, and may go when this call returns.
  return twin::launch(stream, [params, filter = *params.filter, image, algorithm] {
    ConvolveParams own = params;
    own.filter = &filter;
    (void)convolve_cpu(own, image, algorithm, nullptr);
  });
}

Status rgb2yuv_cuda(const Rgb2yuvJob &job, void *stream) {
  const RgbPlanes &in = job.in;
  const YuvPlanes &out = job.out;
  if (Status s = twin::check_access(
          {in.plane[0], in.plane[1], in.plane[2], out.plane[0], out.plane[1], out.plane[2]});
      !s.ok())
    return s;
  return twin::launch(stream, [=] { (void)rgb2yuv_cpu(job, nullptr); });
}

Status uyvy2y_cuda(const ConstImage &in, const Image &out, void *stream) {
  if (Status s = twin::check_access({in.plane[0], out.plane[0], out.plane[1], out.plane[2]});
      !s.ok())
    return s;
  return twin::launch(stream, [=] { (void)uyvy2y_cpu(in, out, nullptr); });
}

}  // namespace coalesce
