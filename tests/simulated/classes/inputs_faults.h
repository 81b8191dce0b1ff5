// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under an element with several inputs, at every call in turn: one clear error
// of the element at most, never a wrong frame, no hang, no leak, and all is well once the driver
// is.
#pragma once

#include <functional>
#include <memory>

#include "../driver_faults.h"

namespace simulated {

// What came out, all of it right or not to be mapped (who maps uses the driver, too); and the
// errors of the element.
struct Outcome {
  unsigned right = 0, pictures = 0;
  std::vector<std::string> errors;
};

struct InputsTrial {
  std::unique_ptr<SeveralInputs> inputs;
  unsigned frames;
  // Of each source, as many as `frames`.
  std::function<std::vector<std::vector<GstBuffer *>>()> make_frames;
  // What is wrong with the nth picture, of these caps; empty, or kNotMapped, if it is not.
  std::function<std::string(GstBuffer *, const GstVideoInfo &, unsigned n)> wrong;
};

// Plays it from the start to the end.
Outcome play(const InputsTrial &trial, const std::vector<std::vector<GstBuffer *>> &frames,
             const std::string &what);
// `make` is given a context, but for those who can make their own where making one fails. How often
// a call of this function was met.
int fail_inputs(const DriverFault &fault, FakecudaFault how, bool needs_context,
                const std::string &what,
                const std::function<InputsTrial(GstCudaContext *context)> &make);
// The same for an element that always has the test's context, and so never makes one. Each call is
// met, but for those that depend on the memory of the frames.
void fail_inputs_in_context(FakecudaFault how, const std::string &what,
                            const std::function<InputsTrial(GstCudaContext *context)> &make);

// What is wrong with a picture that should have these bytes.
std::string wrong_picture(GstBuffer *buffer, const GstVideoInfo &info, const Bytes &expected);

}  // namespace simulated
