// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k.h"

#include <map>
#include <tuple>

namespace simulated {

std::string in_caps(const J2kCase &c, const char *memory) {
  return video_caps(memory, c.format, c.width, c.height) + c.more_caps;
}

Bytes on_cpu(const J2kCase &c, GstBuffer *buffer) {
  Bench bench(std::string(c.element) + " backend=cpu " + c.properties);
  bench.negotiate(in_caps(c, kSystem), c.media);
  fail_unless_equals_int(bench.push(buffer), GST_FLOW_OK);
  return take_bytes(bench.pull());
}

const Bytes &on_cpu(const J2kCase &c, unsigned seed) {
  static std::map<std::tuple<std::string, std::string, std::string, std::string, unsigned>, Bytes>
      known;
  Bytes &bytes = known[{c.element, in_caps(c, kSystem), c.properties, c.media, seed}];
  if (bytes.empty()) bytes = on_cpu(c, system_buffer(video_info(in_caps(c, kSystem)), seed));
  return bytes;
}

J2kBench::J2kBench(const J2kCase &c, const char *memory, int frames_in_flight,
                   const char *more_properties)
    : Bench(std::string(c.element) + " frames-in-flight=" + std::to_string(frames_in_flight) + " " +
            c.properties + " " + more_properties),
      case_(c),
      memory_(memory) {
  gst_harness_set_sink_caps_str(harness(), c.media);
  change(c);
}

J2kBench::~J2kBench() {
  drop_pool(pool_);
}

void J2kBench::change(const J2kCase &c) {
  drop_pool(pool_);
  case_ = c;
  gst_harness_set_src_caps_str(harness(), in_caps(c, memory_).c_str());
  pool_ = proposed_pool(harness(), in_caps(c, memory_).c_str());
}

GstBuffer *J2kBench::buffer(unsigned seed) {
  GstBuffer *buffer = pool_buffer(pool_, video_info(in_caps(case_, kSystem)), seed);
  GST_BUFFER_PTS(buffer) = seed * GST_SECOND / 25;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
  GST_BUFFER_OFFSET(buffer) = seed;
  return buffer;
}

GstFlowReturn J2kBench::push_picture(unsigned seed) {
  return push(buffer(seed));
}

void J2kBench::push_pictures(unsigned first, unsigned last) {
  for (unsigned seed = first; seed <= last; seed++)
    fail_unless_equals_int(push_picture(seed), GST_FLOW_OK);
}

void J2kBench::send(GstEvent *event) {
  fail_unless(push_event(event));
}

void J2kBench::settle() {
  send(gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("settle")));
}

void J2kBench::expect(const J2kCase &c, unsigned seed) {
  fail_unless(eventually([this] { return received() > 0; }), "%s: picture %u has not come",
              c.format, seed);
  GstBuffer *buffer = pull();
  fail_unless_equals_uint64(GST_BUFFER_PTS(buffer), seed * GST_SECOND / 25);
  fail_unless_equals_uint64(GST_BUFFER_DTS(buffer), seed * GST_SECOND / 25);
  fail_unless_equals_uint64(GST_BUFFER_DURATION(buffer), GST_SECOND / 25);
  fail_unless_equals_uint64(GST_BUFFER_OFFSET(buffer), seed);
  fail_unless(take_bytes(buffer) == on_cpu(c, seed), "%s %s %s: picture %u differs", c.format,
              c.properties, c.media, seed);
}

void J2kBench::expect_pictures(const J2kCase &c, unsigned first, unsigned last) {
  for (unsigned seed = first; seed <= last; seed++)
    expect(c, seed);
}

GstClockTime J2kBench::latency() {
  gst_harness_set_upstream_latency(harness(), 0);
  return gst_harness_query_latency(harness());
}

Suite *j2k_suite(const char *name, void (*add_tests)(TCase *)) {
  Suite *suite = suite_create(name);
  TCase *tests = new_case(suite, name);
  tcase_add_checked_fixture(tests, nullptr, [] {
    fakecuda_set_device_memory(std::size_t{1} << 30);
    assert_clean();
    assert_nothing_lives();
  });
  add_tests(tests);
  return suite;
}

}  // namespace simulated
