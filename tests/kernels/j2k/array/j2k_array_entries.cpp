// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <memory>
#include <tuple>

#include "j2k/encoder/encoder.h"
#include "j2k_array.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;

constexpr int kThousand = 1000;
constexpr int kSmall = 211 * 127;  // samples

struct Place {
  bool profile;
  int row;
  bool large;
};

const J2kArray &array_of(const Place &place) {
  return place.profile ? j2k_profile_array() : j2k_array();
}

std::string text_of(const Place &place) {
  return (place.profile ? "profile row " : "row ") + std::to_string(place.row) + ": " +
         array_of(place).text(place.row);
}

const std::vector<Place> &places() {
  static const std::vector<Place> all = [] {
    std::vector<std::pair<double, Place>> sorted;
    for (const bool profile : {false, true}) {
      const J2kArray &array = profile ? j2k_profile_array() : j2k_array();
      for (int row = 0; row < array.size(); ++row) {
        const Rect image = array.at(row).coding.image;
        sorted.push_back({static_cast<double>(row) / array.size(),
                          {profile, row, image.width() * image.height() > kSmall}});
      }
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
      return std::tie(a.second.large, a.first) < std::tie(b.second.large, b.first);
    });
    std::vector<Place> places;
    for (const auto &[share, place] : sorted)
      places.push_back(place);
    return places;
  }();
  return all;
}

std::uint64_t sample_bytes(const CodingParams &p, int component) {
  const Rect rect = component_rect(p, component);
  return static_cast<std::uint64_t>(rect.width()) * static_cast<std::uint64_t>(rect.height()) *
         static_cast<std::uint64_t>(p.component[static_cast<std::size_t>(component)].bits) / 8;
}

// With nothing in any layer.
std::uint64_t least_bytes(EncoderParams params) {
  params.targets.assign(static_cast<std::size_t>(params.layers), {Kind::automatic, 0});
  params.targets.back() = {Kind::bytes, 1};
  params.component_bytes = 0;
  std::unique_ptr<Encoder> encoder;
  std::uint64_t least = 0;
  (void)Encoder::make(params, &encoder, &least);
  return least;
}

bool has_bytes(const EncoderParams &params) {
  const auto &targets = params.targets;
  return params.component_bytes > 0 ||
         std::any_of(targets.begin(), targets.end(),
                     [](const LayerBudget &target) { return target.kind == Kind::bytes; });
}

}  // namespace

// (Components may have more than a thousand bytes: those are a profile's, and stay.)
void resolve_bytes(EncoderParams *params) {
  if (!has_bytes(*params)) return;
  const std::uint64_t least = least_bytes(*params);
  std::uint64_t all = 0;
  for (int c = 0; c < params->coding.num_components; ++c)
    all += sample_bytes(params->coding, c);
  for (LayerBudget &target : params->targets)
    if (target.kind == Kind::bytes) target.value = least + all * target.value / kThousand;
  std::uint64_t &component = params->component_bytes;
  if (component > 0 && component <= kThousand)
    component = least + sample_bytes(params->coding, 0) * component / kThousand;
}

int j2k_entries() {
  return static_cast<int>(places().size());
}

int j2k_small_entries() {
  return static_cast<int>(std::count_if(places().begin(), places().end(),
                                        [](const Place &place) { return !place.large; }));
}

std::string j2k_entry_text(int index) {
  return text_of(places()[static_cast<std::size_t>(index)]);
}

J2kEntry j2k_entry(int index) {
  const Place &place = places()[static_cast<std::size_t>(index)];
  J2kEntry entry;
  entry.text = text_of(place);
  entry.params = array_of(place).at(place.row);
  const auto &targets = entry.params.targets;
  entry.whole = (targets.empty() || targets.back().kind == Kind::everything) &&
                entry.params.component_bytes == 0;
  resolve_bytes(&entry.params);
  Random random(static_cast<std::uint64_t>(index));
  entry.picture = picture(entry.params.coding, random);
  return entry;
}

}  // namespace coalesce::test
