// SPDX-License-Identifier: LGPL-2.1-or-later
// Tag trees (ITU-T T.800 B.10.2): numbers in a rectangle, told little by little, each relative to
// the least one of the four above it.
#pragma once

#include <cstdint>

#include "header_bits.h"

namespace coalesce::j2k {

struct TagNode {
  std::int32_t value;
  std::int32_t low;  // the decoder knows that the value is not below it
  bool known;        // the decoder knows the value
};

// How many nodes a tree of width * height leaves has; none, if it has no leaves.
int tag_tree_nodes(int width, int height);

// A view of nodes, the leaves first, row by row.
class TagTree {
 public:
  TagTree(TagNode *nodes, int width, int height);

  void set(int leaf, int value) { nodes_[leaf].value = value; }
  // When all leaves are set: the values of the other nodes; nothing has been told.
  void start();
  // A leaf's value becomes less, and is still not below what has been told.
  void lower(int x, int y, int value);
  // Tells whether the leaf's value is below the threshold, and then what it is.
  void encode(int x, int y, int threshold, HeaderBits *bits);

 private:
  static constexpr int kMaxDepth = 16;  // 2^15 leaves across or down

  TagNode *nodes_;
  int width_, height_, depth_;
  int first_[kMaxDepth];  // node of each level, the leaves' first
};

}  // namespace coalesce::j2k
