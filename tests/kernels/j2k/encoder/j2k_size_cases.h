// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings of the encoder where numbers are as large or as small as they get.
#pragma once

#include <span>

#include "j2k/encoder/encoder.h"

namespace coalesce::test {

// An image at (x0, y0), otherwise at defaults.
j2k::EncoderParams of_size(int x0, int y0, int width, int height, int components = 1, int bits = 8);
// With targets: `kind` for all layers but the last.
j2k::EncoderParams in_layers(j2k::EncoderParams e, int layers, j2k::LayerBudget::Kind kind,
                             j2k::LayerBudget last);

struct SizeCase {
  const char *name;
  j2k::EncoderParams (*params)();
  StatusCode expected = StatusCode::ok;
};

std::span<const SizeCase> small_sizes();
std::span<const SizeCase> large_sizes();
// Of many GB on the host and on the GPU: asked for with --trial, by numbers behind the last.
std::span<const SizeCase> sizes_by_hand();

// One packet of more than 4 GiB, if all its blocks had as many bytes as blocks can have.
j2k::EncoderParams too_large_packet();

}  // namespace coalesce::test
