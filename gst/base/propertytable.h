// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of a class: of each the description, and the field of the settings that it sets.
#pragma once

#include <glib-object.h>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace coalesce::gst {

// Of the type of the property; enums and flags may be numbers in the settings.
template <class Field>
void get_value(const Field &field, GValue *value) {
  if constexpr (std::is_same_v<Field, std::string>)
    g_value_set_string(value, field.c_str());
  else if constexpr (std::is_same_v<Field, double>)
    g_value_set_double(value, field);
  else if (G_VALUE_HOLDS_BOOLEAN(value))
    g_value_set_boolean(value, static_cast<gboolean>(field));
  else if (G_VALUE_HOLDS_ENUM(value))
    g_value_set_enum(value, static_cast<gint>(field));
  else if (G_VALUE_HOLDS_FLAGS(value))
    g_value_set_flags(value, static_cast<guint>(field));
  else if (G_VALUE_HOLDS_UINT(value))
    g_value_set_uint(value, static_cast<guint>(field));
  else
    g_value_set_int(value, static_cast<gint>(field));
}

template <class Field>
Field value_of(const GValue *value) {
  if constexpr (std::is_same_v<Field, std::string>) {
    const gchar *text = g_value_get_string(value);
    return text != nullptr ? text : "";
  } else if constexpr (std::is_same_v<Field, double>) {
    return g_value_get_double(value);
  } else {
    return static_cast<Field>(G_VALUE_HOLDS_BOOLEAN(value) ? g_value_get_boolean(value)
                              : G_VALUE_HOLDS_ENUM(value)  ? g_value_get_enum(value)
                              : G_VALUE_HOLDS_FLAGS(value) ? int(g_value_get_flags(value))
                              : G_VALUE_HOLDS_UINT(value)  ? int(g_value_get_uint(value))
                                                           : g_value_get_int(value));
  }
}

// T: the settings. Ids count from 1 on, in the order of add().
template <class T>
class PropertyTable {
 public:
  using Get = std::function<void(const T &, GValue *)>;
  using Set = std::function<bool(T *, const GValue *)>;

  template <class Base, class Field>
  void add(Field Base::*field, GParamSpec *spec) {
    add(
        spec, [field](const T &settings, GValue *value) { get_value(settings.*field, value); },
        [field](T *settings, const GValue *value) {
          Field before = value_of<Field>(value);
          std::swap(before, settings->*field);
          return before != settings->*field;
        });
  }
  void add(GParamSpec *spec, Get get, Set set) {
    rows_.push_back({spec, std::move(get), std::move(set)});
  }
  // An id without a property.
  void skip() { rows_.emplace_back(); }

  void install(GObjectClass *klass) const {
    for (guint i = 0; i < rows_.size(); i++)
      if (rows_[i].spec != nullptr) g_object_class_install_property(klass, i + 1, rows_[i].spec);
  }

  void get(guint id, const T &settings, GValue *value) const { rows_[id - 1].get(settings, value); }
  // Returns whether the value is another one now.
  bool set(guint id, T *settings, const GValue *value) const {
    return rows_[id - 1].set(settings, value);
  }

 private:
  struct Row {
    GParamSpec *spec = nullptr;
    Get get;
    Set set;
  };
  std::vector<Row> rows_;
};

}  // namespace coalesce::gst
