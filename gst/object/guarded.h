// SPDX-License-Identifier: LGPL-2.1-or-later
// No exception leaves a function that GLib or GStreamer calls. Their code is C: an exception that
// passes through it leaves locks and references, or ends the process.
//
//   trans_class->set_caps = guarded<set_caps>;
//
// An exception becomes an element error, and the function returns failure. The element's state is
// unknown then, so it accepts no more frames until its next start. finalize() needs no guard, as
// destructors do not throw. Nor do functions of our own classes that guarded ones call. stop() must
// not fail: it allocates nothing.
#pragma once

#include <gst/gst.h>

#include <type_traits>

namespace coalesce::gst {

// In a handler: reports the exception that is being handled. It posts an error if `object` is an
// element or an element's pad. For any other, and for nullptr, it writes a line of debug output;
// the element that called it reports the failure.
void report_exception(gpointer object, const char *where) noexcept;

// Has an exception left a function of this element, since this was last forgotten?
bool is_broken(GstElement *element);
void forget_exception(GstElement *element);

// Flags that no class of GStreamer's has, be it of elements, pads, allocators or pools.
constexpr guint kIncompleteFlag = 1u << 24, kBrokenFlag = 1u << 25;

// Has an exception left its init function? Then none of its functions may be called.
void set_incomplete(gpointer object) noexcept;
inline bool is_incomplete(gpointer object) {
  return (g_atomic_int_get(&GST_OBJECT_FLAGS(object)) & kIncompleteFlag) != 0;
}

// At the start: false, with an error, if it is broken already, as by a property that could not be
// set. Then that is forgotten.
bool check_start(GstElement *element);
// GstElementClass::change_state(). Of an element that is not complete it is the only function that
// is called. A start that has failed is over in NULL.
GstStateChangeReturn change_guarded_state(GstElement *element, GstStateChange transition,
                                          GstElementClass *parent);

// What functions return that have failed.
template <class Result>
Result failed_result() {
  if constexpr (std::is_same_v<Result, GstFlowReturn>)
    return GST_FLOW_ERROR;
  else if constexpr (std::is_same_v<Result, GstCaps *>)
    return gst_caps_new_empty();
  else
    return Result();  // FALSE, nullptr, GST_STATE_CHANGE_FAILURE, or nothing
}

// The same for a part of a function. `object` as above.
template <class Body>
auto guard(gpointer object, Body body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    report_exception(object, __PRETTY_FUNCTION__);
    return failed_result<decltype(body())>();
  }
}

namespace guarding {

// Its text has the function's name.
template <auto function>
const char *name_of() {
  return __PRETTY_FUNCTION__;
}

inline gpointer object_of(GstMemory *) {
  return nullptr;
}
inline gpointer object_of(gpointer object) {
  return object;
}

template <auto function, class Result, class Object, class... Arguments>
Result call(Object of, Arguments... arguments) noexcept {
  gpointer object = object_of(of);
  if (object != nullptr && is_incomplete(object)) return failed_result<Result>();
  try {
    return function(of, arguments...);
  } catch (...) {
    report_exception(object, name_of<function>());
    return failed_result<Result>();
  }
}

template <auto function, class Result, class Object, class... Arguments>
constexpr auto pointer(Result (*)(Object, Arguments...)) -> Result (*)(Object, Arguments...) {
  return call<function, Result, Object, Arguments...>;
}

}  // namespace guarding

template <auto function>
constexpr auto guarded = guarding::pointer<function>(function);

// For init functions, which have no way to fail: an exception leaves an element that does not
// start.
template <class Body>
void initialise(gpointer object, Body body) noexcept {
  if (is_incomplete(object)) return;  // the parent class's part is missing
  try {
    body();
  } catch (...) {
    set_incomplete(object);
  }
}

}  // namespace coalesce::gst
