// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "../picture.h"
#include "linedetect_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Call {
  LineParams params;
  ConstImage in, edges;
  Line *lines;
  LineCount *count;
};
using Operation = std::function<Status(const Call &call, const Queue &queue, void *scratch)>;

Status line_call(const Call &c, const Queue &queue, void *scratch) {
  return linedetect(c.params, c.in, c.edges, c.lines, c.count, queue, scratch);
}

std::vector<const char *> formats() {
  std::vector<const char *> names;
  for (const NamedFormat &each : named_formats())
    if (each.format.in_bytes()) names.push_back(each.name);
  return names;
}

// ---- Edges --------------------------------------------------------------------------------------

struct Size {
  int width, height;
};

class Drawing {
 public:
  Drawing(const Plane<std::uint8_t> &plane, Random &random) : plane_(plane), random_(random) {
    for (int y = 0; y < plane.height; ++y)
      std::fill_n(plane.row(y), plane.width, std::uint8_t{0});
  }

  void noise(int one_of) {
    for (int y = 0; y < plane_.height; ++y)
      for (int x = 0; x < plane_.width; ++x)
        if (random_.below(one_of) == 0) dot(x, y);
  }

  void line(int x0, int y0, int x1, int y1) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i)
      dot(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps);
  }

  // Lines, circles and rectangles, on a little noise.
  void scene() {
    for (int i = random_.between(1, 12); i > 0; --i) {
      const int x = any_x(), y = any_y();
      const int kind = random_.below(4);
      if (kind == 0) circle(x, y, random_.between(1, 60));
      if (kind == 1) rectangle(x, y, random_.between(1, 80), random_.between(1, 40));
      if (kind >= 2) line(x, y, any_x(), any_y());
    }
    if (random_.below(2) == 0) noise(random_.pick({20, 200, 2000}));
  }

  // From the upper left corner inwards, or with its ends joined: a loop there and back.
  void spiral(int pitch) {
    int left = 0, top = 0, right = plane_.width - 1, bottom = plane_.height - 1;
    int x = 0, y = 0;
    const auto to = [&](int nx, int ny) {
      line(x, y, nx, ny);
      x = nx, y = ny;
    };
    while (right - left >= pitch && bottom - top >= pitch) {
      to(right, y), top += pitch;
      to(x, bottom), right -= pitch;
      to(left, y), bottom -= pitch;
      if (bottom - top < pitch) break;
      to(x, top), left += pitch;
    }
  }

  // Two combs that are one loop.
  void meander(int pitch) {
    const int right = plane_.width - 1, bottom = plane_.height - 1;
    int x = 0;
    for (; x + 2 * pitch <= right; x += 2 * pitch) {
      line(x, 0, x, bottom - pitch);
      line(x, bottom - pitch, x + pitch, bottom - pitch);
      line(x + pitch, bottom - pitch, x + pitch, 0);
      line(x + pitch, 0, x + 2 * pitch, 0);
    }
    line(x, 0, x, bottom);
    line(x, bottom, 0, bottom);
    line(0, bottom, 0, bottom - pitch);
  }

  void stripes(int across, int down) {
    for (int y = 0; y < plane_.height; ++y)
      for (int x = 0; x < plane_.width; ++x)
        if ((x * across + y * down) % 4 == 0) dot(x, y);
  }

 private:
  int any_x() { return random_.between(-5, plane_.width + 5); }
  int any_y() { return random_.between(-5, plane_.height + 5); }

  void dot(int x, int y) {
    if (x < 0 || y < 0 || x >= plane_.width || y >= plane_.height) return;
    plane_.row(y)[x] = random_.pick({1, 128, 255});
  }

  void circle(int x, int y, int radius) {
    int px = x + radius, py = y;
    for (int i = 1; i <= 8 * radius; ++i) {
      const double angle = i * 3.14159265358979 / (4 * radius);
      const int nx = x + static_cast<int>(std::lround(radius * std::cos(angle)));
      const int ny = y + static_cast<int>(std::lround(radius * std::sin(angle)));
      line(px, py, nx, ny);
      px = nx, py = ny;
    }
  }

  void rectangle(int x, int y, int width, int height) {
    line(x, y, x + width, y), line(x + width, y, x + width, y + height);
    line(x + width, y + height, x, y + height), line(x, y + height, x, y);
  }

  const Plane<std::uint8_t> &plane_;
  Random &random_;
};

enum class Edges { scene, noise, spiral, meander, stripes, full, long_line, any };

const char *name(Edges kind) {
  static const char *const names[] = {"a scene", "noise", "a spiral",   "a meander",
                                      "stripes", "all",   "a long line"};
  return names[static_cast<int>(kind)];
}

void draw(Edges kind, InputImage *image, Random &random) {
  const Plane<std::uint8_t> plane = image->image.plane();
  Drawing drawing(plane, random);
  if (kind == Edges::scene) drawing.scene();
  if (kind == Edges::noise) drawing.noise(random.pick({1, 2, 3, 5, 10, 50}));
  if (kind == Edges::spiral) drawing.spiral(random.between(2, 6));
  if (kind == Edges::meander) drawing.meander(random.between(2, 6));
  if (kind == Edges::stripes) drawing.stripes(random.below(4), random.below(4));
  if (kind == Edges::full) drawing.noise(1);
  if (kind == Edges::long_line) {
    const int lean = random.below(plane.height);
    drawing.line(0, lean, plane.width - 1, plane.height - 1 - lean);
    if (random.below(2) == 0) drawing.noise(500);
  }
  std::copy_n(image->image.data(), image->image.size(), image->before.data());
}

// ---- Trials -------------------------------------------------------------------------------------

struct TrialOptions {
  Edges edges = Edges::any;
  const char *format = nullptr;  // any
  int least = 1;                 // pixels across and down
  bool roomy = false;
};

// Words and tiles of both back ends, their ends, and several of them.
const Size kSizes[] = {{1, 1},   {1, 40},   {5, 5},    {31, 29},  {32, 30},   {63, 64},  {64, 64},
                       {65, 66}, {127, 30}, {128, 65}, {129, 61}, {257, 91},  {3, 300},  {300, 3},
                       {511, 5}, {513, 33}, {70, 200}, {200, 70}, {256, 192}, {190, 131}};

Size random_size(Edges kind, int index, int least, Random &random) {
  const auto sizes = static_cast<int>(std::size(kSizes));
  Size size = random.below(3) != 0 ? kSizes[(index + index / sizes) % sizes]
                                   : Size{random.between(1, 300), random.between(1, 150)};
  if (kind == Edges::noise && random.below(2) == 0)  // across the tiles of thinning
    size = {random.between(500, 700), random.between(50, 130)};
  if (kind == Edges::long_line) size = {random.between(600, 2500), random.between(2, 60)};
  if (kind == Edges::spiral || kind == Edges::meander)
    size = {random.between(60, 260), random.between(60, 200)};
  return {std::max(size.width, least), std::max(size.height, least)};
}

LineParams random_params(Random &random) {
  LineParams params;
  params.tolerance = random.pick({0.0, 0.5, 1.0, 1.5, 2.0, 3.3, 16.0});
  params.min_length = random.pick({5, 5, 8, 12, 20, 40});
  params.max_lines = random.pick({1, 3, 20, 200, 1000, 5000});
  return params;
}

Layout record_layout(std::size_t bytes) {
  Layout layout;
  layout.row_bytes = static_cast<int>(bytes);
  layout.height = 1;
  layout.pitch = bytes;
  return layout;
}

std::string trial(const Operation &operation, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  static const std::vector<const char *> all = formats();
  const auto count = static_cast<int>(all.size());
  const Edges kind = options.edges != Edges::any
                         ? options.edges
                         : static_cast<Edges>(index % 10 < 7 ? index % 10 : 0);
  const Size size = random_size(kind, index, options.least, random);
  const PictureShape shape = {
      options.format != nullptr ? options.format : all[static_cast<std::size_t>(index % count)],
      size.width, size.height, random.below(4) == 0};
  const LayoutOptions layout = {random.below(2) == 0, options.roomy};
  const LineParams params = random_params(random);
  InputPicture in(shape, layout, Pattern::noise, random);
  InputImage edges(random_layout(random, size.width, size.height, layout), Pattern::low, random);
  draw(kind, &edges, random);
  const auto edges_at = [&](const Plane<std::uint8_t> &plane) {
    return ConstImage{pixel_format("GRAY8"), size.width, size.height, false, {plane}};
  };
  const FoundLines expected =
      linedetect_reference(params, in.image(), edges_at(edges.image.plane()));
  const std::string what =
      std::string(name(kind)) + ", tolerance " + std::to_string(params.tolerance) + ", from " +
      std::to_string(params.min_length) + " pixels on, at most " +
      std::to_string(params.max_lines) + " of " + std::to_string(expected.count.found) +
      " lines, longest chain " + std::to_string(expected.longest_chain) + in.text();
  set_doing(what);
  OutputImage lines(record_layout(sizeof(Line) * static_cast<std::size_t>(params.max_lines)));
  OutputImage counts(record_layout(sizeof(LineCount)));
  std::copy(expected.lines.begin(), expected.lines.end(),
            reinterpret_cast<Line *>(lines.expected.data()));
  std::memcpy(counts.expected.data(), &expected.count, sizeof expected.count);
  if (backend.cuda) edges.image.upload(), lines.actual.upload(), counts.actual.upload();
  const auto memory = [&](const OutputImage &of) {
    return backend.cuda ? of.actual.device_plane().data : of.actual.plane().data;
  };
  Scratch scratch(linedetect_scratch_bytes(size.width, size.height), backend);
  const Status s = operation(
      {params, in.given(backend),
       edges_at(backend.cuda ? edges.image.device_plane() : edges.image.plane()),
       reinterpret_cast<Line *>(memory(lines)), reinterpret_cast<LineCount *>(memory(counts))},
      backend.queue(), scratch.data());
  if (!s.ok()) return std::string("it returned: ") + s.message() + "\n    " + what;
  if (backend.cuda)
    device_synchronize(), edges.image.download(), lines.actual.download(), counts.actual.download();
  for (const std::string &difference :
       {counts.difference(), lines.difference(), in.difference(backend), edges.difference()})
    if (!difference.empty()) return difference + "\n    " + what;
  return {};
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, TrialOptions options, void (*spoil)(Call *call)) {
  options.roomy = true;
  const Operation broken = [spoil](Call call, const Queue &queue, void *scratch) {
    spoil(&call);
    return line_call(call, queue, scratch);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  const TrialOptions scene = {.edges = Edges::scene, .least = 120};
  return {
      bug("linedetect, ignores the pitch of edges", scene,
          [](Call *c) { c->edges.plane[0].pitch = static_cast<std::size_t>(c->edges.width); }),
      bug("linedetect, lines begin a pixel longer", scene, [](Call *c) { ++c->params.min_length; }),
      bug("linedetect, a line less", scene, [](Call *c) { --c->params.max_lines; }),
      bug("linedetect, the tolerance is a 16th more", {.edges = Edges::noise, .least = 120},
          [](Call *c) { c->params.tolerance += c->params.tolerance < 16 ? 1.0 / 16 : -1.0 / 16; }),
      bug("linedetect, edges are a column too far left", scene,
          [](Call *c) { ++c->edges.plane[0].data; }),
      bug("linedetect, looks at chroma", {.edges = Edges::scene, .format = "UYVY", .least = 120},
          [](Call *c) { c->in.format = pixel_format("YUY2"); }),
      bug("linedetect, forgets blue", {.edges = Edges::scene, .format = "GBR", .least = 120},
          [](Call *c) { c->in.plane[1] = c->in.plane[0]; }),
      bug("linedetect, the picture is a row too low",
          {.edges = Edges::scene, .format = "GRAY8", .least = 120},
          [](Call *c) { c->in.plane[0].data += c->in.plane[0].pitch; }),
  };
}

}  // namespace

Case linedetect_case() {
  return {"linedetect", 120,
          [](Random &random, int index, const Backend &backend) {
            return trial(line_call, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
