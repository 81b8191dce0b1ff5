// SPDX-License-Identifier: LGPL-2.1-or-later
// What tests of filters of neighbourhoods have in common. F is such a filter with everything
// spelled out: push_and_check(Harness &, caps, F, seed) pushes a frame and checks what comes out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../support/elements/elements.h"

namespace test {

// Those with samples in bytes that GStreamer has, too.
std::vector<std::string> formats_of_8_bits();
int n_formats_of_8_bits();

// Pushes a frame of these caps, random for `seed`. difference(): empty if `out` is what it has to
// be.
void push_and_compare(Harness &harness, const std::string &caps, guint32 seed, GstClockTime pts,
                      const std::function<std::string(const GstVideoFrame &in,
                                                      const GstVideoFrame &out)> &difference);

// A property that is set while frames flow.
template <class F>
struct Change {
  const char *name, *value;
  void (*apply)(F &filter);
};
// One at a time, each on top of those before. Returns the warning, if there is one.
template <class F>
std::string check_changes(Harness &harness, const std::string &caps, F filter,
                          const std::vector<Change<F>> &changes) {
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, filter);
  guint32 seed = 1;
  for (const auto &[name, value, apply] : changes) {
    set(harness, name, value);
    apply(filter);
    push_and_check(harness, caps, filter, ++seed);
    push_and_check(harness, caps, filter, ++seed);
  }
  std::string warning = harness.take_warning();
  harness.expect_no_error();
  return warning;
}

// Without properties, and with these.
template <class F>
void check_sizes(const char *element, const char *format, const Properties &properties,
                 const F &filter) {
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{2, 5}, Size{33, 18}, Size{131, 7}}) {
    if (small_run() && size.width != 33) continue;
    const std::string caps = video_caps(format, size);
    Harness plain(element);
    fail_unless(plain.set_input(caps));
    push_and_check(plain, caps, F{});
    Harness own(element, properties);
    fail_unless(own.set_input(caps));
    push_and_check(own, caps, filter);
    (void)own.take_warning();  // of formats without alpha
  }
}

template <class F>
void check_borders(const char *element, Properties properties, F filter) {
  const std::string caps = video_caps("I420", {7, 6});
  properties.emplace_back();
  for (const char *border : {"replicate", "reflect", "reflect-101", "wrap", "constant"}) {
    properties.back() = {"border", border};
    filter.border = border;
    Harness harness(element, properties);
    fail_unless(harness.set_input(caps));
    push_and_check(harness, caps, filter);
  }
}

// Caps pass as they are.
void check_caps_are_kept(const char *element, const Properties &properties = {});
// What no format can have.
void check_no_start(const char *element, const Properties &properties, const char *problem);
// Border and planes that do not suit the format; and those, and filter-alpha, without effect.
void check_channels_refused(const char *element);
void check_channels_ignored(const char *element);

}  // namespace test
