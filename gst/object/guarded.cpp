// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.h"

#include <exception>
#include <new>

#include "object/category.h"
#include "objectlock.h"

namespace coalesce::gst {
namespace {

constexpr const char *kOutOfMemory = "Out of memory";

// Read by other threads without the lock, and set under it, as GStreamer's own flags are.
guint *flags_of(gpointer object) {
  return &GST_OBJECT_FLAGS(object);
}

guint set_flag(gpointer object, guint flag) {
  const ObjectLock lock(object);
  return g_atomic_int_or(flags_of(object), flag);
}

GstElement *element_of(gpointer object) {
  if (object != nullptr && GST_IS_PAD(object)) object = GST_OBJECT_PARENT(object);
  return object != nullptr && GST_IS_ELEMENT(object) ? GST_ELEMENT_CAST(object) : nullptr;
}

// Strings of GLib's alone: it does not throw.
void post(GstElement *element, GstResourceError code, const char *text, const char *where) {
  gst_element_message_full(element, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, code, g_strdup(text),
                           g_strdup(where), __FILE__, GST_FUNCTION, __LINE__);
}

void fail(gpointer object, GstResourceError code, const char *text, const char *where) {
  GstElement *element = element_of(object);
  if (element == nullptr)
    GST_ERROR("%s (%s)", text, where);
  else if ((set_flag(element, kBrokenFlag) & kBrokenFlag) == 0)
    post(element, code, text, where);
}

}  // namespace

void report_exception(gpointer object, const char *where) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    fail(object, GST_RESOURCE_ERROR_NO_SPACE_LEFT, kOutOfMemory, where);
  } catch (const std::exception &exception) {
    fail(object, GST_RESOURCE_ERROR_FAILED, exception.what(), where);
  } catch (...) {
    fail(object, GST_RESOURCE_ERROR_FAILED, "An exception of unknown type", where);
  }
}

bool is_broken(GstElement *element) {
  return (g_atomic_int_get(flags_of(element)) & kBrokenFlag) != 0;
}

void set_incomplete(gpointer object) noexcept {
  set_flag(object, kIncompleteFlag);
}

GstStateChangeReturn change_guarded_state(GstElement *element, GstStateChange transition,
                                          GstElementClass *parent) {
  if (transition == GST_STATE_CHANGE_NULL_TO_READY && is_incomplete(element)) {
    post(element, GST_RESOURCE_ERROR_NO_SPACE_LEFT, kOutOfMemory, "when the element was made");
    return GST_STATE_CHANGE_FAILURE;
  }
  const GstStateChangeReturn done = parent->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) forget_exception(element);
  return done;
}

bool check_start(GstElement *element) {
  if (!is_broken(element)) return true;
  forget_exception(element);
  post(element, GST_RESOURCE_ERROR_SETTINGS,
       "The element failed before its start, and may lack the value of a property",
       "see the error before this one");
  return false;
}

void forget_exception(GstElement *element) {
  const ObjectLock lock(element);
  g_atomic_int_and(flags_of(element), ~kBrokenFlag);
}

}  // namespace coalesce::gst
