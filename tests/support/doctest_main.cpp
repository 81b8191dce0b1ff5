// SPDX-License-Identifier: LGPL-2.1-or-later
// main() of the programs of doctest. Beside doctest's own options: --all, --seed=N, --seed=random,
// and what single tests read with option(). Exit status 77: a case was skipped. A case without
// an assertion is a failure, and so is a selection without a case.
#define DOCTEST_CONFIG_IMPLEMENT
#include "../../kernels/core/clones.h"
#if defined(COALESCE_SANITIZED)
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS  // the sanitizer's report has the stack
#endif
#include "doctest.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "random.h"

namespace coalesce::test {
namespace {

constexpr int kSkipped = 77;  // meson shows SKIP

int arguments = 0;
char **argument = nullptr;

struct Cases {
  int run = 0, skipped = 0, idle = 0;
  bool skips = false;  // the running one
} cases;

// Counts what doctest does not.
struct Counter : doctest::IReporter {
  explicit Counter(const doctest::ContextOptions &) {}
  void test_case_start(const doctest::TestCaseData &data) override {
    name_ = data.m_name;
    cases.skips = false;
  }
  void test_case_end(const doctest::CurrentTestCaseStats &stats) override {
    ++cases.run;
    cases.skipped += cases.skips;
    if (cases.skips || stats.failure_flags != 0 || stats.numAssertsCurrentTest > 0) return;
    ++cases.idle;
    std::printf("FAIL: \"%s\" made no assertion\n", name_);
  }
  void report_query(const doctest::QueryData &) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats &) override {}
  void test_case_reenter(const doctest::TestCaseData &) override {}
  void test_case_exception(const doctest::TestCaseException &) override {}
  void subcase_start(const doctest::SubcaseSignature &) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData &) override {}
  void log_message(const doctest::MessageData &) override {}
  void test_case_skipped(const doctest::TestCaseData &) override {}

 private:
  const char *name_ = "";
};
REGISTER_LISTENER("counter", 1, Counter);

}  // namespace

bool all() {
  for (int i = 1; i < arguments; ++i)
    if (std::strcmp(argument[i], "--all") == 0) return true;
  return false;
}

const char *option(const char *name) {
  const std::string start = std::string("--") + name + "=";
  for (int i = 1; i < arguments; ++i)
    if (std::strncmp(argument[i], start.c_str(), start.size()) == 0)
      return argument[i] + start.size();
  return nullptr;
}

void skip(const std::string &why) {
  std::printf("SKIP: %s\n", why.c_str());
  cases.skips = true;
}

std::string hex(std::uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

}  // namespace coalesce::test

int main(int argc, char **argv) {
  using namespace coalesce::test;
  arguments = argc;
  argument = argv;
  setvbuf(stdout, nullptr, _IOLBF, 0);
  doctest::Context context;
  context.setOption("abort-after", 20);
  context.applyCommandLine(argc, argv);
  if (const char *seed = option("seed")) setenv("COALESCE_TEST_SEED", seed, 1);
  std::printf("COALESCE_TEST_SEED=%llu\n", static_cast<unsigned long long>(run_seed()));
  const int result = context.run();
  if (context.shouldExit() || result != 0) return result;
  if (cases.run == 0) {
    std::printf("FAIL: no test case is selected\n");
    return 1;
  }
  if (cases.idle > 0) return 1;
  return cases.skipped > 0 ? kSkipped : 0;
}
