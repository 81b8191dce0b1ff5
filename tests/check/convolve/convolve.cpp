// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_cases.h"

namespace test {

std::string get_text(GstElement *element, const char *name) {
  gchar *text = nullptr;
  g_object_get(element, name, &text, nullptr);
  fail_unless(text != nullptr, "%s", name);
  return Owned<char>(text).get();
}

static std::string get_nick(GstElement *element, const char *name) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), name, &value);
  const std::string nick =
      g_enum_get_value(static_cast<GEnumClass *>(g_type_class_peek(G_VALUE_TYPE(&value))),
                       g_value_get_enum(&value))
          ->value_nick;
  g_value_unset(&value);
  return nick;
}

void expect_text(GstElement *element, const char *name, const std::string &expected) {
  const std::string text = get_text(element, name);
  fail_unless(text == expected, "%s: \"%s\", not \"%s\"", name, text.c_str(), expected.c_str());
}

void expect_nick(GstElement *element, const char *name, const std::string &expected) {
  const std::string nick = get_nick(element, name);
  fail_unless(nick == expected, "%s: %s, not %s", name, nick.c_str(), expected.c_str());
}

}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "convolve", [](Suite *suite) {
    test::add_convolve_sample_cases(suite);
    test::add_convolve_property_cases(suite);
    test::add_convolve_change_cases(suite);
    test::add_convolve_blur_cases(suite);
    test::add_convolve_refusal_cases(suite);
  });
}
