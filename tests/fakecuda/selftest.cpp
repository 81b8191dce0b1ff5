// SPDX-License-Identifier: LGPL-2.1-or-later
#include "selftest.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace selftest {

Session::Session() {
  fakecuda_reset_counts();
  CHECK_OK(cuInit(0));
  CHECK_OK(cuCtxCreate_v2(&context, 0, 0));
}

Session::~Session() {
  fakecuda_reset_faults();
  CHECK_OK(cuCtxDestroy_v2(context));
  CHECK_EQ(fakecuda_stack_depth(), 0);
  FakecudaCounts c = counts();
  CHECK_EQ(c.allocations_live, 0);
  CHECK_EQ(c.bytes_live, 0);
  CHECK_EQ(c.host_allocations_live, 0);
  CHECK_EQ(c.host_bytes_live, 0);
  CHECK_EQ(c.host_registrations_live, 0);
  CHECK_EQ(c.contexts_live, 0);
  CHECK_EQ(c.streams_live, 0);
  CHECK_EQ(c.events_live, 0);
  CHECK_EQ(c.pending, 0);
  CHECK_EQ(c.leaked_allocations + c.leaked_host_allocations + c.leaked_streams + c.leaked_events,
           leaked);
  CHECK_EQ(c.pushes, c.pops + lost_pushes);
  CHECK_EQ(c.unbalanced_threads, unbalanced_threads);
  CHECK_EQ(c.bad_accesses, bad_accesses);
  CHECK_EQ(c.bad_calls, bad_calls);
  CHECK_EQ(c.guard_violations, guard_violations);
  CHECK_EQ(c.use_after_free, use_after_free);
  CHECK_EQ(c.padding_writes, padding_writes);
  CHECK_EQ(c.injected_faults, injected_faults);
}

int peek(CUdeviceptr pointer) {
  unsigned char byte = 0;
  CHECK_OK(cuMemcpyDtoH_v2(&byte, pointer, 1));
  return byte;
}

int run_again(const char *case_name, const char *variable, const char *value) {
  char program[4096] = "";
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return -1;
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setenv(variable, value, 1);
    // Some of these are to fail, and their complaints would mislead.
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(127);
    const std::string only = std::string("--test-case=") + case_name;
    execl(program, program, only.c_str(), "--no-skip", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace selftest
