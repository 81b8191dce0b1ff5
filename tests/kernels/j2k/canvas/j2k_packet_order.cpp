// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_packet_order.h"

#include <algorithm>

namespace coalesce::test {
namespace {

using namespace j2k;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// One progression.
class Order {
 public:
  Order(const StreamProgression &progression, const CodingParams &params, const TileGeometry &tile,
        const VisitPacket &visit)
      : s_(progression), p_(params), tile_(tile), visit_(visit) {}

  void lrcp() const {
    for (int l = 0; l < s_.end_layer; ++l)
      for (int r = s_.first_resolution; r < s_.end_resolution; ++r)
        for (int c = s_.first_component; c < s_.end_component; ++c)
          for (int k = 0; k < precincts(c, r); ++k)
            visit_(c, r, k, l);
  }
  void rlcp() const {
    for (int r = s_.first_resolution; r < s_.end_resolution; ++r)
      for (int l = 0; l < s_.end_layer; ++l)
        for (int c = s_.first_component; c < s_.end_component; ++c)
          for (int k = 0; k < precincts(c, r); ++k)
            visit_(c, r, k, l);
  }
  void rpcl() const {
    for (int r = s_.first_resolution; r < s_.end_resolution; ++r)
      for (int y = tile_.rect.y0; y < tile_.rect.y1; ++y)
        for (int x = tile_.rect.x0; x < tile_.rect.x1; ++x)
          for (int c = s_.first_component; c < s_.end_component; ++c)
            at(c, r, x, y);
  }
  void pcrl() const {
    for (int y = tile_.rect.y0; y < tile_.rect.y1; ++y)
      for (int x = tile_.rect.x0; x < tile_.rect.x1; ++x)
        for (int c = s_.first_component; c < s_.end_component; ++c)
          for (int r = s_.first_resolution; r < s_.end_resolution; ++r)
            at(c, r, x, y);
  }
  void cprl() const {
    for (int c = s_.first_component; c < s_.end_component; ++c)
      for (int y = tile_.rect.y0; y < tile_.rect.y1; ++y)
        for (int x = tile_.rect.x0; x < tile_.rect.x1; ++x)
          for (int r = s_.first_resolution; r < s_.end_resolution; ++r)
            at(c, r, x, y);
  }

 private:
  int precincts(int c, int r) const { return tile_.resolution(c, r).num_precincts(); }

  // "If ((y divisible by ...) OR ((y = ty0) AND (try0 2^(NL - r) not divisible by ...)))", and the
  // same of x; then "for the next precinct, k, if one exists".
  void at(int c, int r, int x, int y) const {
    const Component &component = p_.component[static_cast<std::size_t>(c)];
    const PrecinctSize size = p_.precinct[static_cast<std::size_t>(r)];
    const int down = p_.levels - r;
    const Rect tr = tile_.resolution(c, r).rect;
    const auto begins = [&](int v, int step, int exponent, int tile0, int tr0) {
      const std::int64_t precinct = std::int64_t{1} << (exponent + down);
      return v % (step * precinct) == 0 ||
             (v == tile0 && (std::int64_t{tr0} << down) % precinct != 0);
    };
    if (precincts(c, r) == 0 || !begins(y, component.dy, size.y, tile_.rect.y0, tr.y0) ||
        !begins(x, component.dx, size.x, tile_.rect.x0, tr.x0))
      return;
    const auto index = [&](int v, int step, int exponent, int tr0) {
      const std::int64_t sample = ceil_div(v, std::int64_t{step} << down);
      return static_cast<int>((sample >> exponent) - (tr0 >> exponent));
    };
    const int k = index(x, component.dx, size.x, tr.x0) +
                  tile_.resolution(c, r).precincts_wide * index(y, component.dy, size.y, tr.y0);
    for (int l = 0; l < s_.end_layer; ++l)
      visit_(c, r, k, l);
  }

  const StreamProgression &s_;
  const CodingParams &p_;
  const TileGeometry &tile_;
  const VisitPacket &visit_;
};

}  // namespace

void for_packets(const Stream &stream, const TileGeometry &tile, const VisitPacket &visit) {
  void (Order::*const loops[])()
      const = {&Order::lrcp, &Order::rlcp, &Order::rpcl, &Order::pcrl, &Order::cprl};
  // B.12.2: what came in one progression does not come again.
  std::vector<int> layers(tile.precincts.size());
  const VisitPacket next = [&](int component, int resolution, int precinct, int layer) {
    const Resolution &r = tile.resolution(component, resolution);
    if (precinct >= r.num_precincts()) throw Malformed("a precinct that is not there");
    int &done = layers[static_cast<std::size_t>(r.first_precinct + precinct)];
    if (layer < done) return;
    done = layer + 1;
    visit(component, resolution, precinct, layer);
  };
  for (const StreamProgression &p : stream.progressions) {
    const Order order(p, stream.coding, tile, next);
    (order.*loops[p.order])();
  }
  const int all = stream.layers;
  if (!std::all_of(layers.begin(), layers.end(), [all](int done) { return done == all; }))
    throw Malformed("POC: packets that never come");
}

}  // namespace coalesce::test
