#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of GStreamer as arrays of CuPy, PyTorch or NumPy, without a copy, and back. See docs/python.md.

usage: cuda_arrays.py

With a GPU the frames are in CUDA memory; without one the same program runs in system memory.
"""
import ctypes
import sys
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstApp, GstVideo  # noqa: E402, F401 (GstApp has the methods of appsink)

READ, WRITE, CUDA = 1, 2, 1 << 17  # GST_MAP_CUDA of gstreamer-cuda-1.0, which has no introspection before 1.24


class MapInfo(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("flags", ctypes.c_int), ("data", ctypes.c_void_p),
                ("size", ctypes.c_size_t), ("maxsize", ctypes.c_size_t), ("user_data", ctypes.c_void_p * 4),
                ("reserved", ctypes.c_void_p * 4)]


core = ctypes.CDLL("libgstreamer-1.0.so.0")
core.gst_buffer_map.argtypes = [ctypes.c_void_p, ctypes.POINTER(MapInfo), ctypes.c_int]
core.gst_buffer_unmap.argtypes = [ctypes.c_void_p, ctypes.POINTER(MapInfo)]


def check(result):
    if result != 0:
        raise RuntimeError(f"the CUDA driver returned error {result}")


def primary_context(device=0):
    """The context that PyTorch and CuPy use."""
    driver, handle = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    check(driver.cuInit(0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(handle), device))
    return handle


def share_context(pipeline, handle, device=0):
    """Makes every element of a pipeline that has not started use this CUcontext."""
    library = ctypes.CDLL("libgstcuda-1.0.so.0")
    for function in library.gst_cuda_context_new_wrapped, library.gst_context_new_cuda_context:
        function.restype = ctypes.c_void_p
    library.gst_context_new_cuda_context.argtypes = [ctypes.c_void_p]
    core.gst_element_set_context.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    core.gst_mini_object_unref.argtypes = [ctypes.c_void_p]
    if not library.gst_cuda_load_library():
        raise RuntimeError("GStreamer could not load the CUDA driver library")
    library.gst_cuda_memory_init_once()
    context = library.gst_context_new_cuda_context(library.gst_cuda_context_new_wrapped(handle, device))
    core.gst_element_set_context(hash(pipeline), context)
    core.gst_mini_object_unref(context)


class Mapping:
    """A mapped buffer. It ends when nobody has it or a plane of it any more: also not an array of a plane."""

    def __init__(self, buffer, flags):
        self.buffer, self.info, self.mapped = buffer, MapInfo(), False
        # PyGObject's hash of an object is its address. A map waits until the last write to the frame has ended.
        self.mapped = bool(core.gst_buffer_map(hash(buffer), ctypes.byref(self.info), flags))
        if not self.mapped:
            raise RuntimeError("the buffer cannot be mapped")

    def __del__(self):
        if self.mapped:
            core.gst_buffer_unmap(hash(self.buffer), ctypes.byref(self.info))


class Plane:
    """Samples of one plane. CuPy and PyTorch read __cuda_array_interface__, NumPy reads __array_interface__."""

    def __init__(self, mapping, cuda, pointer, shape, strides, bytes_of_sample):
        self.mapping = mapping  # an array keeps its plane, and so the frame
        interface = {"version": 3, "shape": shape, "strides": strides, "data": (pointer, False),
                     "typestr": "|u1" if bytes_of_sample == 1 else "<u2"}
        if cuda:
            interface["stream"] = None  # the samples are there
            self.__cuda_array_interface__ = interface
        else:
            self.__array_interface__ = interface


def planes(buffer, caps, flags=READ):
    """The planes of a buffer with these caps: rows, columns, and where a pixel has several samples, those."""
    cuda = caps.get_features(0).contains("memory:CUDAMemory")
    info = GstVideo.VideoInfo.new_from_caps(caps)
    meta = GstVideo.buffer_get_video_meta(buffer)
    offsets, strides = (meta.offset, meta.stride) if meta else (info.offset, info.stride)
    mapping = Mapping(buffer, flags | (CUDA if cuda else 0))
    result = []
    for number in range(info.finfo.n_planes):
        component = list(info.finfo.plane)[:info.finfo.n_components].index(number)
        size = 1 if info.finfo.depth[component] <= 8 else 2
        step = info.finfo.pixel_stride[component]
        rows = -(-info.height >> info.finfo.h_sub[component])  # rounded up
        columns = -(-info.width >> info.finfo.w_sub[component])
        shape, steps = (rows, columns), (strides[number], step)
        if step > size:
            shape, steps = (*shape, step // size), (*steps, size)
        result.append(Plane(mapping, cuda, mapping.info.data + offsets[number], shape, steps, size))
    return result


def array_of(plane):
    """A PyTorch tensor or a CuPy array of a plane on the GPU, a NumPy array of one on the CPU."""
    if not hasattr(plane, "__cuda_array_interface__"):
        import numpy
        return numpy.asarray(plane)
    try:
        import torch
        return torch.as_tensor(plane, device="cuda")
    except ImportError:
        import cupy
        return cupy.asarray(plane)


def buffer_for(pad, caps):
    """A buffer of the pool that an element offers for its input: in CUDA memory, if the caps have that."""
    for _ in range(200):  # the query fails until the caps have reached the element
        query = Gst.Query.new_allocation(caps, True)
        if pad.query(query) and query.get_n_allocation_pools() > 0:
            pool = query.parse_nth_allocation_pool(0)[0]
            pool.set_active(True)
            return pool.acquire_buffer(None)[1]
        time.sleep(0.05)
    raise RuntimeError("the element offered no pool within 10 s")


def finish(array):
    """Waits until the GPU has done what was enqueued for the arrays; before that, no buffer is pushed."""
    if type(array).__module__ == "torch":
        import torch
        torch.cuda.synchronize()
    elif type(array).__module__.startswith("cupy"):
        import cupy
        cupy.cuda.get_current_stream().synchronize()


def has_gpu():
    """Whether the elements can use a GPU: one that must have it starts."""
    element = Gst.ElementFactory.make("convolve")
    if element is None:
        sys.exit("no element convolve: GST_PLUGIN_PATH is the folder of libgstcoalesce.so")
    element.set_property("backend", "cuda")
    started = element.set_state(Gst.State.PAUSED) != Gst.StateChangeReturn.FAILURE
    element.set_state(Gst.State.NULL)
    return started


def pull(sink):
    sample = sink.try_pull_sample(20 * Gst.SECOND)
    if sample is None:
        raise RuntimeError("no frame within 20 s")
    return sample


def main():
    Gst.init(None)
    memory = "video/x-raw(memory:CUDAMemory)" if has_gpu() else "video/x-raw"
    # Pictures out of a pipeline.
    source = Gst.parse_launch("videotestsrc num-buffers=1 ! video/x-raw,format=NV12,width=322,height=240 ! "
                              f"convolve preset=box ! {memory} ! appsink name=sink")
    on_gpu = memory.endswith("(memory:CUDAMemory)")
    if on_gpu:
        share_context(source, primary_context())
    source.set_state(Gst.State.PLAYING)
    sample = pull(source.get_by_name("sink"))
    luma, chroma = map(array_of, planes(sample.get_buffer(), sample.get_caps()))
    print(f"{type(luma).__module__}, {memory}: luma {tuple(luma.shape)}, chroma {tuple(chroma.shape)}")

    # Pictures into another, inverted.
    other = Gst.parse_launch("appsrc name=source format=time ! convolve name=copy preset=identity ! "
                             f"{memory} ! appsink name=sink")
    if on_gpu:
        share_context(other, primary_context())
    other.get_by_name("source").set_property("caps", sample.get_caps())
    other.set_state(Gst.State.PLAYING)
    buffer = buffer_for(other.get_by_name("copy").get_static_pad("sink"), sample.get_caps())
    written = [array_of(plane) for plane in planes(buffer, sample.get_caps(), WRITE)]
    written[0][...] = 255 - luma
    written[1][...] = chroma
    finish(luma)
    del written  # the end of the map
    other.get_by_name("source").push_buffer(buffer)
    other.get_by_name("source").end_of_stream()
    result = pull(other.get_by_name("sink"))
    back = array_of(planes(result.get_buffer(), result.get_caps())[0])
    same = bool((back == 255 - luma).all())
    print("the inverted luma came back" if same else "WRONG: other samples came back")
    del back, luma, chroma
    for pipeline in source, other:
        pipeline.set_state(Gst.State.NULL)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
