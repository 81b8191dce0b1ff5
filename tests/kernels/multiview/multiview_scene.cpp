// SPDX-License-Identifier: LGPL-2.1-or-later
#include "multiview_scene.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../../support/random.h"

namespace coalesce::test {
namespace {

struct Vector3 {
  double x, y, z;
};
Vector3 operator+(Vector3 a, Vector3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector3 operator*(double s, Vector3 a) {
  return {s * a.x, s * a.y, s * a.z};
}
double dot(Vector3 a, Vector3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// A number from 0 to 1 for each point of a lattice.
double lattice(int x, int y, int which) {
  return static_cast<double>(Random(static_cast<std::uint64_t>(x + 100000) * 1000003 +
                                    static_cast<std::uint64_t>(y + 100000) * 10007 +
                                    static_cast<std::uint64_t>(which))
                                 .bits() >>
                             40) /
         16777216.0;
}

double smooth_noise(double x, double y, int which) {
  const auto i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y));
  const double a = x - i, b = y - j;
  const double s = a * a * (3 - 2 * a), t = b * b * (3 - 2 * b);
  return (lattice(i, j, which) * (1 - s) + lattice(i + 1, j, which) * s) * (1 - t) +
         (lattice(i, j + 1, which) * (1 - s) + lattice(i + 1, j + 1, which) * s) * t;
}

// Of points of a surface, in millimetres. pixel: about the size of one there.
double texture(double x, double y, double pixel, int which) {
  double sum = 0;
  for (int octave = 0; octave < 4; ++octave) {
    const double size = pixel * 3 * (1 << octave);
    sum += smooth_noise(x / size, y / size, 10 * which + octave);
  }
  return 20 + 215 * sum / 4;
}

struct Hit {
  double distance = 1e30;  // in lengths of the ray's direction
  double brightness = 0;
};

constexpr double kFocal = 0.9;  // times the width

class Surfaces {
 public:
  explicit Surfaces(int width) : pixel_(3000 / (kFocal * width)) {}

  Hit hit(Vector3 from, Vector3 along) const {
    Hit best;
    // point . normal = at; panels are as large as `half` on either side of their middle.
    hit_plane(from, along, {0.25, 0.1, 1}, 4000, {0, 0, 4000}, 1e9, 1, &best);
    hit_plane(from, along, {-0.3, 0, 1}, 2900, {-700, -250, 2690}, 450, 2, &best);
    hit_plane(from, along, {0, 0.4, 1}, 3300, {350, 600, 3060}, 380, 3, &best);
    hit_sphere(from, along, {550, -250, 2600}, 480, &best);
    return best;
  }

 private:
  void hit_plane(Vector3 from, Vector3 along, Vector3 normal, double at, Vector3 middle,
                 double half, int which, Hit *best) const {
    const double distance = (at - dot(from, normal)) / dot(along, normal);
    const Vector3 point = from + distance * along;
    if (distance <= 0 || distance >= best->distance || std::abs(point.x - middle.x) > half ||
        std::abs(point.y - middle.y) > half)
      return;
    *best = {distance, texture(point.x, point.y, pixel_, which)};
  }
  void hit_sphere(Vector3 from, Vector3 along, Vector3 middle, double radius, Hit *best) const {
    const Vector3 to = from + -1.0 * middle;
    const double a = dot(along, along), b = dot(along, to), c = dot(to, to) - radius * radius;
    const double root = b * b - a * c;
    if (root < 0) return;
    const double distance = (-b - std::sqrt(root)) / a;
    if (distance <= 0 || distance >= best->distance) return;
    const Vector3 point = to + distance * along;
    *best = {distance, texture(point.x, point.y, pixel_, 4)};
  }

  double pixel_;
};

struct Camera {
  Vector3 at;
  double turned;  // about the y axis
  double focal, x, y;

  Vector3 direction(int px, int py) const {
    const double u = (px - x) / focal, v = (py - y) / focal;
    return {std::cos(turned) * u + std::sin(turned), v, -std::sin(turned) * u + std::cos(turned)};
  }
  // In pixels, and the depth.
  Vector3 project(Vector3 point) const {
    const Vector3 to = point + -1.0 * at;
    const double a = std::cos(turned) * to.x - std::sin(turned) * to.z;
    const double c = std::sin(turned) * to.x + std::cos(turned) * to.z;
    return {focal * a / c + x, focal * to.y / c + y, c};
  }
  void write_matrix(double (&m)[3][4]) const {
    const Vector3 rows[3] = {{std::cos(turned), 0, -std::sin(turned)},
                             {0, 1, 0},
                             {std::sin(turned), 0, std::cos(turned)}};
    const Vector3 k[3] = {focal * rows[0] + x * rows[2], focal * rows[1] + y * rows[2], rows[2]};
    for (int i = 0; i < 3; ++i) {
      m[i][0] = k[i].x, m[i][1] = k[i].y, m[i][2] = k[i].z;
      m[i][3] = -dot(k[i], at);
    }
  }
};

Camera camera_of(int i, int views, int width, int height) {
  Camera camera = {{0, 0, 0}, 0, kFocal * width, (width - 1) / 2.0, (height - 1) / 2.0};
  if (i == 0) return camera;
  const double angle = 2 * 3.14159265358979 * (i - 1) / (views - 1) + 0.4;
  camera.at = {260 * std::cos(angle), 180 * std::sin(angle), 20.0 * (i % 3 - 1)};
  camera.turned = -camera.at.x / 3500;  // to the middle of the scene
  return camera;
}

// About normal.
double normal_noise(Random &random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i)
    sum += static_cast<double>(random.bits() >> 40) / 16777216.0;
  return sum - 6;
}

}  // namespace

MultiviewScene::MultiviewScene(int width_of, int height_of, int count, double noise)
    : width(width_of), height(height_of), views(static_cast<std::size_t>(count)) {
  const Surfaces surfaces(width);
  Random random(7);
  std::vector<Camera> cameras;
  for (int i = 0; i < count; ++i) {
    View &view = views[static_cast<std::size_t>(i)];
    cameras.push_back(camera_of(i, count, width, height));
    const Camera &camera = cameras.back();
    camera.write_matrix(view.matrix);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const Hit hit = surfaces.hit(camera.at, camera.direction(x, y));
        const double v = hit.brightness + (noise > 0 ? noise * normal_noise(random) : 0.0);
        view.picture.push_back(static_cast<std::uint8_t>(std::clamp(v + 0.5, 0.0, 255.0)));
        if (i == 0) depth.push_back(static_cast<float>(hit.distance));  // z of its directions is 1
      }
  }
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Vector3 point = depth[seen.size()] * cameras[0].direction(x, y);
      int by = 0;
      for (std::size_t i = 1; i < cameras.size(); ++i) {
        const Vector3 at = cameras[i].project(point);
        if (at.x < 0 || at.y < 0 || at.x > width - 1 || at.y > height - 1) continue;
        const Vector3 along = point + -1.0 * cameras[i].at;
        by += surfaces.hit(cameras[i].at, along).distance > 0.999 ? 1 : 0;
      }
      seen.push_back(static_cast<std::uint8_t>(by));
    }
}

MultiviewErrors multiview_errors(const MultiviewScene &scene, const std::vector<float> &depths,
                                 const MultiviewParams &params, double off) {
  const double step = (1 / params.nearest - 1 / params.farthest) / (params.depths - 1);
  MultiviewErrors errors;
  double all = 0, known = 0, bad = 0, sum = 0, seen = 0, missed = 0;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    if (scene.depth[i] <= 0) continue;
    all += 1;
    const bool is_known = depths[i] > 0;
    const double error = is_known ? std::abs(1.0 / static_cast<double>(depths[i]) -
                                             1.0 / static_cast<double>(scene.depth[i])) /
                                        step
                                  : 1e9;
    if (is_known) known += 1;
    if (is_known && error > off) bad += 1;
    if (error <= off) sum += error;
    if (scene.seen[i] < params.min_count) continue;
    seen += 1;
    if (error > off) missed += 1;
  }
  errors.known = known / std::max(all, 1.0);
  errors.bad = bad / std::max(known, 1.0);
  errors.missed = missed / std::max(seen, 1.0);
  errors.error = sum / std::max(known - bad, 1.0);
  return errors;
}

}  // namespace coalesce::test
