#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests docs/examples/cuda_arrays.py without a library of arrays: by the addresses that it has for them.

usage: cuda_arrays_test.py MEMORY

MEMORY is system, or cuda on the simulated driver, whose device memory the CPU can read when it is not protected.
"""
import ctypes
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs" / "examples"))
try:
    import cuda_arrays
    from gi.repository import Gst
except (ImportError, ValueError) as problem:
    print(f"SKIP: {problem}")
    sys.exit(77)


def interface_of(plane, cuda):
    names = ["__cuda_array_interface__", "__array_interface__"]
    has, lacks = names if cuda else reversed(names)
    assert hasattr(plane, has) and not hasattr(plane, lacks), "the wrong kind of array"
    return getattr(plane, has)


def row_addresses(interface):
    """Address and bytes of each row."""
    shape, strides = interface["shape"], interface["strides"]
    size = shape[1] * strides[1]
    assert strides[0] >= size
    return [(interface["data"][0] + y * strides[0], size) for y in range(shape[0])]


def samples(plane, cuda):
    return b"".join(ctypes.string_at(*row) for row in row_addresses(interface_of(plane, cuda)))


def frame(text, context=None):
    pipeline = Gst.parse_launch(text + " ! appsink name=sink")
    if context:
        cuda_arrays.share_context(pipeline, context)
    pipeline.set_state(Gst.State.PLAYING)
    sample = cuda_arrays.pull(pipeline.get_by_name("sink"))
    pipeline.set_state(Gst.State.NULL)
    return sample


def new_context():
    driver, handle = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    cuda_arrays.check(driver.cuInit(0))
    cuda_arrays.check(driver.cuCtxCreate_v2(ctypes.byref(handle), 0, 0))
    return handle


def main():
    cuda = {"system": False, "cuda": True}[sys.argv[1]]
    Gst.init(None)
    assert cuda_arrays.has_gpu() == cuda, "a GPU is usable, or none is, unlike what was said"
    context = new_context() if cuda else None
    memory = "video/x-raw(memory:CUDAMemory)" if cuda else "video/x-raw"
    for name, expected in {
            "GRAY8": [((31, 43), "|u1")],
            "I420": [((31, 43), "|u1"), ((16, 22), "|u1"), ((16, 22), "|u1")],
            "NV12": [((31, 43), "|u1"), ((16, 22, 2), "|u1")],
            "RGB": [((31, 43, 3), "|u1")],
            "AYUV64": [((31, 43, 4), "<u2")],
            "GRAY16_LE": [((31, 43), "<u2")]}.items():
        source = f"videotestsrc num-buffers=1 ! video/x-raw,format={name},width=43,height=31"
        plain, copy = frame(source), frame(f"{source} ! convolve preset=identity ! {memory}", context)
        wanted = [samples(plane, False) for plane in cuda_arrays.planes(plain.get_buffer(), plain.get_caps())]
        found = cuda_arrays.planes(copy.get_buffer(), copy.get_caps())
        assert [(interface_of(plane, cuda)["shape"], interface_of(plane, cuda)["typestr"])
                for plane in found] == expected, name
        assert [samples(plane, cuda) for plane in found] == wanted, name

        # The way back, with every byte inverted. The arrays keep their map: without them the buffer is whole.
        other = Gst.parse_launch(f"appsrc name=source format=time ! convolve name=copy preset=identity ! {memory} ! "
                                 "appsink name=sink")
        if cuda:
            cuda_arrays.share_context(other, context)
        other.get_by_name("source").set_property("caps", copy.get_caps())
        other.set_state(Gst.State.PLAYING)
        buffer = cuda_arrays.buffer_for(other.get_by_name("copy").get_static_pad("sink"), copy.get_caps())
        written = cuda_arrays.planes(buffer, copy.get_caps(), cuda_arrays.WRITE)
        for plane, data in zip(written, wanted):
            for number, (address, size) in enumerate(row_addresses(interface_of(plane, cuda))):
                ctypes.memmove(address, bytes(255 - byte for byte in data[number * size:][:size]), size)
        del written, plane
        other.get_by_name("source").push_buffer(buffer)
        other.get_by_name("source").end_of_stream()
        result = cuda_arrays.pull(other.get_by_name("sink"))
        back = [samples(plane, cuda) for plane in cuda_arrays.planes(result.get_buffer(), result.get_caps())]
        assert back == [bytes(255 - byte for byte in data) for data in wanted], f"{name}, back"
        other.set_state(Gst.State.NULL)
        print(name, memory, "and back")


main()
