// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section linedetect, "Mask".
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "../picture.h"
#include "line_mask_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Call {
  std::vector<Line> lines;
  LineCount count;
  int max_lines, thickness;
};

// ---- Trials -------------------------------------------------------------------------------------

Line random_line(int width, int height, Random &random) {
  const auto any = [&](int size) { return random.between(-2560, 256 * size + 2560); };
  Line line = {any(width), any(height), any(width), any(height), 256, 0};
  const int kind = random.below(8);
  if (kind == 0) line.x1 = line.x0;
  if (kind == 1) line.y1 = line.y0;
  if (kind == 2) line.x1 = line.x0, line.y1 = line.y0;
  if (kind == 3) line.x1 = line.x0 + (line.y1 - line.y0);  // both axes are equal
  if (kind == 4) line.x0 &= ~255, line.x1 |= 128;
  return line;
}

// Bytes in the memory of a back end, at least one, and none after them.
class Records {
 public:
  Records(const void *from, std::size_t bytes, const Backend &backend) {
    if (backend.cuda) {
      device_.emplace(std::max<std::size_t>(bytes, 4));
      if (bytes > 0) device_->upload(from);
    } else {
      host_.emplace(std::max<std::size_t>(bytes, 4), FencedMemory::Against::high);
      if (bytes > 0) std::memcpy(host_->data(), from, bytes);
    }
  }
  void *data() const { return device_ ? device_->data() : host_->data(); }

 private:
  std::optional<FencedMemory> host_;
  std::optional<DeviceMemory> device_;
};

using Spoil = void (*)(Call *call);

std::string trial(Spoil spoil, int least, Random &random, const Backend &backend) {
  const int width = random.between(least, random.pick({40, 300, 300}));
  const int height = random.between(least, random.pick({40, 150, 300}));
  OutputPicture out({"GRAY8", width, height}, {random.below(2) == 0, spoil != nullptr}, random);
  Call call = {{}, {}, random.pick({1, 5, 100, 16384}), random.between(1, random.pick({1, 3, 15}))};
  const int number = random.between(spoil != nullptr ? 3 : 0, 12);
  for (int i = 0; i < number; ++i)
    call.lines.push_back(random_line(width, height, random));
  if (spoil != nullptr) call.max_lines = 100;
  call.count = {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number)};
  const std::string what = std::to_string(number) + " lines, at most " +
                           std::to_string(call.max_lines) + ", thickness " +
                           std::to_string(call.thickness) + out.text();
  set_doing(what);
  const auto drawn =
      std::min<std::size_t>(call.count.lines, static_cast<std::size_t>(call.max_lines));
  line_mask_reference({call.lines.begin(), call.lines.begin() + static_cast<std::ptrdiff_t>(drawn)},
                      call.thickness, out.expected().plane[0]);
  if (spoil != nullptr) spoil(&call);
  const Records lines(call.lines.data(), call.lines.size() * sizeof(Line), backend);
  const Records count(&call.count, sizeof call.count, backend);
  const Status s = draw_line_mask(static_cast<const Line *>(lines.data()),
                                  static_cast<const LineCount *>(count.data()), call.max_lines,
                                  call.thickness, out.given(backend), backend.queue());
  if (!s.ok()) return std::string("it returned: ") + s.message() + "\n    " + what;
  if (backend.cuda) device_synchronize();
  const std::string difference = out.difference(backend);
  return difference.empty() ? "" : difference + "\n    " + what;
}

PlantedBug bug(const char *name, Spoil spoil) {
  return {name, false, [spoil](Random &random, int, const Backend &backend) {
            return trial(spoil, 40, random, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("line mask, a line less", [](Call *c) { --c->count.lines; }),
      bug("line mask, thicker by a pixel",
          [](Call *c) { c->thickness = c->thickness % kMaxLineThickness + 1; }),
      bug("line mask, ends are rounded to pixels",
          [](Call *c) {
            for (Line &line : c->lines)
              line.x0 = (line.x0 + 128) & ~255, line.y0 = (line.y0 + 128) & ~255;
          }),
      bug("line mask, half a pixel too low",
          [](Call *c) {
            for (Line &line : c->lines)
              line.y0 += 128, line.y1 += 128;
          }),
  };
}

}  // namespace

Case line_mask_case() {
  return {"line-mask", 120,
          [](Random &random, int, const Backend &backend) {
            return trial(nullptr, 1, random, backend);
          },
          planted};
}

}  // namespace coalesce::test
