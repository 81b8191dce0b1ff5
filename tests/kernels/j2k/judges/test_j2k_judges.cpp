// SPDX-License-Identifier: LGPL-2.1-or-later
// The covering array, judged by the decoders of others, as many as there are. Of the array every
// 14th small entry; --all; --every=N, one of N, the run's seed says which; --entries=FIRST-LAST;
// --entry=N --write=FILE, to look at one by hand.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../array/j2k_array.h"
#include "../encoder/j2k_encode.h"
#include "j2k/encoder/encoder.h"
#include "j2k_judges.h"
#include "j2k_stream_decoder.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// What came out, lossless codestreams and others by themselves.
struct Tally {
  struct OfJudge {
    int asked[2] = {}, agreed[2] = {};
    int complained = 0;  // and agreed
    std::map<std::string, int> faults;
  };
  std::map<std::string, OfJudge> judges;
  std::map<int, int> by_judges[2];  // how many codestreams had so many judges
  std::vector<int> none, one;       // which had none; lossless ones that had one
};

Decoded as_decoded(const Picture &p) {
  Decoded decoded;
  for (int c = 0; c < p.params.num_components; ++c) {
    const Rect rect = component_rect(p.params, c);
    decoded.components.push_back({rect.width(),
                                  rect.height(),
                                  p.params.component[static_cast<std::size_t>(c)].bits,
                                  {p.plane[c].begin(), p.plane[c].end()}});
  }
  return decoded;
}

// With loss the own decoder says what is expected; without, it is asked, too, unless that takes
// long. It looks at the structure, in any case.
JudgedStream coded_entry(int index) {
  JudgedStream coded = {j2k_entry(index), {}, {}, false, {}};
  const EncoderParams &params = coded.params();
  std::unique_ptr<Encoder> encoder;
  Status s = Encoder::make(params, &encoder);
  if (s.ok()) s = encoder->encode(AllSamples(coded.entry.picture).at, nullptr, &coded.bytes);
  REQUIRE_MESSAGE(s.ok(), s.message());
  if (!params.targets.empty() && params.targets.back().kind == LayerBudget::Kind::bytes)
    REQUIRE_MESSAGE(coded.bytes.size() <= params.targets.back().value, coded.bytes.size(),
                    " bytes");
  coded.stream = read_markers(coded.bytes);
  coded.lossless = coded.entry.whole && params.wavelet == Wavelet::reversible_53;
  if (coded.lossless) coded.expected = as_decoded(coded.entry.picture);
  if (coded.lossless && index >= j2k_small_entries()) return coded;
  const Decoded own = decode_stream(coded.bytes, 0, kMostPoints, RegionSamples::lower_end);
  REQUIRE_MESSAGE(own.complaint.empty(), "own decoder: ", own.complaint);
  if (coded.lossless)
    REQUIRE_MESSAGE(largest_difference(own, coded.expected) == 0, "own decoder");
  else
    coded.expected = own;
  return coded;
}

// Of each entry, what every judge says.
class Hearing {
 public:
  Hearing(const JudgedStream &coded, Tally *tally) : coded_(coded), tally_(*tally) {}

  // False if the judge has found something.
  bool ask(const Judge &judge, bool talk) {
    Decoded decoded;
    const Verdict verdict = test::ask(judge, coded_, &decoded);
    const char *known = verdict.fault == nullptr ? "" : verdict.fault->what;
    CHECK_MESSAGE(verdict.is_known(), judge.name, " differs by ", verdict.difference, ": ",
                  verdict.complaint);
    if (talk)
      std::printf("%s %s by %d: %s %s\n", judge.name, verdict.agrees ? "agrees" : "differs",
                  verdict.difference, known, verdict.complaint.c_str());
    Tally::OfJudge &of = tally_.judges[judge.name];
    ++of.asked[coded_.lossless];
    of.agreed[coded_.lossless] += verdict.agrees;
    of.complained += verdict.agrees && verdict.fault != nullptr;
    if (!verdict.agrees) ++of.faults[known];
    judged_ += verdict.judged();
    if (verdict.agrees) compare(decoded);
    return verdict.is_known();
  }
  int judged() const { return judged_; }

 private:
  // Those that agree with what is expected differ by no more from each other, up to 14 bits.
  void compare(const Decoded &decoded) {
    if (coded_.params().coding.component[0].bits > 14) return;
    for (const Decoded &other : agreed_) {
      const int difference = largest_difference(decoded, other);
      CHECK_MESSAGE(difference <= (coded_.lossless ? 0 : 1), "two judges differ by ", difference);
    }
    agreed_.push_back(decoded);
  }

  const JudgedStream &coded_;
  Tally &tally_;
  std::vector<Decoded> agreed_;
  int judged_ = 0;
};

void write_file(const char *file, const std::vector<std::uint8_t> &bytes) {
  FILE *out = std::fopen(file, "wb");
  CHECK_MESSAGE((out != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size()),
                file);
  if (out != nullptr) std::fclose(out);
}

// Known faults excuse few codestreams: each judge agrees on more than half, and hardly one is left
// without a judge. (docs/jpeg2000.md, "Judged by others", has the figures.)
void expect_few_faults(const Tally &tally) {
  int entries = 0;
  for (const auto &judge : tally.judges) {
    const auto &name = judge.first;
    const auto &of = judge.second;
    entries = of.asked[0] + of.asked[1];
    const int agreed = of.agreed[0] + of.agreed[1];
    CHECK_MESSAGE(2 * agreed > entries, name, " agrees on ", agreed, " of ", entries);
  }
  const bool all_here =
      std::all_of(judges().begin(), judges().end(), [](const Judge &j) { return j.here(); });
  const int none = static_cast<int>(tally.none.size());
  CHECK_MESSAGE(none * (all_here ? 20 : 4) <= entries, none, " of ", entries, " have no judge");
}

// Into a file, if there is one to be looked at by hand; then more is said, too.
void test_entry(int index, const char *file, Tally *tally) {
  INFO("--entry=", index, ": ", j2k_entry_text(index));
  const JudgedStream coded = coded_entry(index);
  if (file != nullptr) {
    std::printf("%s\n", coded.entry.text.c_str());
    write_file(file, coded.bytes);
  }
  Hearing hearing(coded, tally);
  for (const Judge &judge : judges())
    if (judge.here() && !hearing.ask(judge, file != nullptr)) return;
  const int judged = hearing.judged();
  ++tally->by_judges[coded.lossless][judged];
  if (judged == 0) tally->none.push_back(index);
  if (judged == 1 && coded.lossless) tally->one.push_back(index);
  if (judged == 0 && coded.lossless)
    CHECK_MESSAGE(largest_difference(decode_stream(coded.bytes), coded.expected) == 0,
                  "own decoder");
}

void print(const char *what, const std::vector<int> &entries) {
  std::printf("%s", what);
  for (const int index : entries)
    std::printf(" %d", index);
  std::printf("\n");
}

void print(const Tally &tally) {
  for (const auto &[name, of] : tally.judges) {
    std::printf("%s: lossless %d of %d, with loss %d of %d; complained of %d of these\n",
                name.c_str(), of.agreed[1], of.asked[1], of.agreed[0], of.asked[0], of.complained);
    for (const auto &[what, count] : of.faults)
      std::printf("  %4d %s\n", count, what.c_str());
  }
  for (const bool lossless : {true, false})
    for (const auto &[judged, count] : tally.by_judges[lossless])
      std::printf("%d %s by %d of them\n", count, lossless ? "lossless" : "with loss", judged);
  print("by none:", tally.none);
  print("lossless by one:", tally.one);
}

TEST_CASE("entries") {
  if (std::none_of(judges().begin(), judges().end(), [](const Judge &j) { return j.here(); }))
    return skip("neither libopenjp2, nor libavcodec, nor grk_decompress");
  for (const Judge &judge : judges())
    if (!judge.here()) std::printf("%s is not here\n", judge.name);
  Tally tally;
  if (const char *entry = option("entry"))
    return test_entry(std::atoi(entry), option("write"), &tally);
  int first = 0, end = j2k_small_entries(), step = 14;
  if (const char *every = all() ? "1" : option("every")) {
    step = std::atoi(every);
    REQUIRE(step > 0);
    first = static_cast<int>(run_seed() % static_cast<unsigned>(step));
    end = j2k_entries();
  }
  if (const char *entries = option("entries")) {
    REQUIRE(std::sscanf(entries, "%d-%d", &first, &end) == 2);
    ++end;
    step = 1;
  }
  for (int i = first; i < end; i += step)
    test_entry(i, nullptr, &tally);
  print(tally);
  if (option("entries") == nullptr) expect_few_faults(tally);
}

}  // namespace
}  // namespace coalesce::test
