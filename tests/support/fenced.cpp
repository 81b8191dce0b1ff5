// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fenced.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace coalesce::test {
namespace {

const char *(*describe)() = nullptr;

void say(const char *text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

void handle(int signal) {
  say(signal == SIGTERM ? "ended by a signal while it was busy with: "
                        : "memory was touched outside of a buffer: ");
  say(describe());
  say("\n");
  _exit(1);
}

}  // namespace

FencedMemory::FencedMemory(std::size_t bytes, Against against) : size_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t inner = (bytes + page - 1) / page * page;
  map_size_ = inner + 2 * page;
  void *map = mmap(nullptr, map_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) throw std::bad_alloc();
  map_ = static_cast<std::uint8_t *>(map);
  if (mprotect(map_ + page, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(map_, map_size_);
    throw std::bad_alloc();
  }
  data_ = map_ + page + (against == Against::high ? inner - bytes : 0);
}

FencedMemory::~FencedMemory() {
  munmap(map_, map_size_);
}

void on_fault(const char *(*what)()) {
  describe = what;
  struct sigaction action = {};
  action.sa_handler = handle;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace coalesce::test
