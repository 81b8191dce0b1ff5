// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tag_tree.h"

#include <algorithm>

namespace coalesce::j2k {
namespace {

int halved(int size, int level) {
  return (size + (1 << level) - 1) >> level;
}

}  // namespace

int tag_tree_nodes(int width, int height) {
  if (width == 0 || height == 0) return 0;
  int nodes = 1;
  for (int level = 0; halved(width, level) * halved(height, level) > 1; ++level)
    nodes += halved(width, level) * halved(height, level);
  return nodes;
}

TagTree::TagTree(TagNode *nodes, int width, int height)
    : nodes_(nodes), width_(width), height_(height), depth_(0), first_{} {
  if (width == 0 || height == 0) return;
  for (int node = 0;;) {
    const int size = halved(width, depth_) * halved(height, depth_);
    first_[depth_++] = node;
    if (size == 1) break;
    node += size;
  }
}

void TagTree::start() {
  for (int level = 0; level < depth_; ++level) {
    const int w = halved(width_, level), h = halved(height_, level);
    TagNode *below = nodes_ + first_[std::max(level - 1, 0)];
    const int below_w = halved(width_, level - (level > 0));
    const int below_h = halved(height_, level - (level > 0));
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        TagNode &node = nodes_[first_[level] + y * w + x];
        node.low = 0;
        node.known = false;
        if (level == 0) continue;
        node.value = below[2 * y * below_w + 2 * x].value;
        for (int j = 2 * y; j < std::min(2 * y + 2, below_h); ++j)
          for (int i = 2 * x; i < std::min(2 * x + 2, below_w); ++i)
            node.value = std::min(node.value, below[j * below_w + i].value);
      }
  }
}

void TagTree::lower(int x, int y, int value) {
  for (int level = 0; level < depth_; ++level) {
    TagNode &node = nodes_[first_[level] + (y >> level) * halved(width_, level) + (x >> level)];
    if (node.value <= value) return;
    node.value = value;
  }
}

void TagTree::encode(int x, int y, int threshold, HeaderBits *bits) {
  int low = 0;
  for (int level = depth_ - 1; level >= 0; --level) {
    TagNode &node = nodes_[first_[level] + (y >> level) * halved(width_, level) + (x >> level)];
    node.low = std::max(node.low, low);
    for (; node.low < threshold && !node.known; ++node.low) {
      node.known = node.low == node.value;
      bits->put(node.known);
      if (node.known) break;
    }
    low = node.low;
  }
}

}  // namespace coalesce::j2k
