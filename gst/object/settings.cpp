// SPDX-License-Identifier: LGPL-2.1-or-later
#include "settings.h"

#include <gst/gst.h>

#include <algorithm>

#include "object/category.h"
#include "object/owned.h"

namespace coalesce::gst {

bool is_controlled(GObject *object, const GParamSpec *property) {
  GstControlBinding *binding = gst_object_get_control_binding(GST_OBJECT(object), property->name);
  if (binding == nullptr) return false;
  gst_object_unref(binding);
  return true;
}

bool post_settings_problem(gpointer element, const std::string &problem, bool in_use_before) {
  if (in_use_before)
    GST_ELEMENT_WARNING(element, LIBRARY, SETTINGS, ("%s", problem.c_str()),
                        ("the previous settings stay in use"));
  else
    GST_ELEMENT_ERROR(element, LIBRARY, SETTINGS, ("%s", problem.c_str()), (nullptr));
  return in_use_before;
}

void warn_of_ignored(gpointer element, const std::vector<std::string> &texts) {
  for (const std::string &text : texts)
    if (!text.empty())
      GST_ELEMENT_WARNING(element, LIBRARY, SETTINGS, ("%s", text.c_str()), (nullptr));
}

std::string number_text(double number) {
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd(text, sizeof text, "%g", number);
}

std::string quoting_hint(const char *property, const std::string &text, const char *instead) {
  if (text != "!") return {};
  return std::string("; a shell removes the quotes of an empty text: use ") + property + "=" +
         instead;
}

std::string quote_setting(const char *property, const std::string &text, std::size_t longest) {
  const TextRef readable(
      g_utf8_make_valid(text.c_str(), static_cast<gssize>(std::min(text.size(), longest))));
  return std::string(property) + "=\"" + readable.get() + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace coalesce::gst
