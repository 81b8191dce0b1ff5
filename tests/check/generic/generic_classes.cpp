// SPDX-License-Identifier: LGPL-2.1-or-later
// The generic tests of the base class of several frames, by an element of tests/elements.
#include "../../elements/blend.h"
#include "generic_cases.h"

extern "C" void gst_plugin_coalesce_register();

int main(int argc, char **argv) {
  gst_check_init(&argc, &argv);
  gst_plugin_coalesce_register();
  const test::Owned<GstPlugin> plugin(gst_registry_find_plugin(gst_registry_get(), "coalesce"));
  gst_element_register(plugin.get(), "coalesceblend", GST_RANK_NONE,
                       coalesce::testing::blend_get_type());
  test::test_only({"coalesceblend"});
  Suite *suite = suite_create("generic-classes");
  test::add_description_cases(suite);
  test::add_buffer_cases(suite);
  test::add_event_cases(suite);
  test::add_pipeline_cases(suite);
  return test::run_suite(suite, "generic-classes");
}
