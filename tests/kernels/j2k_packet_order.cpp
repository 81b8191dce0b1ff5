// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_packet_order.h"

namespace coalesce::test {
namespace {

using namespace j2k;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

class Order {
 public:
  Order(const Stream &stream, const TileGeometry &tile, const VisitPacket &visit)
      : s_(stream), p_(stream.coding), tile_(tile), visit_(visit) {}

  void lrcp() const {
    for (int l = 0; l < s_.layers; ++l)
      for (int r = 0; r <= p_.levels; ++r)
        for (int c = 0; c < p_.num_components; ++c)
          for (int k = 0; k < precincts(c, r); ++k)
            visit_(c, r, k, l);
  }
  void rlcp() const {
    for (int r = 0; r <= p_.levels; ++r)
      for (int l = 0; l < s_.layers; ++l)
        for (int c = 0; c < p_.num_components; ++c)
          for (int k = 0; k < precincts(c, r); ++k)
            visit_(c, r, k, l);
  }
  void rpcl() const {
    for (int r = 0; r <= p_.levels; ++r)
      for (int y = tile_.rect.y0; y < tile_.rect.y1; ++y)
        for (int x = tile_.rect.x0; x < tile_.rect.x1; ++x)
          for (int c = 0; c < p_.num_components; ++c)
            at(c, r, x, y);
  }
  void pcrl() const {
    for (int y = tile_.rect.y0; y < tile_.rect.y1; ++y)
      for (int x = tile_.rect.x0; x < tile_.rect.x1; ++x)
        for (int c = 0; c < p_.num_components; ++c)
          for (int r = 0; r <= p_.levels; ++r)
            at(c, r, x, y);
  }
  void cprl() const {
    for (int c = 0; c < p_.num_components; ++c)
      for (int y = tile_.rect.y0; y < tile_.rect.y1; ++y)
        for (int x = tile_.rect.x0; x < tile_.rect.x1; ++x)
          for (int r = 0; r <= p_.levels; ++r)
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
    for (int l = 0; l < s_.layers; ++l)
      visit_(c, r, k, l);
  }

  const Stream &s_;
  const CodingParams &p_;
  const TileGeometry &tile_;
  const VisitPacket &visit_;
};

}  // namespace

void for_packets(const Stream &stream, const TileGeometry &tile, const VisitPacket &visit) {
  const Order order(stream, tile, visit);
  void (Order::*const loops[])()
      const = {&Order::lrcp, &Order::rlcp, &Order::rpcl, &Order::pcrl, &Order::cprl};
  (order.*loops[stream.order])();
}

}  // namespace coalesce::test
