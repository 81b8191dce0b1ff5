// SPDX-License-Identifier: LGPL-2.1-or-later
#include <deque>

#include "../../image.h"
#include "../encoder/j2k_random_params.h"
#include "j2k/encoder/tile_transform.h"
#include "j2k/encoder/transform_tables.h"
#include "j2k/transform/cuda/transform_cuda.h"
#include "j2k/transform/roi.h"
#include "j2k_transform_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;

constexpr int kGuard = 128;  // bytes before and behind the coefficients

Status transform_on_cpu(const EncoderPlan &plan, const Samples *samples, std::int32_t *coefficients,
                        ThreadPool *pool) {
  TileTransform transform;
  if (Status s = transform.prepare(plan, pool); !s.ok()) return s;
  for (const TilePlan &tile : plan.tiles)
    if (Status s = transform.run(plan, tile, samples, coefficients, pool); !s.ok()) return s;
  return {};
}

// What scratch memory holds from before must not matter.
Status transform_on_device(const EncoderPlan &plan, const Samples *samples,
                           std::int32_t *coefficients) {
  const TransformPlan cuda = transform_plan(plan);
  DeviceMemory tiles(cuda.tiles.size() * sizeof(TransformTile));
  DeviceMemory scratch(std::max<std::size_t>(cuda.scratch_bytes, 1));
  tiles.upload(cuda.tiles.data());
  scratch.fill_random(1);
  const Status s = transform_cuda(cuda, reinterpret_cast<const TransformTile *>(tiles.data()),
                                  samples, coefficients, scratch.data(), device_stream());
  device_synchronize();
  return s;
}

// A picture of any parameters, somewhere on the reference grid; with a region of interest where
// there are bit-planes for it.
EncoderPlan random_plan(const J2kTransformTrialOptions &options, Random &random, int index,
                        const Backend &backend) {
  const int most = backend.cuda && index % 4 == 0 ? 640 * 357 : random.pick({300, 15000, 60000});
  EncoderParams params = random_params(random, most);
  CodingParams &coding = params.coding;
  if (options.lively) {
    coding.levels = random.between(2, 5);
    params.tile_parts = TileParts::one;  // (there may be more precincts)
  }
  if (random.below(6) == 0) {
    const int away = random.between(1, 1 << 30);
    params.roi = {};
    params.tile_parts = TileParts::one;
    coding.image = {coding.image.x0 + away, coding.image.y0 + away, coding.image.x1 + away,
                    coding.image.y1 + away};
    coding.tile_x0 += away;
    coding.tile_y0 += away;
    for (Component &component : coding.component)
      component.dx = component.dy = 1;
  }
  EncoderPlan plan;
  if (options.lively || random.below(4) == 0) {
    const Rect &image = coding.image;
    params.roi.x0 = random.between(image.x0, image.x1 - 1);
    params.roi.y0 = random.between(image.y0, image.y1 - 1);
    params.roi.x1 = random.between(params.roi.x0 + 1, image.x1);
    params.roi.y1 = random.between(params.roi.y0 + 1, image.y1);
    if (make_plan(params, &plan).ok()) return plan;
    params.roi = {};
  }
  const Status s = make_plan(params, &plan);
  require(s.ok(), s.message() + ("\n    " + describe(params)));
  return plan;
}

// The components in memory: each by itself, or some of the same size by turns in one plane.
struct Sources {
  std::deque<InputImage> images;
  int image[kMaxComponents];
  Samples samples[kMaxComponents];  // in host memory
  std::string text;

  Sources(const EncoderPlan &plan, Pattern pattern, Random &random);
  void point_to_device();

 private:
  void add_image(const Samples &s, Rect whole, Pattern pattern, Random &random);
};

Container random_container(int bits, Random &random) {
  Container c;
  do {
    c = random.pick({Container::u8, Container::u8, Container::u16, Container::u16, Container::u32,
                     Container::v210, Container::be10});
  } while (container_bits(c) < bits);
  return c;
}

void Sources::add_image(const Samples &s, Rect whole, Pattern pattern, Random &random) {
  const int containers = s.first + (s.x0 + whole.width() - 1) * s.step + s.step;
  const int row_bytes = s.container == Container::v210 ? 4 * ((containers + 2) / 3)
                        : s.container == Container::be10
                            ? 5 * ((containers + 3) / 4)
                            : container_bytes(s.container) * containers;
  const Layout layout = random_layout(random, row_bytes, s.y0 + whole.height(),
                                      {random.below(2) == 0, random.below(2) == 0});
  images.emplace_back(layout, pattern, random);
  text += "\n    " + layout.text();
}

Sources::Sources(const EncoderPlan &plan, Pattern pattern, Random &random) {
  const bool planar = random.below(2) == 0;
  for (int c = 0; c < plan.components(); ++c) {
    const Rect whole = component_rect(plan.params.coding, c);
    Samples &s = samples[c];
    s.bits =
        static_cast<std::uint8_t>(plan.params.coding.component[static_cast<std::size_t>(c)].bits);
    const Samples &before = samples[c == 0 ? 0 : c - 1];
    const bool same = c > 0 && whole.width() == component_rect(plan.params.coding, c - 1).width() &&
                      whole.height() == component_rect(plan.params.coding, c - 1).height();
    if (!planar && same && before.first + 1 < before.step &&
        before.shift + s.bits <= container_bits(before.container)) {
      const std::uint8_t bits = s.bits;
      s = before;
      s.bits = bits;
      ++s.first;
      image[c] = image[c - 1];
    } else {
      s.container = c > 0 && before.bits == s.bits && random.below(4) != 0
                        ? before.container
                        : random_container(s.bits, random);
      s.shift = static_cast<std::uint8_t>(random.below(container_bits(s.container) - s.bits + 1));
      s.step = planar ? 1 : random.between(1, 5);
      s.first = random.below(2) == 0 ? 0 : random.below(s.step);
      s.x0 = random.below(3) == 0 ? random.below(9) : 0;
      s.y0 = random.below(3) == 0 ? random.below(3) : 0;
      add_image(s, whole, pattern, random);
      image[c] = static_cast<int>(images.size()) - 1;
    }
    s.data = images[static_cast<std::size_t>(image[c])].image.plane().data;
    s.pitch = images[static_cast<std::size_t>(image[c])].image.plane().pitch;
    text += ", container " + std::to_string(static_cast<int>(s.container)) + " first " +
            std::to_string(s.first) + " step " + std::to_string(s.step) + " shift " +
            std::to_string(s.shift) + " x0 " + std::to_string(s.x0) + " y0 " + std::to_string(s.y0);
  }
}

void Sources::point_to_device() {
  for (InputImage &i : images)
    i.image.upload();
  for (int c = 0; c < kMaxComponents; ++c)
    if (samples[c].data != nullptr)
      samples[c].data = images[static_cast<std::size_t>(image[c])].image.device_plane().data;
}

// Names the first coefficient that differs, if one does.
std::string first_difference(const EncoderPlan &plan, const std::int32_t *expected,
                             const std::int32_t *got) {
  for (const TilePlan &tile : plan.tiles)
    for (int c = 0; c < plan.components(); ++c) {
      const Rect &rect = tile.geometry.components[static_cast<std::size_t>(c)].rect;
      for (int y = 0; y < rect.height(); ++y)
        for (int x = 0; x < rect.width(); ++x) {
          const std::size_t i = tile.plane[c].first +
                                static_cast<std::size_t>(y) * tile.plane[c].pitch +
                                static_cast<std::size_t>(x);
          if (expected[i] == got[i]) continue;
          char text[200];
          std::snprintf(text, sizeof text,
                        "tile %d, component %d (%d,%d-%d,%d), coefficient (%d, %d): %d, not %d",
                        tile.geometry.index, c, rect.x0, rect.y0, rect.x1, rect.y1, x, y, got[i],
                        expected[i]);
          return text;
        }
    }
  return {};
}

std::int32_t *coefficients(const Plane<std::uint8_t> &plane) {
  return reinterpret_cast<std::int32_t *>(plane.data);
}

}  // namespace

Status j2k_transform(const EncoderPlan &plan, const Samples *samples, std::int32_t *out,
                     const Backend &backend) {
  return backend.cuda ? transform_on_device(plan, samples, out)
                      : transform_on_cpu(plan, samples, out, backend.pool);
}

// The CPU is judged by the reference, CUDA by the CPU. What lies between rows is not written.
std::string j2k_transform_trial(const J2kTransform &operation,
                                const J2kTransformTrialOptions &options, Random &random, int index,
                                const Backend &backend) {
  const EncoderPlan plan = random_plan(options, random, index, backend);
  const Pattern pattern = options.lively ? Pattern::noise : random_pattern(random);
  Sources sources(plan, pattern, random);
  const std::string doing = describe(plan.params) + "\n    " + name(pattern) + sources.text;
  set_doing(doing);

  const int bytes = static_cast<int>(plan.coefficients * sizeof(std::int32_t));
  Layout layout;
  layout.row_bytes = bytes;
  layout.height = 1;
  layout.pitch = static_cast<std::size_t>(bytes);
  layout.before = layout.after = kGuard;
  OutputImage out(layout);
  std::int32_t *expected = coefficients(out.expected.plane());
  if (backend.cuda) {
    const Status s = transform_on_cpu(plan, sources.samples, expected, nullptr);
    require(s.ok(), s.message());
    out.actual.upload();
    sources.point_to_device();
  } else {
    j2k_transform_reference(plan, sources.samples, expected);
  }

  const Status status = operation(
      plan, sources.samples,
      coefficients(backend.cuda ? out.actual.device_plane() : out.actual.plane()), backend);
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + doing;
  if (backend.cuda) {
    out.actual.download();
    for (InputImage &i : sources.images)
      i.image.download();
  }
  std::string wrong = first_difference(plan, expected, coefficients(out.actual.plane()));
  if (wrong.empty()) wrong = out.difference();
  for (const InputImage &i : sources.images)
    if (wrong.empty() && !i.difference().empty()) wrong = "the input " + i.difference();
  return wrong.empty() ? wrong : wrong + "\n    " + doing;
}

Case j2k_transform_case() {
  return {"j2k-transform", 300,
          [](Random &random, int index, const Backend &backend) {
            return j2k_transform_trial(j2k_transform, {}, random, index, backend);
          },
          j2k_transform_planted};
}

}  // namespace coalesce::test
