// SPDX-License-Identifier: LGPL-2.1-or-later
#include <functional>

#include "../picture.h"
#include "picture/formats.h"
#include "telecine_reference.h"

namespace coalesce::test {
namespace {

struct Call {
  ConstImage before, current;
};
using Measure = std::function<Status(Call call, Combing *parts, const Queue &queue)>;

Status measure(const Call &call, Combing *parts, const Queue &queue) {
  return measure_combing(call.before, call.current, parts, queue);
}

struct Size {
  int width, height;
};

// Without a group of rows, with one; parts without groups and with several; blocks of columns.
const Size kSizes[] = {{1, 1},   {5, 3},   {3, 4},   {4, 5},   {383, 6},  {385, 7},
                       {511, 8}, {513, 9}, {2, 258}, {3, 259}, {1025, 4}, {17, 600}};

Size choose_size(Random &random, int index) {
  if (index < static_cast<int>(std::size(kSizes))) return kSizes[index];
  return {random.between(1, random.pick({12, 40, 900})),
          random.between(1, random.pick({14, 72, 300}))};
}

// Both frames mostly of two levels, so that rows comb.
std::string trial(const Measure &operation, bool roomy, Random &random, int index,
                  const Backend &backend) {
  const auto all = named_formats();
  const Size size = choose_size(random, index);
  const PictureShape shape = {all[static_cast<std::size_t>(index * 31) % all.size()].name,
                              size.width, size.height, true};
  const LayoutOptions layout = {false, roomy};
  const Pattern pattern = random_pattern(random);
  InputPicture before(shape, layout, pattern, random);
  InputPicture current(shape, layout, random.below(3) == 0 ? random_pattern(random) : pattern,
                       random);
  OutputPicture parts({"GRAY8", kCombingParts * static_cast<int>(sizeof(Combing)), 1},
                      {true, roomy}, random);
  const std::string what = std::string(name(pattern)) + before.text() + current.text();
  set_doing(what);
  const auto parts_of = [](const Image &image) {
    return reinterpret_cast<Combing *>(image.plane[0].data);
  };
  combing_reference(before.image(), current.image(), parts_of(parts.expected()));
  const Status status = operation({before.given(backend), current.given(backend)},
                                  parts_of(parts.given(backend)), backend.queue());
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + what;
  if (backend.cuda) device_synchronize();
  for (const std::string &difference :
       {parts.difference(backend), before.difference(backend), current.difference(backend)})
    if (!difference.empty()) return difference + "\n    " + what;
  return {};
}

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, void (*spoil)(Call *call)) {
  const auto broken = [spoil](Call call, Combing *parts, const Queue &queue) {
    spoil(&call);
    return measure(call, parts, queue);
  };
  return {name, false, [broken](Random &random, int index, const Backend &backend) {
            return trial(broken, true, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("telecine, is a row too low",
          [](Call *c) {
            for (ConstImage *frame : {&c->before, &c->current})
              for (Plane<const std::uint8_t> &plane : frame->plane)
                if (frame->height > 1) plane.data += plane.pitch;
          }),
      bug("telecine, forgets the frame before", [](Call *c) { c->before = c->current; }),
      bug("telecine, swaps the frames", [](Call *c) { std::swap(c->before, c->current); }),
      bug("telecine, ignores the pitch",
          [](Call *c) {
            c->current.plane[0].pitch = static_cast<std::size_t>(c->current.plane[0].width);
          }),
  };
}

}  // namespace

Case telecine_case() {
  return {"telecine", 2 * static_cast<int>(named_formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(measure, false, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
