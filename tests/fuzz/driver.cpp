// SPDX-License-Identifier: LGPL-2.1-or-later
// What libFuzzer does, in small, where there is no clang: replays files, then spoils them at
// random, from a seed, for some seconds. It sees no coverage, so it finds what lies near the
// corpus.
//
//   fuzz-TARGET [--seconds=N] [--seed=N] [--write=FILE] FILE-or-FOLDER...
//
// The seed is that of COALESCE_TEST_SEED without --seed. The input that ends the program is written
// to FILE.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "../support/random.h"
#include "fuzz.h"

// The sanitizers', where the program is built with them.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using coalesce::test::Random;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kLongest = 4096;
constexpr unsigned kHangs = 240;  // seconds; a slow machine is no hang

Bytes input;  // the one that is running
const char *reproducer = "fuzz-reproducer";

// Nothing but system calls: the heap may be broken.
void save() {
  const int file = open(reproducer, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  const bool saved =
      file >= 0 && write(file, input.data(), input.size()) == static_cast<ssize_t>(input.size());
  const char *const parts[] = {
      saved ? "\nThe input is in " : "\nThe input could not be written to ", reproducer, "\n"};
  for (const char *part : parts)
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  if (file >= 0) close(file);
}

void die(int signal_number) {
  if (signal_number == SIGALRM) {
    constexpr char kText[] = "\nFOUND an input that hangs";
    if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) _exit(1);
  }
  save();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void watch() {
  signal(SIGALRM, die);
  signal(SIGABRT, die);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(save);
    return;  // theirs tell more
  }
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    signal(number, die);
}

void run(const Bytes &bytes) {
  input = bytes;
  alarm(kHangs);
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

Bytes contents(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read\n", path.c_str());
    std::exit(2);
  }
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// Sorted, so that every run is the same.
std::vector<Bytes> read_corpus(const std::vector<std::string> &paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string &path : paths) {
    if (!std::filesystem::is_directory(path))
      files.emplace_back(path);
    else
      for (const auto &entry : std::filesystem::directory_iterator(path))
        files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> corpus;
  for (const auto &file : files)
    corpus.push_back(contents(file));
  return corpus;
}

void spoil(Bytes *bytes, const Bytes &other, Random &random) {
  constexpr std::uint8_t kTelling[] = {0, 1, 0x7f, 0x80, 0xff, ' ', ';', '-', '0', '.', 'e'};
  const auto place = [&](std::size_t size) {
    return static_cast<std::ptrdiff_t>(random.bits() % (size + 1));
  };
  const std::ptrdiff_t at = place(bytes->size());
  const auto rest = static_cast<std::ptrdiff_t>(bytes->size()) - at;
  const std::ptrdiff_t count = std::min<std::ptrdiff_t>(rest, 1 + random.below(8));
  const auto begin = bytes->begin() + at;
  switch (random.below(6)) {
    case 0:
      if (rest > 0) *begin ^= static_cast<std::uint8_t>(1 << random.below(8));
      break;
    case 1:
      if (rest > 0) *begin = random.pick(kTelling);
      break;
    case 2:
      bytes->insert(begin, static_cast<std::uint8_t>(random.bits()));
      break;
    case 3:
      bytes->erase(begin, begin + count);
      break;
    case 4: {
      const Bytes copied(begin, begin + count);
      bytes->insert(bytes->begin() + place(bytes->size()), copied.begin(), copied.end());
      break;
    }
    default:
      bytes->resize(static_cast<std::size_t>(at));
      bytes->insert(bytes->end(), other.begin() + place(other.size()), other.end());
  }
  if (bytes->size() > kLongest) bytes->resize(kLongest);
}

long spoil_for(std::chrono::seconds time, const std::vector<Bytes> &corpus, Random random) {
  const auto end = std::chrono::steady_clock::now() + time;
  const auto any = [&]() -> const Bytes & {
    return corpus[static_cast<std::size_t>(random.below(static_cast<int>(corpus.size())))];
  };
  long runs = 0;
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    Bytes bytes = any();
    for (int i = random.between(1, 6); i > 0; --i)
      spoil(&bytes, any(), random);
    run(bytes);
  }
  return runs;
}

}  // namespace

// A target may do without.
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int *, char ***) {
  return 0;
}

int main(int argc, char **argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  int seconds = 0;
  std::uint64_t seed = coalesce::test::run_seed();
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::sscanf(argv[i], "--seconds=%d", &seconds) == 1 ||
        std::sscanf(argv[i], "--seed=%" SCNu64, &seed) == 1)
      continue;
    if (std::strncmp(argv[i], "--write=", 8) == 0)
      reproducer = argv[i] + 8;
    else
      paths.emplace_back(argv[i]);
  }
  const std::vector<Bytes> corpus = read_corpus(paths);
  if (corpus.empty()) {
    std::fprintf(stderr, "no inputs: name files or folders\n");
    return 2;
  }
  watch();
  for (const Bytes &bytes : corpus)
    run(bytes);
  const long runs = spoil_for(std::chrono::seconds(seconds), corpus, Random(seed));
  alarm(0);
  std::printf("%zu files, then %ld executions in %d seconds, seed %" PRIu64 "\n", corpus.size(),
              runs, seconds, seed);
  return 0;
}
