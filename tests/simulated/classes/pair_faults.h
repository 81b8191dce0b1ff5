// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under an element with two inputs, at every call in turn: one clear error of
// the element at most, never a wrong frame, no hang, no leak, and all is well once the driver is.
#pragma once

#include <functional>
#include <memory>

#include "../driver_faults.h"

namespace simulated {

// What came out, all of it right or not to be mapped; and the errors of the element.
struct Outcome {
  unsigned right = 0, pictures = 0;
  std::vector<std::string> errors;
};

struct PairTrial {
  std::unique_ptr<TwoInputs> pair;
  bool to_device;  // whoever maps what comes out uses the driver, too
  unsigned frames;
  // Of each of both sources, as many as `frames`.
  std::function<std::array<std::vector<GstBuffer *>, 2>()> make_inputs;
  // What is wrong with the nth picture; empty, or kNotMapped, if it is not.
  std::function<std::string(GstBuffer *, unsigned n)> wrong;
};

// Plays it from the start to the end.
Outcome play(const PairTrial &trial, const std::array<std::vector<GstBuffer *>, 2> &inputs,
             const std::string &what);
// `make` is given a context, but for those who can make their own where making one fails. How often
// a call of this function was met.
int fail_pair(const DriverFault &fault, FakecudaFault how, bool needs_context,
              const std::string &what,
              const std::function<PairTrial(GstCudaContext *context)> &make);

}  // namespace simulated
