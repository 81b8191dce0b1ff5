// SPDX-License-Identifier: LGPL-2.1-or-later
// Pipelines of gst-launch syntax whose end is two branches that must give the same bytes.
#pragma once

#include "gpu_support.h"

namespace gpu_test {

class Branches : public Pipeline {
 public:
  explicit Branches(const std::string &text) : Pipeline(text) { start(); }

  // Pushes these bytes, and the end, into the appsrc named source.
  void feed(const guint8 *bytes, std::size_t count) const;
  // What comes to the appsinks gpu and cpu, to their end; the number of buffers.
  int compare();
};

}  // namespace gpu_test
