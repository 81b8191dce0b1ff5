// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks of small windows by networks of minima and maxima, for both back ends. V is a number or a
// vector of them, or has functions least() and most() of its own.
//
// Rows of the window are sorted, and merged to pairs. Rows and pairs serve all windows that they
// are in. What no rank depends on is not computed: compilers leave it out.
#pragma once

#include <cstddef>
#include <utility>

#include "../core/clones.h"
#include "../core/host_device.h"

// Inlined, the networks take a sanitizer's compiler a quarter of an hour.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(COALESCE_SANITIZED)
#define COALESCE_NETWORK [[gnu::always_inline]] inline
#define COALESCE_NETWORK_LAMBDA __attribute__((always_inline))
// (How vectors are passed depends on the target: all of this is inlined.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#else
#define COALESCE_NETWORK COALESCE_HOST_DEVICE
#define COALESCE_NETWORK_LAMBDA
#endif

namespace coalesce {

template <class V>
COALESCE_NETWORK V least(const V &a, const V &b) {
  return a < b ? a : b;
}
template <class V>
COALESCE_NETWORK V most(const V &a, const V &b) {
  return a > b ? a : b;
}

// The one that least() leaves. (A type of its own may have a better way.)
template <class V>
COALESCE_NETWORK V other(const V &a, const V &b) {
  return most(a, b);
}

template <class V>
COALESCE_NETWORK V least(const V &a, const V &b, const V &c) {
  return least(least(a, b), c);
}

// Ascending.
template <class V, int kCount>
struct Sorted {
  static constexpr int kSize = kCount;
  V at[kCount];
};
template <class V>
struct Sorted<V, 0> {};

// Elements kFirst, kFirst + kStep and so on.
template <int kFirst, int kStep, int kCount, class V, int kAll, std::size_t... i>
COALESCE_NETWORK Sorted<V, kCount> take(const Sorted<V, kAll> &from, std::index_sequence<i...>) {
  return {{from.at[kFirst + kStep * static_cast<int>(i)]...}};
}
template <int kFirst, int kStep, int kCount, class V, int kAll>
COALESCE_NETWORK Sorted<V, kCount> take(const Sorted<V, kAll> &from) {
  if constexpr (kCount == 0)
    return {};
  else
    return take<kFirst, kStep, kCount>(from, std::make_index_sequence<std::size_t{kCount}>());
}

// Element kPlace of the list that two interleaved lists make, whose neighbours are then ordered.
template <int kPlace, class V, int kOdd, int kEven>
COALESCE_NETWORK V joined(const Sorted<V, kOdd> &odd, const Sorted<V, kEven> &even) {
  constexpr int kPair = (kPlace - 1) / 2;
  if constexpr (kPlace == 0)
    return odd.at[0];
  else if constexpr (kPair >= kEven)
    return odd.at[kOdd - 1];
  else if constexpr (kPair + 1 >= kOdd)
    return even.at[kPair];
  else if constexpr (kPlace % 2 == 1)
    return least(even.at[kPair], odd.at[kPair + 1]);
  else
    return other(even.at[kPair], odd.at[kPair + 1]);
}
template <class V, int kOdd, int kEven, std::size_t... i>
COALESCE_NETWORK Sorted<V, kOdd + kEven> join(const Sorted<V, kOdd> &odd,
                                              const Sorted<V, kEven> &even,
                                              std::index_sequence<i...>) {
  return {{joined<static_cast<int>(i)>(odd, even)...}};
}

// Batcher's merge: elements of odd and of even places by themselves, then neighbours.
template <class V, int kA, int kB>
COALESCE_NETWORK Sorted<V, kA + kB> merge(const Sorted<V, kA> &a, const Sorted<V, kB> &b) {
  if constexpr (kA == 0) {
    return b;
  } else if constexpr (kB == 0) {
    return a;
  } else if constexpr (kA == 1 && kB == 1) {
    return {{least(a.at[0], b.at[0]), other(a.at[0], b.at[0])}};
  } else {
    const auto odd = merge(take<0, 2, (kA + 1) / 2>(a), take<0, 2, (kB + 1) / 2>(b));
    const auto even = merge(take<1, 2, kA / 2>(a), take<1, 2, kB / 2>(b));
    return join(odd, even, std::make_index_sequence<std::size_t{kA + kB}>());
  }
}

// (A type of its own may have a better way.)
template <class V>
COALESCE_NETWORK Sorted<V, 3> sort_three(const Sorted<V, 3> &a) {
  return merge(Sorted<V, 1>{{a.at[0]}}, merge(Sorted<V, 1>{{a.at[1]}}, Sorted<V, 1>{{a.at[2]}}));
}

template <class V, int kCount>
COALESCE_NETWORK Sorted<V, kCount> sort(const Sorted<V, kCount> &a) {
  if constexpr (kCount == 1)
    return a;
  else if constexpr (kCount == 3)
    return sort_three(a);
  else
    return merge(sort(take<0, 1, kCount / 2>(a)),
                 sort(take<kCount / 2, 1, kCount - kCount / 2>(a)));
}

// The largest of the first kFromA of one list and the first kFromB of the other.
template <int kFromA, int kFromB, class V, int kA, int kB>
COALESCE_NETWORK V largest(const Sorted<V, kA> &a, const Sorted<V, kB> &b) {
  if constexpr (kFromA == 0)
    return b.at[kFromB - 1];
  else if constexpr (kFromB == 0)
    return a.at[kFromA - 1];
  else
    return most(a.at[kFromA - 1], b.at[kFromB - 1]);
}

// Element kRank of the merged list: the least of what is the largest of the first i of one and the
// first kRank + 1 - i of the other.
template <int kRank, int kFromA, class V, int kA, int kB>
COALESCE_NETWORK V rank_of(const Sorted<V, kA> &a, const Sorted<V, kB> &b) {
  constexpr int kFromB = kRank + 1 - kFromA, kLast = kRank + 1 < kA ? kRank + 1 : kA;
  if constexpr (kFromB > kB)
    return rank_of<kRank, kFromA + 1>(a, b);
  else if constexpr (kFromA == kLast)
    return largest<kFromA, kFromB>(a, b);
  else if constexpr (kFromA + 1 == kLast)
    return least(largest<kFromA, kFromB>(a, b), largest<kLast, kFromB - 1>(a, b));
  else
    return least(largest<kFromA, kFromB>(a, b), largest<kFromA + 1, kFromB - 1>(a, b),
                 rank_of<kRank, kFromA + 2>(a, b));
}

// Rank kRank of windows of kSize rows and columns that are one below the other, four at a time.
//   load(y, x)    column x, 0 to kSize - 1, of row y, counted from the first row not yet loaded
//   put(y, value) of the y-th of four windows
template <int kSize, int kRank, class V>
class WindowColumn {
  static constexpr int kHalf = kSize / 2;
  using Row = Sorted<V, kSize>;
  using Pair = Sorted<V, 2 * kSize>;

 public:
  // The first kSize - 1 rows.
  template <class Load>
  COALESCE_NETWORK explicit WindowColumn(const Load &load) {
    start(load, std::make_index_sequence<std::size_t{kHalf}>(),
          std::make_index_sequence<std::size_t{kHalf - 1}>());
  }

  // Four rows more. Windows 0 and 1 have the rows 1 to kSize - 1 in common, windows 2 and 3 the
  // rows 3 to kSize + 1, and all of them the pairs in between.
  template <class Load, class Put>
  COALESCE_NETWORK void step(const Load &load, const Put &put) {
    const Row even = row(load, 0), odd = row(load, 1), next_even = row(load, 2);
    even_[kHalf] = even, even_[kHalf + 1] = next_even;
    pair_[kHalf - 1] = merge(odd_, even);
    pair_[kHalf] = merge(odd, next_even);
    odd_ = row(load, 3);
    if constexpr (kHalf == 1)
      put_two(pair_[0], pair_[1], odd, put);
    else if constexpr (kHalf == 2)
      put_two(merge(pair_[0], pair_[1]), merge(pair_[1], pair_[2]), odd, put);
    else if constexpr (kHalf == 3)
      put_shared(merge(pair_[1], pair_[2]), odd, put);
    else
      put_shared(merge(merge(pair_[1], pair_[2]), pair_[3]), odd, put);
    move(std::make_index_sequence<std::size_t{kHalf}>(),
         std::make_index_sequence<std::size_t{kHalf - 1}>());
  }

 private:
  template <class Load, std::size_t... x>
  COALESCE_NETWORK static Row row(const Load &load, int y, std::index_sequence<x...>) {
    return sort(Row{{load(y, static_cast<int>(x))...}});
  }
  template <class Load>
  COALESCE_NETWORK static Row row(const Load &load, int y) {
    return row(load, y, std::make_index_sequence<std::size_t{kSize}>());
  }

  template <class Load, std::size_t... i, std::size_t... j>
  COALESCE_NETWORK void start(const Load &load, std::index_sequence<i...>,
                              std::index_sequence<j...>) {
    ((even_[i] = row(load, 2 * static_cast<int>(i))), ...);
    ((pair_[j] = merge(row(load, 2 * static_cast<int>(j) + 1), even_[j + 1])), ...);
    odd_ = row(load, kSize - 2);
  }

  template <int kCount, class Put>
  COALESCE_NETWORK void put_shared(const Sorted<V, kCount> &middle, const Row &odd,
                                   const Put &put) const {
    put_two(merge(pair_[0], middle), merge(middle, pair_[kHalf]), odd, put);
  }
  // What windows 0 and 1, and 2 and 3, have in common; and the other row of each.
  template <int kCount, class Put>
  COALESCE_NETWORK void put_two(const Sorted<V, kCount> &first, const Sorted<V, kCount> &second,
                                const Row &odd, const Put &put) const {
    constexpr int kLeast = kRank > kSize ? kRank - kSize : 0;
    constexpr int kMost = kRank < kCount ? kRank : kCount - 1;
    const auto a = take<kLeast, 1, kMost - kLeast + 1>(first);
    const auto b = take<kLeast, 1, kMost - kLeast + 1>(second);
    put(0, rank_of<kRank - kLeast, 0>(a, even_[0]));
    put(1, rank_of<kRank - kLeast, 0>(a, odd));
    put(2, rank_of<kRank - kLeast, 0>(b, even_[1]));
    put(3, rank_of<kRank - kLeast, 0>(b, odd_));
  }

  template <std::size_t... i, std::size_t... j>
  COALESCE_NETWORK void move(std::index_sequence<i...>, std::index_sequence<j...>) {
    ((even_[i] = even_[i + 2]), ...);
    ((pair_[j] = pair_[j + 2]), ...);
  }

  // Counted from the first row of window 0: rows 0, 2, ...; rows 1 and 2, 3 and 4, ...; and the odd
  // row after them. Of the rows that are still to come, there is room.
  Row even_[kHalf + 2];
  Pair pair_[kHalf + 1];
  Row odd_;
};

#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(COALESCE_SANITIZED)
#pragma GCC diagnostic pop
#endif

}  // namespace coalesce
