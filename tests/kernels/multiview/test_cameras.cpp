// SPDX-License-Identifier: LGPL-2.1-or-later
// Matrices of cameras: what is read, and what is refused, by line.
#include "multiview/cameras.h"

#include <cstring>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "multiview/multiview.h"

namespace coalesce::test {
namespace {

const std::string kOne = "1 0 0 0\n0 1 0 0\n0 0 1 0\n";

std::string error_of(const std::string &text) {
  std::vector<CameraMatrix> cameras(3);
  std::string error;
  CHECK_FALSE(parse_cameras(text, &cameras, &error));
  CHECK(cameras.size() == 3);  // left alone
  return error;
}

TEST_CASE("matrices that are read") {
  std::vector<CameraMatrix> cameras;
  std::string error;
  REQUIRE(
      parse_cameras("\xEF\xBB\xBF# two cameras\r\n"
                    "+1.5e3 0 320 -1e-3 # f, and the middle\n"
                    "\t0   1500.5\t240 .5\r\n"
                    "\n"
                    "   # of depths\n"
                    "0 0 1 0\n"
                    "-2 0 0 1\n0 -2 0 2\n0 0 -2 3",
                    &cameras, &error));
  REQUIRE(cameras.size() == 2);
  const double first[3][4] = {{1500, 0, 320, -.001}, {0, 1500.5, 240, .5}, {0, 0, 1, 0}};
  const double second[3][4] = {{-2, 0, 0, 1}, {0, -2, 0, 2}, {0, 0, -2, 3}};
  CHECK(std::memcmp(cameras[0].at, first, sizeof first) == 0);
  CHECK(std::memcmp(cameras[1].at, second, sizeof second) == 0);
  CHECK(cameras[0].line == 2);
  CHECK(cameras[1].line == 7);
}

TEST_CASE("matrices that are refused") {
  const std::string none = "expected three rows of four numbers";
  CHECK(error_of("") == "line 1: found the end, " + none);
  CHECK(error_of("\n # nothing\n") == "line 3: found the end, " + none);
  CHECK(error_of("1 0 0 0\n0 1 0\n") == "line 2: found 3 of the four numbers of a row");
  CHECK(error_of("1 0 0 0 5\n") == "line 1: found \"5\", expected four numbers");
  CHECK(error_of("1 0 0 0 # 5\n0 1, 0 0\n") == "line 2: found \"1,\", expected a number");
  CHECK(error_of("1 0 0 inf\n") == "line 1: found \"inf\", expected a finite number");
  CHECK(error_of("1 0 0 1e999\n") ==
        "line 1: found \"1e999\", expected a number within the range of double precision");
  CHECK(error_of("1 0 0 0x1\n") == "line 1: found \"0x1\", expected a decimal number");
  CHECK(error_of(kOne + "\n" + kOne + "1 0 0 0\n\n0 1 0 0\n") ==
        "line 8: found 2 of the three rows of a matrix");
  CHECK(error_of(kOne + "# flat\n1 0 0 0\n0 1 0 0\n1 1 0 7\n") ==
        "line 5: the matrix is not that of a camera: its first three columns have no inverse");
  CHECK(error_of(kOne + "1e300 0 0 0\n0 1e300 0 0\n0 0 1e300 0\n").starts_with("line 4: "));
  CHECK(error_of("%YAML:1.0\n") == "line 1: found \"%YAML:1.0\", expected a number");
  CHECK(error_of(std::string("\0\xff 1", 4)) == "line 1: found \"\\x00\\xff\", expected a number");
}

// (In time that grows with the lines: else this takes a minute.)
TEST_CASE("many lines") {
  CHECK(error_of(std::string(1 << 20, '\n')).starts_with("line 1048577: found the end"));
}

// Whatever the bytes are, there is a result or an error; and what is read can be used.
TEST_CASE("any bytes") {
  Random random(1);
  const std::string alphabet = "0123456789.eE+-# \t\r\n\nx\xff";
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = kOne + kOne;
    for (int n = random.below(4); n > 0; --n)
      text[static_cast<std::size_t>(random.below(static_cast<int>(text.size())))] =
          alphabet[static_cast<std::size_t>(random.below(static_cast<int>(alphabet.size())))];
    std::vector<CameraMatrix> cameras;
    std::string error;
    const bool ok = parse_cameras(text, &cameras, &error);
    CHECK(ok == error.empty());
    for (const CameraMatrix &camera : cameras)
      CHECK(is_camera_matrix(camera.at));
    read += ok;
  }
  CHECK(read > 4000);
}

TEST_CASE("neighbours") {
  const double one[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  const double larger[3][4] = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 1, 0}};
  const double moved[3][4] = {{1, 0, 0, -1}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  const double far[3][4] = {{1, 0, 0, -1e300}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  CHECK(check_neighbour(one, moved, 1).ok());
  CHECK(check_neighbour(moved, one, 1e5).ok());
  CHECK_FALSE(check_neighbour(one, one, 1).ok());
  CHECK_FALSE(check_neighbour(one, larger, 1).ok());
  CHECK_FALSE(check_neighbour(one, moved, 1e7).ok());
  CHECK_FALSE(check_neighbour(one, far, 1).ok());
}

}  // namespace
}  // namespace coalesce::test
