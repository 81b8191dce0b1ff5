// SPDX-License-Identifier: LGPL-2.1-or-later
// Calibrations: any text is refused with an error that says where, or has maps that lead anywhere
// but out of the memory of a picture. The same text as matrices of cameras is refused as well, or
// has those of cameras.
#include <algorithm>
#include <vector>

#include "fuzz.h"
#include "multiview/cameras.h"
#include "multiview/multiview.h"
#include "picture/formats.h"
#include "remap/calibration.h"

namespace coalesce::test {
namespace {

// "line 7: ..." or "there is no M1..."
bool names_its_place(const std::string &error) {
  int line = 0;
  return (std::sscanf(error.c_str(), "line %d: ", &line) == 1 && line >= 1) ||
         error.rfind("there is no ", 0) == 0;
}

bool is_readable(const std::string &text) {
  return text.size() < 300 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void apply(const RectifiedCamera &camera) {
  constexpr int kWidth = 9, kHeight = 5;
  std::vector<MapPoint> points(kWidth * kHeight);
  std::vector<std::uint16_t> fractions(kWidth * kHeight);
  make_map(camera, {points.data(), kWidth, kHeight, 4 * kWidth},
           {fractions.data(), kWidth, kHeight, 2 * kWidth});
  for (std::uint16_t fraction : fractions)
    DEMAND(fraction < 1024, "%d", fraction);
  // 255 in, so that no sum of weights is more than one.
  const std::vector<std::uint8_t> in(kWidth * kHeight, 255);
  std::vector<std::uint8_t> out(kWidth * kHeight);
  const PixelFormat grey = pixel_format("GRAY8");
  const Status status =
      remap({{points.data(), kWidth, kHeight, 4 * kWidth},
             {fractions.data(), kWidth, kHeight, 2 * kWidth}},
            {grey, kWidth, kHeight, false, {{in.data(), kWidth, kHeight, kWidth}}},
            {grey, kWidth, kHeight, false, {{out.data(), kWidth, kHeight, kWidth}}}, Queue::cpu());
  DEMAND(status.ok(), "%s", status.message());
}

void read_cameras(std::string_view text) {
  std::vector<CameraMatrix> cameras;
  std::string error;
  if (!parse_cameras(text, &cameras, &error))
    DEMAND(is_readable(error) && names_its_place(error) && cameras.empty(), "%s", error.c_str());
  for (const CameraMatrix &camera : cameras)
    DEMAND(is_camera_matrix(camera.at), "line %d", camera.line);
}

}  // namespace
}  // namespace coalesce::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace coalesce;
  using namespace coalesce::test;
  // Memory of its own, with nothing behind the last byte.
  const std::vector<char> text(data, data + size);
  read_cameras({text.data(), text.size()});
  StereoCalibration calibration;
  std::string error;
  if (!parse_stereo_calibration({text.data(), text.size()}, &calibration, &error)) {
    DEMAND(is_readable(error) && names_its_place(error), "%s", error.c_str());
    return 0;
  }
  DEMAND(calibration.focal_length() > 0 && calibration.baseline() >= 0, "%g and %g",
         calibration.focal_length(), calibration.baseline());
  for (const RectifiedCamera &camera : calibration.camera)
    apply(camera);
  return 0;
}
