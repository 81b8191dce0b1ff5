// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-libsgm: libSGM's semi-global matching, of the pictures and with the settings of
// bench-kernels. It checks the right picture, has a uniqueness and a median of 3x3, but no
// speckles.
#include <cuda_runtime.h>
#include <libsgm.h>

#include "bench/peers/peer.h"
#include "bench/stereo/noise_pair.h"

namespace {

using namespace coalesce;
using namespace coalesce::test;

// libSGM works on the default stream, which what is timed does not wait for by itself.
class Order {
 public:
  Order() {
    for (cudaEvent_t *event : {&before_, &after_})
      check(cudaEventCreateWithFlags(event, cudaEventDisableTiming) == cudaSuccess, "cudaEvent");
  }
  ~Order() {
    cudaEventDestroy(before_);
    cudaEventDestroy(after_);
  }
  Order(const Order &) = delete;
  Order &operator=(const Order &) = delete;

  void begin() const { wait(before_, stream_, cudaStreamLegacy); }
  void end() const { wait(after_, cudaStreamLegacy, stream_); }

 private:
  static void wait(cudaEvent_t event, cudaStream_t first, cudaStream_t second) {
    check(cudaEventRecord(event, first) == cudaSuccess &&
              cudaStreamWaitEvent(second, event, 0) == cudaSuccess,
          "cudaStreamWaitEvent");
  }

  const cudaStream_t stream_ = static_cast<cudaStream_t>(device_stream());
  cudaEvent_t before_, after_;
};

constexpr int kUnit = sgm::StereoSGM::SUBPIXEL_SCALE;

bool time(Bench *bench, FrameSize size, int disparities, int paths) {
  const std::string name = "stereo sgm, " + std::to_string(disparities) + " disparities, " +
                           std::to_string(paths) + " paths, libSGM";
  if (!bench->wants(name, size.width, size.height)) return true;
  const PixelFormat grey = pixel_format("GRAY8"), words = pixel_format("GRAY16_LE");
  const PictureBytes from = picture_bytes(grey, size), to = picture_bytes(words, size);
  const auto pixels_of = [](std::size_t row) { return static_cast<int>(padded(row)); };
  const std::size_t width = static_cast<std::size_t>(size.width);
  const sgm::StereoSGM::Parameters parameters(
      10, 96, 0.95F, true, paths == 4 ? sgm::PathType::SCAN_4PATH : sgm::PathType::SCAN_8PATH);
  sgm::StereoSGM matcher(size.width, size.height, disparities, 8, 16, pixels_of(width),
                         pixels_of(2 * width) / 2, sgm::EXECUTE_INOUT_CUDA2CUDA, parameters);
  FrameWork work = {name, size, 2 * from.all, to.all, 2 * from.useful + to.useful, false};
  work.content = noise_pair(size);
  const Order order;
  static const Backend backend = {"libsgm", nullptr, true};
  return time_right(
      bench, backend, work,
      [&](const std::uint8_t *in, std::uint8_t *out) {
        order.begin();
        matcher.execute(in, in + from.all, out);
        order.end();
        return cudaPeekAtLastError() == cudaSuccess
                   ? Status()
                   : Status(StatusCode::device_error, "libSGM reported an error");
      },
      // Most of the pixels whose disparity is one of the candidates are as they were made.
      [&](const DeviceMemory &, const DeviceMemory &out) {
        std::vector<std::uint8_t> bytes(out.size());
        out.download(bytes.data());
        const ImageOf<std::uint8_t> found = picture_at(bytes.data(), words, size);
        long right = 0, all = 0;
        for (int y = 0; y < size.height && noise_disparity(y) < disparities; ++y)
          for (int x = disparities; x < size.width; ++x, ++all) {
            const auto *row = found.plane[0].row(y) + 2 * x;
            right += (row[0] + 256 * row[1] + kUnit / 2) / kUnit == noise_disparity(y);
          }
        return right > all * 9 / 10;
      });
}

}  // namespace

int main(int argc, char **argv) {
  return run_peer("bench-libsgm", argc, argv, [](Bench *bench, Results *results) {
    results->set_library("libSGM", std::to_string(LIBSGM_VERSION_MAJOR) + "." +
                                       std::to_string(LIBSGM_VERSION_MINOR) + "." +
                                       std::to_string(LIBSGM_VERSION_PATCH));
    bool right = true;
    for (const FrameSize size : {FrameSize{1920, 1080}, FrameSize{640, 480}, FrameSize{3840, 2160}})
      for (int paths : {4, 8})
        for (int disparities : {64, 128, 256})
          right &= time(bench, size, disparities, paths);
    return right;
  });
}
