// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scene_folder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "multiview/cameras.h"
#include "tests/kernels/j2k/encoder/j2k_plain_picture.h"

namespace coalesce::test {
namespace {

using Row = double[4];

double determinant(const double (&a)[3], const double (&b)[3], const double (&c)[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

class Camera {
 public:
  explicit Camera(const Row (&matrix)[3]) {
    for (int c = 0; c < 4; ++c)
      for (int r = 0; r < 3; ++r)
        columns_[c][r] = matrix[r][c];
    det_ = determinant(columns_[0], columns_[1], columns_[2]);
    const double length = std::hypot(matrix[2][0], matrix[2][1], matrix[2][2]);
    scale_ = det_ < 0 ? -length : length;
  }
  // The point of a pixel with its depth, by Cramer's rule.
  void point(double x, double y, double depth, double (&to)[3]) const {
    const double s = depth * scale_;
    const double b[3] = {s * x - columns_[3][0], s * y - columns_[3][1], s - columns_[3][2]};
    to[0] = determinant(b, columns_[1], columns_[2]) / det_;
    to[1] = determinant(columns_[0], b, columns_[2]) / det_;
    to[2] = determinant(columns_[0], columns_[1], b) / det_;
  }
  // The pixel of a point, and its depth.
  void project(const double (&point)[3], double (&to)[3]) const {
    for (int r = 0; r < 3; ++r)
      to[r] = columns_[0][r] * point[0] + columns_[1][r] * point[1] + columns_[2][r] * point[2] +
              columns_[3][r];
    to[0] /= to[2], to[1] /= to[2], to[2] /= scale_;
  }

 private:
  double columns_[4][3];
  double det_, scale_;
};

std::string read_file(const std::string &name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Adds 1 to the `seen` of each pixel of view 0 that this camera sees, too.
void see(const Camera &from, const Camera &to, double apart, MultiviewScene *scene) {
  struct Seen {
    std::size_t pixel, at;
    double inverse;
  };
  std::vector<Seen> points;
  std::vector<double> nearest(scene->depth.size());  // of what the camera sees there; inverse
  const auto width = static_cast<std::size_t>(scene->width);
  for (std::size_t i = 0; i < scene->depth.size(); ++i) {
    if (scene->depth[i] <= 0) continue;
    double point[3], pixel[3];
    from.point(static_cast<double>(i % width), static_cast<double>(i / width),
               static_cast<double>(scene->depth[i]), point);
    to.project(point, pixel);
    if (!(pixel[2] > 0 && pixel[0] >= 0 && pixel[1] >= 0 && pixel[0] <= scene->width - 1 &&
          pixel[1] <= scene->height - 1))
      continue;
    const std::size_t at = static_cast<std::size_t>(std::lround(pixel[1])) * width +
                           static_cast<std::size_t>(std::lround(pixel[0]));
    points.push_back({i, at, 1 / pixel[2]});
    nearest[at] = std::max(nearest[at], 1 / pixel[2]);
  }
  for (const Seen &point : points)
    if (point.inverse >= nearest[point.at] - apart) ++scene->seen[point.pixel];
}

}  // namespace

MultiviewScene read_scene(const std::string &folder, int count, double apart) {
  MultiviewScene scene;
  std::vector<CameraMatrix> matrices;
  std::string error;
  if (!parse_cameras(read_file(folder + "/cameras.txt"), &matrices, &error))
    throw std::runtime_error(folder + "/cameras.txt, " + error);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    MultiviewScene::View view;
    const std::string name = folder + "/view" + std::to_string(i) + ".pgm";
    if (!std::filesystem::exists(name)) break;
    const PlainPicture from = read_pnm(name.c_str());
    if (from.components != 1 || from.width < 1 || from.height < 1 ||
        from.width > kMaxMultiviewSize || from.height > kMaxMultiviewSize)
      throw std::runtime_error(name + " is no PGM of 8 bits, or is too short");
    view.picture = from.samples;
    if (i == 0) scene.width = from.width, scene.height = from.height;
    if (from.width != scene.width || from.height != scene.height)
      throw std::runtime_error(name + " has another size than view0.pgm");
    if (i >= matrices.size()) throw std::runtime_error(name + " has no matrix in cameras.txt");
    std::memcpy(view.matrix, matrices[i].at, sizeof view.matrix);
    scene.views.push_back(view);
  }
  if (scene.views.size() < 2) throw std::runtime_error(folder + " has no view0.pgm and view1.pgm");
  const std::string depths = read_file(folder + "/depths.raw");
  scene.depth.resize(scene.views[0].picture.size());
  if (depths.size() != 4 * scene.depth.size())
    throw std::runtime_error(folder + "/depths.raw does not have 4 bytes for each pixel");
  std::memcpy(scene.depth.data(), depths.data(), depths.size());
  scene.seen.resize(scene.depth.size());
  const Camera reference(scene.views[0].matrix);
  for (std::size_t i = 1; i < scene.views.size(); ++i)
    see(reference, Camera(scene.views[i].matrix), apart, &scene);
  return scene;
}

}  // namespace coalesce::test
