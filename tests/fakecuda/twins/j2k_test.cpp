// SPDX-License-Identifier: LGPL-2.1-or-later
// The twin of the encoder's kernels, as the plugin calls it.

#include <memory>

#include "../../../kernels/j2k/encoder/cuda_encoder.h"
#include "../../../kernels/j2k/encoder/encoder.h"
#include "../selftest.h"

namespace selftest {

namespace {

using namespace coalesce::j2k;
using coalesce::StatusCode;

constexpr int width = 37, height = 23;

EncoderParams params() {
  EncoderParams p;
  p.coding.image = {0, 0, width, height};
  p.coding.levels = 2;
  return p;
}

// A grey picture in device memory, filled in the order of a stream.
struct Grey {
  Grey() {
    CHECK_OK(cuMemAllocPitch_v2(&pointer, &pitch, width, height, 4));
    samples.data = reinterpret_cast<const void *>(pointer);
    samples.pitch = pitch;
  }
  ~Grey() { CHECK_OK(cuMemFree_v2(pointer)); }
  Grey(const Grey &) = delete;
  void fill(unsigned char value, CUstream stream) {
    CHECK_OK(cuMemsetD2D8Async(pointer, pitch, value, width, height, stream));
  }
  CUdeviceptr pointer = 0;
  std::size_t pitch = 0;
  Samples samples;
};

// What the CPU makes of a picture of that grey.
std::vector<std::uint8_t> expected(unsigned char value) {
  const std::vector<std::uint8_t> pixels(width * height, value);
  Samples samples;
  samples.data = pixels.data();
  samples.pitch = width;
  std::unique_ptr<Encoder> encoder;
  std::vector<std::uint8_t> bytes;
  CHECK(Encoder::make(params(), &encoder).ok());
  CHECK(encoder->encode(&samples, nullptr, &bytes).ok());
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
TEST_CASE("the encoder reads in order") {
  Session session;
  StreamHandle stream;
  Grey grey;
  auto encoder = make(2);
  for (int round = 0; round < 2; ++round) {
    for (int slot = 0; slot < 2; ++slot) {
      grey.fill(static_cast<unsigned char>(50 + 10 * slot + round), stream);
      CHECK(encoder->start(slot, &grey.samples, stream).ok());
      grey.fill(200, stream);
    }
    check_slot(*encoder, 1, static_cast<unsigned char>(60 + round));
    check_slot(*encoder, 0, static_cast<unsigned char>(50 + round));
  }
  CHECK_EQ(counts().copies_dtoh, 4);
  CHECK_EQ(counts().pageable_async_copies, 0);
}

TEST_CASE("the encoder works late") {
  Session session;
  StreamHandle stream;
  Grey grey;
  auto encoder = make(1);
  grey.fill(50, stream);
  const auto before = counts().executed;
  CHECK(encoder->start(0, &grey.samples, stream).ok());
  CHECK_EQ(counts().executed, before);
  // Once the caller's stream has passed it, the samples have been read, and no more than that.
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK(counts().pending > 0);
  encoder->abandon(0);
  CHECK_EQ(counts().pending, 0);
}

TEST_CASE("the encoder gives everything back") {
  Session session;
  StreamHandle stream;
  Grey grey;
  grey.fill(50, stream);
  auto encoder = make(3);
  CHECK_EQ(counts().allocations_live, 1 + 3);
  CHECK(encoder->start(0, &grey.samples, stream).ok());
  encoder.reset();
  for (FakecudaFunction function :
       {FAKECUDA_ALLOC, FAKECUDA_STREAM_CREATE, FAKECUDA_EVENT_CREATE}) {
    fakecuda_fail(function, 2, CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(CudaEncoder::make(params(), 2, &encoder).code() == StatusCode::out_of_memory);
    CHECK_EQ(counts().allocations_live, 1);
  }
  session.injected_faults = 3;
}

TEST_CASE("the encoder reports failures") {
  Session session;
  StreamHandle stream;
  Grey grey;
  std::size_t bytes = 0;
  for (FakecudaFunction function : {FAKECUDA_EVENT_RECORD, FAKECUDA_STREAM_WAIT, FAKECUDA_LAUNCH}) {
    auto encoder = make(1);
    fakecuda_fail(function, 2, CUDA_ERROR_LAUNCH_FAILED);
    CHECK(encoder->start(0, &grey.samples, stream).code() == StatusCode::device_error);
  }
  auto encoder = make(1);
  CHECK(encoder->wait(0, &bytes).code() == StatusCode::device_error);  // nothing is under way
  CHECK(encoder->start(0, &grey.samples, stream).ok());
  CHECK(encoder->start(0, &grey.samples, stream).code() == StatusCode::device_error);
  fakecuda_fail(FAKECUDA_EXECUTE, 1, CUDA_ERROR_LAUNCH_FAILED);
  CHECK(encoder->wait(0, &bytes).code() == StatusCode::device_error);
  fakecuda_reset_faults();
  encoder->abandon(0);
  std::uint8_t host = 0;
  Samples on_host = grey.samples;
  on_host.data = &host;
  CHECK(encoder->start(0, &on_host, stream).code() == StatusCode::device_error);
  session.bad_accesses = 1;
  session.injected_faults = 4;
}

}  // namespace

}  // namespace selftest
