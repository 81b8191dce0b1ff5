// SPDX-License-Identifier: LGPL-2.1-or-later
// The twin of the JPEG encoder's kernels, as the plugin calls it.

#include <memory>

#include "../../../kernels/jpeg/encoder/cuda_encoder.h"
#include "../../../kernels/jpeg/encoder/encoder.h"
#include "../../../kernels/picture/formats.h"
#include "../selftest.h"

namespace selftest {

namespace {

using namespace coalesce::jpeg;
using coalesce::ConstImage;
using coalesce::StatusCode;

constexpr int width = 37, height = 23;

EncoderParams params() {
  EncoderParams p;
  p.format = coalesce::pixel_format("GRAY8");
  p.width = width;
  p.height = height;
  return p;
}

ConstImage image_at(const void *data, std::size_t pitch) {
  ConstImage image = {params().format, width, height, false, {}};
  image.plane[0] = {static_cast<const std::uint8_t *>(data), width, height, pitch};
  return image;
}

// A grey picture in device memory, filled in the order of a stream.
struct Grey {
  Grey() { CHECK_OK(cuMemAllocPitch_v2(&pointer, &pitch, width, height, 4)); }
  ~Grey() { CHECK_OK(cuMemFree_v2(pointer)); }
  Grey(const Grey &) = delete;
  void fill(unsigned char value, CUstream stream) {
    CHECK_OK(cuMemsetD2D8Async(pointer, pitch, value, width, height, stream));
  }
  ConstImage image() const { return image_at(reinterpret_cast<const void *>(pointer), pitch); }
  CUdeviceptr pointer = 0;
  std::size_t pitch = 0;
};

// What the CPU makes of a picture of that grey.
std::vector<std::uint8_t> expected(unsigned char value) {
  const std::vector<std::uint8_t> pixels(width * height, value);
  std::unique_ptr<Encoder> encoder;
  std::vector<std::uint8_t> bytes;
  CHECK(Encoder::make(params(), &encoder).ok());
  CHECK(encoder->encode(image_at(pixels.data(), width), &bytes).ok());
  return bytes;
}

std::unique_ptr<CudaEncoder> make(int slots) {
  std::unique_ptr<CudaEncoder> encoder;
  CHECK(CudaEncoder::make(params(), slots, &encoder).ok());
  return encoder;
}

void check_slot(CudaEncoder &encoder, int slot, unsigned char value) {
  const std::vector<std::uint8_t> want = expected(value);
  std::size_t bytes = 0;
  CHECK(encoder.wait(slot, &bytes).ok());
  CHECK_EQ(bytes, want.size());
  HostBytes got(bytes, 0);
  CHECK(encoder.fetch(slot, got.data).ok());
  CHECK(std::memcmp(got.data, want.data(), want.size()) == 0);
}

// The samples are read in the order of the caller's stream, between what comes before and after.
TEST_CASE("the JPEG encoder reads in order") {
  Session session;
  StreamHandle stream;
  Grey grey;
  auto encoder = make(2);
  for (int round = 0; round < 2; ++round) {
    for (int slot = 0; slot < 2; ++slot) {
      grey.fill(static_cast<unsigned char>(50 + 10 * slot + round), stream);
      CHECK(encoder->start(slot, grey.image(), stream).ok());
      grey.fill(200, stream);
    }
    check_slot(*encoder, 1, static_cast<unsigned char>(60 + round));
    check_slot(*encoder, 0, static_cast<unsigned char>(50 + round));
  }
  CHECK_EQ(counts().copies_dtoh, 4);
  CHECK_EQ(counts().pageable_async_copies, 0);
}

TEST_CASE("the JPEG encoder works late") {
  Session session;
  StreamHandle stream;
  Grey grey;
  auto encoder = make(1);
  grey.fill(50, stream);
  const auto before = counts().executed;
  CHECK(encoder->start(0, grey.image(), stream).ok());
  CHECK_EQ(counts().executed, before);
  // Once the caller's stream has passed it, the samples have been read, and no more than that.
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK(counts().pending > 0);
  encoder->abandon(0);
  CHECK_EQ(counts().pending, 0);
}

TEST_CASE("the JPEG encoder gives everything back") {
  Session session;
  StreamHandle stream;
  Grey grey;
  grey.fill(50, stream);
  auto encoder = make(3);
  CHECK_EQ(counts().allocations_live, 1 + 3);
  CHECK(encoder->start(0, grey.image(), stream).ok());
  encoder.reset();
  for (FakecudaFunction function :
       {FAKECUDA_ALLOC, FAKECUDA_STREAM_CREATE, FAKECUDA_EVENT_CREATE}) {
    fakecuda_fail(function, 2, CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(CudaEncoder::make(params(), 2, &encoder).code() == StatusCode::out_of_memory);
    CHECK_EQ(counts().allocations_live, 1);
  }
  session.injected_faults = 3;
}

TEST_CASE("the JPEG encoder reports failures") {
  Session session;
  StreamHandle stream;
  Grey grey;
  std::size_t bytes = 0;
  for (FakecudaFunction function : {FAKECUDA_EVENT_RECORD, FAKECUDA_STREAM_WAIT, FAKECUDA_LAUNCH}) {
    auto encoder = make(1);
    fakecuda_fail(function, 2, CUDA_ERROR_LAUNCH_FAILED);
    CHECK(encoder->start(0, grey.image(), stream).code() == StatusCode::device_error);
  }
  auto encoder = make(1);
  CHECK(encoder->wait(0, &bytes).code() == StatusCode::device_error);  // nothing is under way
  CHECK(encoder->start(0, grey.image(), stream).ok());
  CHECK(encoder->start(0, grey.image(), stream).code() == StatusCode::device_error);
  encoder->abandon(0);
  CHECK(encoder->set_quality(0).code() == StatusCode::invalid_argument);
  session.injected_faults = 3;
}

}  // namespace

}  // namespace selftest
