// SPDX-License-Identifier: LGPL-2.1-or-later
// Calibrations: what is read, and what is refused, by line.
#include "remap/calibration.h"

#include "../../support/doctest.h"

namespace coalesce::test {
namespace {

// As OpenCV 4 writes the files of stereo_calib, one behind the other.
const std::string kIntrinsics = R"(%YAML:1.0
---
M1: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 5.3480e+02, 0., 3.3483e+02, 0., 5.3481e+02, 2.4132e+02, 0.,
       0., 1. ]
D1: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ -2.9e-01, 1.0e-01, 1.3e-03, -2.5e-04, 1.5e-02 ]
M2: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 537., 0., 327., 0., 537., 249., 0., 0., 1. ]
D2: !!opencv-matrix
   rows: 4
   cols: 1
   dt: f
   data: [ -.29, +1e-1, 0, 0 ]
)";
const std::string kExtrinsics = R"(%YAML:1.0
---
R: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]
R1: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]
R2: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]
P1: !!opencv-matrix
   rows: 3
   cols: 4
   dt: d
   data: [ 500., 0., 320., 0., 0., 500., 240., 0., 0., 0., 1., 0. ]
P2: !!opencv-matrix
   rows: 3
   cols: 4
   dt: d
   data: [ 500., 0., 320., -60000., 0., 500., 240., 0., 0., 0., 1., 0. ]
)";
const std::string kBoth = kIntrinsics + kExtrinsics;

bool read(const std::string &text, StereoCalibration *calibration, std::string *error) {
  // No byte of the caller's is behind the text.
  const std::vector<char> bytes(text.begin(), text.end());
  return parse_stereo_calibration({bytes.data(), bytes.size()}, calibration, error);
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void expect_error(const std::string &text, const std::string &words) {
  StereoCalibration calibration;
  calibration.width = 77;
  std::string error;
  CHECK_FALSE(read(text, &calibration, &error));
  CHECK_MESSAGE(error.find(words) != std::string::npos, error, " does not say ", words);
  CHECK(calibration.width == 77);
}

}  // namespace

TEST_CASE("calibration: two files of stereo_calib") {
  StereoCalibration c;
  std::string error;
  REQUIRE_MESSAGE(read(kBoth, &c, &error), error);
  CHECK(c.camera[0].matrix[0] == 534.80);
  CHECK(c.camera[0].matrix[2] == 334.83);
  CHECK(c.camera[0].matrix[8] == 1);
  CHECK(c.camera[0].distortion[4] == 0.015);
  CHECK(c.camera[0].distortion[5] == 0);
  CHECK(c.camera[1].distortion[1] == 0.1);
  CHECK(c.camera[1].rotation[4] == 1);
  CHECK(c.camera[1].projection[3] == -60000);
  CHECK(c.focal_length() == 500);
  CHECK(c.baseline() == 120);
  CHECK(c.width == 0);
  CHECK(c.width_line == 0);
}

TEST_CASE("calibration: what else may be there") {
  StereoCalibration c;
  std::string error;
  // Ends of lines, comments, other values, OpenCV 5's head and arrays, sizes, other names.
  std::string text = replaced(kBoth, "%YAML:1.0", "# by hand\n\n%YAML 1.2");
  text = replaced(text, "D1: !!opencv-matrix\n   rows: 1\n   cols: 5\n",
                  "D1: !!opencv-nd-matrix\n   sizes: [ 5 ]\n");
  text = replaced(text, "M2: !!", "cameraMatrix2: !!");
  text = replaced(text, "---\n",
                  "---\nimage_width: 640\nimage_height: 480\ntime: \"12:30\"\nviews:\n   - 1\n"
                  "   - { a: 1,\n      b: [ 2, 3 ] }\nrms: .Nan\n");
  std::string lines;
  for (const char letter : text)
    lines += letter == '\n' ? "\r\n" : std::string(1, letter);
  for (const std::string &each : {text, lines, text.substr(0, text.size() - 1)}) {
    REQUIRE_MESSAGE(read(each, &c, &error), error);
    CHECK(c.camera[1].projection[3] == -60000);
    CHECK(c.camera[1].matrix[0] == 537);
    CHECK(c.width == 640);
    CHECK(c.width_line == 5);
    CHECK(c.height == 480);
    CHECK(c.height_line == 6);
  }
  for (const char *n : {"8", "12", "14"}) {
    std::string zeros = "0.";
    for (int i = 1; i < std::stoi(n); ++i)
      zeros += ", 0.";
    REQUIRE(read(replaced(replaced(kBoth, "cols: 5", std::string("cols: ") + n),
                          "-2.9e-01, 1.0e-01, 1.3e-03, -2.5e-04, 1.5e-02", zeros),
                 &c, &error));
  }
}

TEST_CASE("calibration: refused by line") {
  const struct {
    const char *from, *to, *words;
  } cases[] = {
      {"%YAML:1.0", "<?xml version=\"1.0\"?>",
       "line 1: found \"<?xml version=\\\"1.0\\\"?>\", "
       "expected %YAML, as OpenCV's FileStorage begins"},
      {"M1: !!opencv-matrix", "M1 !!opencv-matrix", "line 3: found"},
      {"M1: !!opencv-matrix", "M1: [ 1, 2 ]",
       "line 3: found \"[ 1, 2 ]\", expected !!opencv-matrix"},
      {"M1: !!opencv-matrix", "M1:", "line 3: found nothing, expected !!opencv-matrix"},
      {"rows: 3", "rows: three", "line 4: found \"three\", expected a whole number"},
      {"rows: 3", "rows: 2", "line 3: M1 has 2x3 numbers; 3x3 are required"},
      {"rows: 3", "rows: 99999999999", "line 4: found \"99999999999\", expected a whole number"},
      {"rows: 3", "rows: -3", "line 3: M1 has -3x3 numbers"},
      {"   cols: 3\n", "", "line 6: data of M1 before its rows, cols and dt"},
      {"   cols: 3\n", "   cols:\n", "line 5: found nothing, expected a whole number"},
      {"   dt: d\n", "   dt: u\n", "line 6: found \"u\", expected dt d or f"},
      {"   dt: d\n", "   type: d\n",
       "line 6: found \"type: d\", expected rows, cols, dt or data of M1"},
      {"   data: [ 5.3480e+02", "   data: 5.3480e+02",
       "line 7: found \"5.3480e+02, 0., 3.3483e+...\", expected ["},
      {"   data: [ 5.3480e+02", "   data", "line 7: found \"data"},
      {"5.3480e+02", "5.3480x", "line 7: found \"5.3480x\", expected a number"},
      {"5.3480e+02", ".Nan", "line 7: found \".Nan\", expected a number"},
      {"5.3480e+02", "1e999", "expected a number within the range of double precision"},
      {"5.3480e+02", "", "line 7: found \",\", expected a number"},
      {"       0., 1. ]\nD1", "       0., 1., 2. ]\nD1",
       "line 8: M1 has 10 numbers; 3x3 are required; too many"},
      {"       0., 1. ]\nD1", "       0. ]\nD1", "line 8: M1 has 8 numbers; 3x3 are required"},
      {"       0., 1. ]\nD1", "       0., 1. ] x\nD1",
       "line 8: found \"x\", expected the end of the line"},
      {"       0., 1. ]\nD1", "       0., 1.\nD1",
       "line 9: found \"D1: !!opencv-matrix\", expected a comma or ]"},
      {"cols: 5", "cols: 6",
       "line 9: D1 has 1x6 numbers; a row or a column of 4, 5, 8, 12 or 14 is required"},
      {"D1:", "M1:", "line 9: M1 is there twice; the first is in line 3"},
      {"M1:", "camera:", "there is no M1; OpenCV's sample stereo_calib writes M1, D1, M2 and D2"},
      {"P2:", "P3:", "there is no P2"},
      {"5.3480e+02, 0.", "0., 0.", "line 3: M1 has no focal lengths above 0"},
      {"500., 0., 320., 0.", "-500., 0., 320., 0.", "line 41: P1 has no focal lengths above 0"},
      {"R1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [ 1.",
       "R1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [ 0.",
       "line 31: R1 is no rotation"},
      {"-60000., 0.", "0., 0.00", ""},
      {"-60000.", "60000.", "line 46: by P2 the second camera is left of the first"},
      {"-60000., 0., 500., 240., 0.", "0., 0., 500., 240., -60000.",
       "line 46: by P2 the cameras are above each other"},
      {"---\n", "---\nimage_width: 0\n", "line 3: found \"0\", expected a number of pixels"},
      {"---\n", "---\nimage_height: 640.5\n",
       "line 3: found \"640.5\", expected a number of pixels"},
      {"D1: !!opencv-matrix\n   rows: 1\n   cols: 5\n", "D1: !!opencv-nd-matrix\n   sizes: 5\n",
       "line 10: found \"5\", expected sizes in brackets, one or two"},
  };
  for (const auto &c : cases) {
    StereoCalibration calibration;
    std::string error;
    if (*c.words != 0)
      expect_error(replaced(kBoth, c.from, c.to), c.words);
    else  // cameras without a distance
      CHECK(read(replaced(kBoth, c.from, c.to), &calibration, &error));
  }
  expect_error("", "line 1: found nothing, expected %YAML");
  expect_error("%YAML:1.0", "there is no M1");
  expect_error("%YAML:1.0\nM1: !!opencv-matrix", "M1 ends without data");
  expect_error("%YAML:1.0\nM1: !!opencv-matrix\nD1: 5", "line 3: M1 ends without data");
}

// Every beginning of a good file, and every byte of it another one.
TEST_CASE("calibration: hostile bytes") {
  StereoCalibration c;
  std::string error;
  for (std::size_t n = 0; n + 5 < kBoth.size(); ++n) {
    error.clear();
    CHECK_FALSE(read(kBoth.substr(0, n), &c, &error));
    CHECK_FALSE(error.empty());
  }
  for (const char byte : {'\0', '\n', '[', ',', ':', ' ', '9', '\xff'})
    for (std::size_t n = 0; n < kBoth.size(); ++n) {
      std::string text = kBoth;
      text[n] = byte;
      error.clear();
      const bool good = read(text, &c, &error);
      CHECK(good == error.empty());
    }
}

}  // namespace coalesce::test
