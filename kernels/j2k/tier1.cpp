// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tier1.h"

namespace coalesce::j2k {

// A sample has at most one decision in every plane and one for its sign; a run that ends adds two,
// once in four samples; the segmentation symbol has four in every plane. A decision of the MQ coder
// takes 5.4 bits at most, on average over any number of them but for 32 bits for each context since
// its reset; of two bytes at least 15 bits are of use. (The tests derive 5.4 and 32 from the table
// of states.) Termination adds up to five bytes.
std::size_t tier1_bytes_bound(int samples, int planes, unsigned style) {
  if (planes == 0) return 0;
  const std::size_t n = static_cast<std::size_t>(samples), p = static_cast<std::size_t>(planes);
  const std::size_t passes = 3 * p - 2;
  const std::size_t symbols = n * (p + 1) + n / 2 + 4 * p;
  const std::size_t resets = (style & kReset) != 0 ? passes : 1;
  return (symbols * 72 + 99) / 100 + resets * 82 + passes * 5;
}

}  // namespace coalesce::j2k
