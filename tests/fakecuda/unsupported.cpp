// SPDX-License-Identifier: LGPL-2.1-or-later
// Names of errors, and the functions that exist because some version of libgstcuda, from 1.22 on,
// wants to find them all.

#include "state.h"

namespace {

struct ErrorText {
  CUresult code;
  const char *name, *text;
};

constexpr ErrorText error_texts[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported between these two devices"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is already enabled"},
    {CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",
     "peer access has not been enabled"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

CUresult find_text(CUresult code, const char *ErrorText::*field, const char **result) {
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *result = nullptr;
  for (const ErrorText &text : error_texts)
    if (text.code == code) *result = text.*field;
  return *result != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult cuGetErrorName(CUresult error, const char **name) {
  return find_text(error, &ErrorText::name, name);
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  return find_text(error, &ErrorText::text, text);
}

CUresult cuCtxGetLimit(std::size_t *, int) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuCtxSetLimit(int, std::size_t) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcGetEventHandle(void *, CUevent) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcOpenEventHandle(CUevent *, CUipcHandle) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcGetMemHandle(void *, CUdeviceptr) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *, CUipcHandle, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuModuleLoadData(CUmodule *, const void *) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuModuleUnload(CUmodule) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuTexObjectCreate(CUtexObject *, const void *, const void *, const void *) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuTexObjectDestroy(CUtexObject) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void **, void **) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsMapResources(unsigned, CUgraphicsResource *, CUstream) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsUnmapResources(unsigned, CUgraphicsResource *, CUstream) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsUnregisterResource(CUgraphicsResource) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *, std::size_t *, CUgraphicsResource) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray *, CUgraphicsResource, unsigned, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *, unsigned, unsigned, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *, unsigned, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGLGetDevices_v2(unsigned *, CUdevice *, unsigned, int) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
