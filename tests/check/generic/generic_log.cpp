// SPDX-License-Identifier: LGPL-2.1-or-later
// What GST_DEBUG=coalesce*:5 shows.
#include "../../support/elements/log.h"
#include "generic_cases.h"

namespace test {
namespace {

// A frame goes through an element that is given caps, and asked for a pool.
void run_a_frame(const std::string &element) {
  const std::string caps = sink_caps(element, {64, 48});
  Harness harness(element);
  let_convert(harness);
  fail_unless(harness.set_input(caps));
  drop_pool(proposed_pool(harness.get(), caps.c_str()));
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
  fail_unless(harness.pull() != nullptr);
}

bool is_encoder(const std::string &element) {
  const Owned<GstElementFactory> factory(gst_element_factory_find(element.c_str()));
  return gst_element_factory_list_is_type(factory.get(), GST_ELEMENT_FACTORY_TYPE_ENCODER);
}

// Each decision about caps, pools and the back end is a line, and none a line for each frame.
GST_START_TEST(decisions) {
  const std::string &element = element_name(__i__);
  const Log log("coalesce*", GST_LEVEL_DEBUG);
  run_a_frame(element);
  log.expect({"chooses ", " for video/x-raw"});
  log.expect({"accepts video/x-raw", " to "});
  log.expect({"CPU threads: "});
  log.expect({"backend=auto works on the CPU", "input in system memory"});
  log.expect({"offers upstream system memory for video/x-raw"});
  log.expect({"bytes a frame of video/x-raw"});
  log.expect({is_encoder(element) ? "coded frames use no pool of downstream"
                                  : "output frames come from a pool of system memory"});
}
GST_END_TEST;

// Each start with backend=cuda looks for a GPU again.
GST_START_TEST(missing_gpu) {
  const Log log("coalesce*", GST_LEVEL_INFO);
  const Owned<GstElement> element(GST_ELEMENT(
      gst_object_ref_sink(gst_element_factory_make(element_name(__i__).c_str(), nullptr))));
  gst_util_set_object_arg(G_OBJECT(element.get()), "backend", "cuda");
  start_error(element.get());
  log.expect({"no GPU can be used: "});
}
GST_END_TEST;

// The pattern has all of our lines. (GStreamer's own are of C.)
GST_START_TEST(categories) {
  const Log log("*", GST_LEVEL_DEBUG);
  run_a_frame(element_name(__i__));
  int ours = 0;
  for (const Log::Line &line : log.lines()) {
    if (!g_str_has_suffix(line.file.c_str(), ".cpp")) continue;
    fail_unless(g_str_has_prefix(line.category.c_str(), "coalesce"), "%s: %s",
                line.category.c_str(), line.text.c_str());
    ours++;
  }
  fail_unless(ours > 5, "%d lines", ours);
}
GST_END_TEST;

// A link that fails names nothing itself.
GST_START_TEST(fields_before_the_link) {
  const std::string &element = element_name(__i__);
  if (is_encoder(element)) return;  // it refuses them with an error only
  const Log log("coalesce*", GST_LEVEL_WARNING);
  Harness harness(element);
  const CapsRef caps = parse_caps(sink_caps(element, {64, 48}) + ", interlace-mode=fields");
  fail_if(gst_pad_peer_query_accept_caps(harness.to_element(), caps.get()));
  log.expect({"interlace-mode=fields", element == "coalescedeinterlace"
                                           ? "interleaved or mixed, or alternate"
                                           : "use progressive, interleaved or mixed"});
}
GST_END_TEST;

}  // namespace

void add_log_cases(Suite *suite) {
#if !defined(GST_DISABLE_GST_DEBUG)
  if (small_run()) return;
  TCase *log = new_case(suite, "log");
  tcase_add_loop_test(log, decisions, 0, n_elements());
  tcase_add_loop_test(log, missing_gpu, 0, n_elements());
  tcase_add_loop_test(log, categories, 0, n_elements());
  tcase_add_loop_test(log, fields_before_the_link, 0, n_elements());
#endif
}

}  // namespace test
