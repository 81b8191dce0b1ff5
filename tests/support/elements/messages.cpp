// SPDX-License-Identifier: LGPL-2.1-or-later
#include "messages.h"

namespace test {

Message parse(GstMessage *message) {
  GError *error = nullptr;
  gchar *details = nullptr;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    gst_message_parse_error(message, &error, &details);
  else
    gst_message_parse_warning(message, &error, &details);
  const Message parsed = {GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), error->message,
                          details != nullptr ? details : "", error->domain, error->code};
  g_error_free(error);
  g_free(details);
  return parsed;
}

guint64 stat(GstElement *element, const char *name) {
  GstStructure *stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(stats, name, &value), "no field %s in stats", name);
  gst_structure_free(stats);
  return value;
}

std::string active_backend(GstElement *element) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), "active-backend", &value);
  const std::string nick = g_enum_get_value(G_ENUM_CLASS(g_type_class_peek(G_VALUE_TYPE(&value))),
                                            g_value_get_enum(&value))
                               ->value_nick;
  g_value_unset(&value);
  return nick;
}

}  // namespace test
