// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>

#include "../random.h"

namespace test {

bool small_run() {
  return g_getenv("COALESCE_TEST_SMALL") != nullptr;
}

int sample_step() {
  const char *every = g_getenv("COALESCE_TEST_SMALL");
  return every != nullptr ? std::max(std::atoi(every), 3) : 1;
}

int first_sample(int n) {
  const int step = std::min(sample_step(), n);
  return static_cast<int>(coalesce::test::run_seed() % static_cast<unsigned>(std::max(step, 1)));
}

int next_fault(int nth) {
  return nth == 1 ? 2 + first_sample(sample_step()) : nth + sample_step();
}

void expect_string(const std::string &found, const std::string &expected, const char *file,
                   int line) {
  fail_unless(found == expected, "%s:%d: '%s' instead of '%s'", file, line, found.c_str(),
              expected.c_str());
}

namespace {

// Shared with the processes that GStreamer check forks, one for each test.
struct Tally {
  std::atomic<int> ran, skipped;
};

Tally &tally() {
  static void *const shared =
      mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) g_error("no memory to count tests in");
  return *static_cast<Tally *>(shared);
}

using Census = std::map<std::string, int>;
Census before;

GstTracer *leaks_tracer() {
  GstTracer *found = nullptr;
  GList *tracers = gst_tracing_get_active_tracers();
  for (GList *item = tracers; item != nullptr; item = item->next)
    if (g_str_equal(G_OBJECT_TYPE_NAME(item->data), "GstLeaksTracer"))
      found = GST_TRACER(item->data);  // it lives as long as the program
  g_list_free_full(tracers, gst_object_unref);
  return found;
}

// The living objects that the tracer knows of, counted by type.
Census living() {
  Census census;
  GstTracer *tracer = leaks_tracer();
  if (tracer == nullptr) return census;
  GstStructure *live = nullptr;
  g_signal_emit_by_name(tracer, "get-live-objects", &live);
  const GValue *list = gst_structure_get_value(live, "live-objects-list");
  for (guint i = 0; i < gst_value_list_get_size(list); i++) {
    const GstStructure *entry = gst_value_get_structure(gst_value_list_get_value(list, i));
    const GValue *object = gst_structure_get_value(entry, "object");
    census[G_VALUE_HOLDS_OBJECT(object) ? G_OBJECT_TYPE_NAME(g_value_get_object(object))
                                        : G_VALUE_TYPE_NAME(object)]++;
  }
  gst_structure_free(live);
  return census;
}

void before_test() {
  tally().ran++;
  before = living();
}

void after_test() {
  for (const auto &[type, count] : living())
    fail_unless(count <= before[type], "%d %s left behind", count - before[type], type.c_str());
}

// An installed plugin of the same name would be tested instead without a word.
bool right_plugin() {
  Owned<GstPlugin> plugin(gst_registry_find_plugin(gst_registry_get(), "coalesce"));
  const gchar *file = plugin ? gst_plugin_get_filename(plugin.get()) : "none";
  if (g_strcmp0(file, g_getenv("COALESCE_TEST_PLUGIN")) == 0) return true;
  g_printerr("the plugin under test should be %s, found: %s\n", g_getenv("COALESCE_TEST_PLUGIN"),
             file);
  return false;
}

}  // namespace

void skip(const std::string &why) {
  tally().skipped++;
  g_print("SKIP: %s\n", why.c_str());
}

bool skip_without(std::initializer_list<const char *> elements) {
  for (const char *name : elements)
    if (Owned<GstElementFactory>(gst_element_factory_find(name)) == nullptr) {
      skip(std::string("there is no element ") + name);
      return true;
    }
  return false;
}

TCase *new_case(Suite *suite, const char *name) {
  TCase *result = tcase_create(name);
  tcase_set_timeout(result, 1800);  // for what hangs
  tcase_add_checked_fixture(result, before_test, after_test);
  suite_add_tcase(suite, result);
  return result;
}

int run_suite(Suite *suite, const char *name) {
  tally();
  const std::string seed = std::to_string(coalesce::test::run_seed());
  g_print("COALESCE_TEST_SEED=%s\n", seed.c_str());
  const int failed = gst_check_run_suite(suite, name, name);
  const int ran = tally().ran, skipped = tally().skipped;
  if (failed > 0) return 1;
  if (ran == 0) {
    g_printerr("no test was left by GST_CHECKS=%s\n", g_getenv("GST_CHECKS"));
    return 1;
  }
  if (skipped == 0) return 0;
  g_print("SKIP: %d of %d tests\n", skipped, ran);
  return kSkip;
}

int run(int *argc, char ***argv, const char *name, void (*add_cases)(Suite *)) {
  g_setenv("GST_TRACERS", "leaks", TRUE);
  gst_check_init(argc, argv);
  if (!right_plugin()) return 1;
  if (leaks_tracer() == nullptr) {
    g_printerr("GStreamer has no leaks tracer: it comes with its core elements\n");
    return 1;
  }
  Suite *suite = suite_create(name);
  add_cases(suite);
  return run_suite(suite, name);
}

}  // namespace test
