// SPDX-License-Identifier: LGPL-2.1-or-later
// What is done when: lazy streams, events, the legacy default stream.

#include <array>
#include <thread>
#include <vector>

#include "selftest.h"

namespace selftest {

namespace {

constexpr int poison = 0xCD;

TEST_CASE("nothing before the wait") {
  Session session;
  DeviceBytes device(64);
  HostBytes from(64, 7), to(64, 1);
  StreamHandle stream;
  CHECK_OK(cuMemcpyHtoDAsync_v2(device.pointer, from.data, 64, stream));
  CHECK_EQ(peek(device.pointer), poison);
  CHECK_OK(cuMemcpyDtoHAsync_v2(to.data, device.pointer, 64, stream));
  CHECK_EQ(to.data[63], 1);
  // Page-locked memory is read when the copy runs, not when it is asked for.
  from.data[63] = 9;
  CHECK_EQ(counts().pending, 2);
  CHECK_EQ(counts().stalls, 1);  // the synchronous copy waited for itself
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK_EQ(to.data[0], 7);
  CHECK_EQ(to.data[63], 9);
  CHECK_EQ(counts().stalls, 2);
  CHECK_OK(cuStreamSynchronize(stream));
  FakecudaCounts c = counts();
  CHECK_EQ(c.stream_syncs, 2);
  CHECK_EQ(c.stalls, 2);
  CHECK_EQ(c.copies_htod, 1);
  CHECK_EQ(c.bytes_htod, 64);
  CHECK_EQ(c.copies_dtoh, 2);
  CHECK_EQ(c.bytes_dtoh, 65);
  CHECK_EQ(c.implicit_syncs, 1);
  CHECK_EQ(c.executed, 3);
  CHECK_EQ(c.pageable_async_copies, 0);
}

TEST_CASE("order within a stream") {
  Session session;
  DeviceBytes device(1);
  StreamHandle stream;
  CHECK_OK(cuMemsetD8Async(device.pointer, 1, 1, stream));
  CHECK_OK(cuMemsetD8Async(device.pointer, 2, 1, stream));
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK_EQ(peek(device.pointer), 2);
  CHECK_EQ(counts().memsets, 2);
}

TEST_CASE("default stream and blocking streams") {
  Session session;
  int ran = 0, ran_blocking = 0, ran_default = 0;
  DeviceBytes device(4);
  StreamHandle free_running(CU_STREAM_NON_BLOCKING), blocking(CU_STREAM_DEFAULT);
  add_one(free_running, &ran);
  add_one(blocking, &ran_blocking);
  peek(device.pointer);
  CHECK_EQ(ran, 0);
  CHECK_EQ(ran_blocking, 1);
  // The other way round: a blocking stream comes after the default stream, the other one does not.
  add_one(nullptr, &ran_default);
  add_one(free_running, &ran);
  CHECK_OK(cuStreamSynchronize(free_running));
  CHECK_EQ(ran, 2);
  CHECK_EQ(ran_default, 0);
  add_one(blocking, &ran_blocking);
  CHECK_OK(cuStreamSynchronize(blocking));
  CHECK_EQ(ran_default, 1);
  // Waiting for the default stream is waiting for the blocking ones.
  add_one(blocking, &ran_blocking);
  CHECK_OK(cuStreamSynchronize(nullptr));
  CHECK_EQ(ran_blocking, 3);
}

TEST_CASE("copies within the device do not wait") {
  Session session;
  DeviceBytes a(16), b(16);
  StreamHandle other;
  CHECK_OK(cuMemsetD8_v2(a.pointer, 5, 16));
  CHECK_OK(cuMemcpyDtoD_v2(b.pointer, a.pointer, 16));
  CHECK_EQ(counts().pending, 2);
  HostBytes seen(16, 0);
  CHECK_OK(cuMemcpyDtoHAsync_v2(seen.data, b.pointer, 16, other));
  CHECK_OK(cuStreamSynchronize(other));
  CHECK_EQ(seen.data[0], poison);
  CHECK_EQ(peek(b.pointer), 5);
  CHECK_EQ(counts().copies_dtod, 1);
  CHECK_EQ(counts().bytes_dtod, 16);
}

TEST_CASE("waits follow events") {
  Session session;
  int first = 0, second = 0, third = 0;
  StreamHandle a, b, c;
  EventHandle after_first, after_second;
  add_one(a, &first);
  CHECK_OK(cuEventRecord(after_first, a));
  CHECK_OK(cuStreamWaitEvent(b, after_first, 0));
  CHECK_EQ(first, 0);
  add_one(b, &second);
  CHECK_OK(cuEventRecord(after_second, b));
  CHECK_OK(cuStreamWaitEvent(c, after_second, 0));
  add_one(c, &third);
  CHECK_OK(cuStreamSynchronize(c));
  CHECK_EQ(first, 1);
  CHECK_EQ(second, 1);
  CHECK_EQ(third, 1);
  CHECK_EQ(counts().stream_waits, 2);
  CHECK_EQ(counts().records, 2);
}

TEST_CASE("waits hold back only what follows") {
  Session session;
  int early = 0, late = 0, foreign = 0;
  StreamHandle a, b;
  EventHandle before, event;
  add_one(b, &early);
  CHECK_OK(cuEventRecord(before, b));
  add_one(a, &foreign);
  CHECK_OK(cuEventRecord(event, a));
  CHECK_OK(cuStreamWaitEvent(b, event, 0));
  add_one(b, &late);
  CHECK_OK(cuEventSynchronize(before));
  CHECK_EQ(early, 1);
  CHECK_EQ(foreign, 0);
  CHECK_EQ(late, 0);
  CHECK_OK(cuCtxSynchronize());
  CHECK_EQ(late, 1);
  CHECK_EQ(counts().event_syncs, 1);
  CHECK_EQ(counts().context_syncs, 1);
}

TEST_CASE("a wait means the record before it") {
  Session session;
  int first = 0, second = 0;
  StreamHandle a, b;
  EventHandle event;
  CHECK_OK(cuStreamWaitEvent(b, event, 0));  // never recorded: nothing to wait for
  add_one(a, &first);
  CHECK_OK(cuEventRecord(event, a));
  add_one(a, &second);
  CHECK_OK(cuStreamWaitEvent(b, event, 0));
  CHECK_OK(cuEventRecord(event, a));
  CHECK_OK(cuStreamSynchronize(b));
  CHECK_EQ(first, 1);
  CHECK_EQ(second, 0);
  CHECK_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  CHECK_OK(cuEventSynchronize(event));
  CHECK_EQ(second, 1);
}

TEST_CASE("a wait outlives its event and stream") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  StreamHandle b;
  {
    StreamHandle a;
    EventHandle event;
    add_one(a, &ran);
    CHECK_OK(cuEventRecord(event, a));
    CHECK_OK(cuStreamWaitEvent(b, event, 0));
  }
  CHECK_EQ(ran, 0);
  CHECK_OK(cuStreamSynchronize(b));
  CHECK_EQ(ran, 1);
}

TEST_CASE("queries make progress") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  StreamHandle stream;
  EventHandle event;
  CHECK_OK(cuEventQuery(event));
  CHECK_OK(cuStreamQuery(stream));
  add_one(stream, &ran);
  add_one(stream, &ran);
  CHECK_OK(cuEventRecord(event, stream));
  add_one(stream, &ran);
  for (int expected : {1, 2, 2}) {
    CHECK_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    CHECK_EQ(ran, expected);
  }
  CHECK_OK(cuEventQuery(event));
  CHECK_EQ(ran, 2);
  CHECK_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  CHECK_OK(cuStreamQuery(stream));
  CHECK_EQ(ran, 3);
  StreamHandle blocking(CU_STREAM_DEFAULT);
  add_one(blocking, &ran);
  CHECK_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  CHECK_OK(cuStreamQuery(nullptr));
  CHECK_EQ(ran, 4);
  add_one(stream, &ran);
  CHECK_OK(cuStreamQuery(nullptr));
  CHECK_EQ(counts().event_queries, 5);
  CHECK_EQ(counts().stream_queries, 6);
  CHECK_EQ(counts().stalls, 0);
}

// Of work on another stream that has to come first, too.
TEST_CASE("queries follow waits") {
  Session session;
  StreamHandle first, second;
  EventHandle middle, end;
  int ran = 0;
  for (int i = 0; i < 3; ++i)
    CHECK_OK(add_one(first, &ran));
  CHECK_OK(cuEventRecord(middle, first));
  CHECK_OK(cuStreamWaitEvent(second, middle, 0));
  CHECK_OK(cuEventRecord(end, second));
  for (int i = 1; i <= 3; ++i) {
    CHECK_EQ(cuEventQuery(end), CUDA_ERROR_NOT_READY);
    CHECK_EQ(ran, i);
  }
  // Three more: the first record, the wait, the second record.
  for (int i = 0; i < 3; ++i)
    CHECK_EQ(cuEventQuery(end), CUDA_ERROR_NOT_READY);
  CHECK_OK(cuEventQuery(end));
}

TEST_CASE("a destroyed stream finishes later") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  EventHandle event;
  {
    StreamHandle stream;
    add_one(stream, &ran);
    CHECK_OK(cuEventRecord(event, stream));
  }
  CHECK_EQ(ran, 0);
  CHECK_EQ(counts().streams_live, 0);
  CHECK_OK(cuEventSynchronize(event));
  CHECK_EQ(ran, 1);
  {
    StreamHandle stream;
    add_one(stream, &ran);
  }
  CHECK_OK(cuCtxSynchronize());
  CHECK_EQ(ran, 2);
}

TEST_CASE("freeing memory waits") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  StreamHandle stream;
  {
    DeviceBytes device(1);
    add_one(stream, &ran);
  }
  CHECK_EQ(ran, 1);
  CHECK_EQ(counts().implicit_syncs, 1);
  CHECK_EQ(counts().stalls, 1);
}

TEST_CASE("destroying a context waits") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  CUcontext other;
  CHECK_OK(cuCtxCreate_v2(&other, 0, 1));
  CUstream stream;
  CHECK_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  add_one(stream, &ran);
  CHECK_OK(cuCtxDestroy_v2(other));
  CHECK_EQ(ran, 1);
  session.leaked = 1;
}

TEST_CASE("waits cross contexts") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  StreamHandle here;
  CUcontext other;
  CHECK_OK(cuCtxCreate_v2(&other, 0, 1));
  {
    StreamHandle there;
    EventHandle event;
    add_one(there, &ran);
    CHECK_OK(cuEventRecord(event, there));
    CHECK_OK(cuCtxPushCurrent_v2(session.context));
    CHECK_OK(cuStreamWaitEvent(here, event, 0));
    CHECK_OK(cuStreamSynchronize(here));
    CHECK_EQ(ran, 1);
    CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  }
  CHECK_OK(cuCtxDestroy_v2(other));
}

struct Tracked {
  int *ran, *freed;
};

int launch_tracked(CUstream stream, Tracked *tracked) {
  return fakecuda_launch(
      stream, [](void *arg) { ++*static_cast<Tracked *>(arg)->ran; }, tracked,
      [](void *arg) { ++*static_cast<Tracked *>(arg)->freed; });
}

TEST_CASE("kernels own their argument") {
  Session session;
  int ran = 0, freed = 0;
  Tracked tracked{&ran, &freed};
  StreamHandle stream;
  CHECK_OK(launch_tracked(stream, &tracked));
  CHECK_EQ(freed, 0);
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK_EQ(ran, 1);
  CHECK_EQ(freed, 1);
  fakecuda_fail(FAKECUDA_LAUNCH, 1, CUDA_ERROR_LAUNCH_FAILED);
  CHECK_EQ(launch_tracked(stream, &tracked), CUDA_ERROR_LAUNCH_FAILED);
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK_EQ(ran, 1);
  CHECK_EQ(freed, 2);
  CHECK_EQ(counts().launches, 1);
  session.injected_faults = 1;
}

TEST_CASE("kernels must not call the driver") {
  Session session;
  CUresult answer = CUDA_SUCCESS;
  fakecuda_launch(
      nullptr, [](void *arg) { *static_cast<CUresult *>(arg) = cuCtxSynchronize(); }, &answer,
      nullptr);
  CHECK_OK(cuCtxSynchronize());
  CHECK_EQ(answer, CUDA_ERROR_NOT_PERMITTED);
  // Nor must what frees their argument.
  answer = CUDA_SUCCESS;
  fakecuda_launch(
      nullptr, [](void *) {}, &answer,
      [](void *arg) { *static_cast<CUresult *>(arg) = cuCtxSynchronize(); });
  CHECK_OK(cuCtxSynchronize());
  CHECK_EQ(answer, CUDA_ERROR_NOT_PERMITTED);
}

TEST_CASE("pageable copies are counted") {
  Session session;
  DeviceBytes device(8);
  std::array<unsigned char, 8> pageable{};
  CHECK_OK(cuMemcpyHtoDAsync_v2(device.pointer, pageable.data(), 8, nullptr));
  CHECK_EQ(counts().pageable_async_copies, 1);
  CHECK_OK(cuMemcpyHtoD_v2(device.pointer, pageable.data(), 8));
  CHECK_EQ(counts().pageable_async_copies, 1);
  CHECK_OK(cuMemHostRegister_v2(pageable.data(), 8, 0));
  CHECK_OK(cuMemcpyHtoDAsync_v2(device.pointer, pageable.data(), 8, nullptr));
  CHECK_OK(cuCtxSynchronize());
  CHECK_EQ(counts().pageable_async_copies, 1);
  CHECK_OK(cuMemHostUnregister(pageable.data()));
}

TEST_CASE("eager streams") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  StreamHandle stream;
  EventHandle event;
  add_one(stream, &ran);
  CHECK_EQ(ran, 0);
  fakecuda_set_eager(1);
  add_one(stream, &ran);
  CHECK_EQ(ran, 2);
  CHECK_OK(cuEventRecord(event, stream));
  CHECK_OK(cuEventQuery(event));
  fakecuda_set_eager(0);
  add_one(stream, &ran);
  CHECK_EQ(ran, 2);
  CHECK_EQ(run_again("env:eager", "COALESCE_FAKECUDA_EAGER", "1"), 0);
  CHECK_EQ(run_again("env:eager", "COALESCE_FAKECUDA_EAGER", "0"), 1);
}

TEST_CASE("env:eager" * doctest::skip()) {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  add_one(nullptr, &ran);
  CHECK_EQ(ran, 1);
}

// Every thread moves its own numbers through the device; they all share a stream and its lock.
TEST_CASE("many threads") {
  Session session;
  StreamHandle shared;
  DeviceBytes device(8 * 64);
  CHECK_OK(cuCtxSynchronize());
  std::array<int, 8> wrong{};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      wrong[t] += cuCtxPushCurrent_v2(session.context) != CUDA_SUCCESS;
      {
        HostBytes from(64, t), to(64, 0xFF);
        EventHandle done;
        CUdeviceptr mine = device.pointer + 64 * static_cast<unsigned>(t);
        for (int i = 0; i < 200; ++i) {
          from.data[i % 64] = static_cast<unsigned char>(i);
          wrong[t] += cuMemcpyHtoDAsync_v2(mine, from.data, 64, shared) != CUDA_SUCCESS;
          wrong[t] += cuMemcpyDtoHAsync_v2(to.data, mine, 64, shared) != CUDA_SUCCESS;
          wrong[t] += cuEventRecord(done, shared) != CUDA_SUCCESS;
          wrong[t] += cuEventSynchronize(done) != CUDA_SUCCESS;
          wrong[t] += std::memcmp(from.data, to.data, 64) != 0;
        }
      }
      wrong[t] += cuCtxPopCurrent_v2(nullptr) != CUDA_SUCCESS;
    });
  for (auto &thread : threads)
    thread.join();
  for (int w : wrong)
    CHECK_EQ(w, 0);
}

}  // namespace

}  // namespace selftest
