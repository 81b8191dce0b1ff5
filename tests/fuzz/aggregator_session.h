// SPDX-License-Identifier: LGPL-2.1-or-later
// An element with several inputs, each fed by a thread of its own with what the bytes of an input
// say: caps, frames, gaps, missing frames, the end. Whatever they are, the output ends or an error
// is told. Where all of them are as they should be, there is a picture of every time that all
// inputs have a frame of, and no other.
#pragma once

#include "../support/cameras.h"
#include "element_judges.h"
#include "element_session.h"

namespace test {

class AggregatorSession : public Session {
 public:
  AggregatorSession(const std::string &element, Input &in);
  ~AggregatorSession() override;

 private:
  struct Plan;
  struct Stream;

  void step() override;
  std::string any_text(const GParamSpec *spec) override {
    return g_str_equal(spec->name, "cameras") && in_.flag() ? camera_file() : in_.text();
  }
  void push_frame() override { play(); }

  void play();
  Stream any_stream();
  void push(const Stream &stream);
  void flush();

  std::vector<GstHarness *> inputs_;
};

}  // namespace test
