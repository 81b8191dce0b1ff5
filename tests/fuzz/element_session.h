// SPDX-License-Identifier: LGPL-2.1-or-later
// An element between test pads, driven by the bytes of an input: caps, properties, frames, events,
// in any order. A critical of GLib, a message that cannot be read, a crash or a hang is a finding;
// what comes out, those who derive from it judge.
#pragma once

#include "element_caps.h"

namespace test {

class Session {
 public:
  Session(const std::string &element, Input &in);
  virtual ~Session() = default;
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  void run(int most_steps);

 protected:
  virtual void step();
  void restart();
  struct Told {
    std::string error, warning;  // the last ones' texts
    int errors = 0;
  };

  virtual std::string any_downstream() { return any_output_caps(in_, name_); }
  virtual std::string any_text(const GParamSpec *spec) = 0;
  virtual int any_number() { return in_.once_in(8) ? int(in_.word()) : in_.between(-2, 70); }
  virtual void set_property();
  virtual void push_frame() = 0;
  virtual void check_message(const std::string &) {}
  virtual void restarted() {}

  // Sets it to something, which may be out of its range.
  void set_any(const GParamSpec *spec);
  // Those of our own classes, but not the choice of the back end.
  std::vector<GParamSpec *> properties() const;
  // All that is on the bus, which must be readable.
  Told take_messages();
  // After caps have been sent, or a frame: were they taken?
  void look_at_caps();

  Input &in_;
  const std::string name_;
  Harness harness_;
  const Owned<GstBus> bus_;
  GstVideoInfo info_{};  // of the last caps that were taken
  bool playing_ = true;
  bool negotiated_ = false;
  bool eos_ = false;
  bool failed_ = false;  // an error was told since the last frame that came out

 private:
  void send_start();
  void send_segment();
  void change_caps();
  void send_event();
  double any_double();
};

}  // namespace test
