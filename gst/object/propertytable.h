// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of a class: of each the description, and the field of the settings that it sets.
#pragma once

#include <glib-object.h>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace coalesce::gst {

// What a value of any of these properties' types has, in the type of a field. A text is empty where
// there is none.
template <class Field>
Field value_of(const GValue *value) {
  if constexpr (std::is_same_v<Field, std::string>) {
    const gchar *text = g_value_get_string(value);
    return text != nullptr ? text : "";
  } else if constexpr (std::is_same_v<Field, double>) {
    return g_value_get_double(value);
  } else {
    GValue number = G_VALUE_INIT;
    g_value_init(&number, G_TYPE_INT64);
    g_value_transform(value, &number);
    return static_cast<Field>(g_value_get_int64(&number));
  }
}
template <class Field>
void set_value(GValue *value, const Field &field) {
  if constexpr (std::is_same_v<Field, std::string>) {
    g_value_set_string(value, field.c_str());
  } else if constexpr (std::is_same_v<Field, double>) {
    g_value_set_double(value, field);
  } else {
    GValue number = G_VALUE_INIT;
    g_value_init(&number, G_TYPE_INT64);
    g_value_set_int64(&number, static_cast<gint64>(field));
    g_value_transform(&number, value);
  }
}

// T: the settings. As they are initially, they are the defaults. Ids count from 1 on, in the order
// of add().
template <class T>
class PropertyTable {
 public:
  struct Texts {
    const char *name, *nick, *blurb;
  };
  using Describe = std::function<GParamSpec *()>;
  using Get = std::function<void(const T &, GValue *)>;
  using Set = std::function<bool(T *, const GValue *)>;

  // Of the properties that are added from now on.
  void set_flags(int flags) { flags_ = static_cast<GParamFlags>(flags | G_PARAM_STATIC_STRINGS); }

  // limits: the GType of an enum or of flags; or the least and the most, of int and double.
  // (unsigned: to G_MAXINT, as a negative text would be read as a number above it.)
  template <class Base, class Field, class... Limits>
  void add(Field Base::*field, const Texts &t, Limits... limits) {
    const auto describe = [=, flags = flags_]() -> GParamSpec * {
      const auto make = [&](auto function, auto... values) {
        return function(t.name, t.nick, t.blurb, values..., flags);
      };
      const Field initial = T().*field;
      if constexpr (sizeof...(limits) == 1)
        return G_TYPE_IS_ENUM(limits...)
                   ? make(g_param_spec_enum, limits..., static_cast<gint>(initial))
                   : make(g_param_spec_flags, limits..., static_cast<guint>(initial));
      else if constexpr (std::is_same_v<Field, std::string>)
        return make(g_param_spec_string, initial.c_str());
      else if constexpr (std::is_same_v<Field, bool>)
        return make(g_param_spec_boolean, initial);
      else if constexpr (std::is_same_v<Field, unsigned>)
        return make(g_param_spec_uint, 0, G_MAXINT, initial);
      else if constexpr (std::is_same_v<Field, int>)
        return make(g_param_spec_int, limits..., initial);
      else
        return make(g_param_spec_double, limits..., initial);
    };
    const auto get = [field](const T &settings, GValue *value) {
      set_value(value, settings.*field);
    };
    add(describe, get, [field](T *settings, const GValue *value) {
      const Field before = std::exchange(settings->*field, value_of<Field>(value));
      return before != settings->*field;
    });
  }

  // A colour as textoverlay has it: big-endian ARGB.
  template <class Base>
  void add_colour(guint Base::*field, const Texts &t) {
    const auto describe = [=, flags = flags_] {
      return g_param_spec_uint(t.name, t.nick, t.blurb, 0, G_MAXUINT32, T().*field, flags);
    };
    const auto get = [field](const T &settings, GValue *value) {
      set_value(value, settings.*field);
    };
    add(describe, get, [field](T *settings, const GValue *value) {
      const guint before = std::exchange(settings->*field, value_of<guint>(value));
      return before != settings->*field;
    });
  }

  // set: returns whether that is a change. describe: nullptr if there is no property with this id.
  void add(Describe describe, Get get, Set set) {
    rows_.push_back({std::move(describe), std::move(get), std::move(set)});
  }
  void install(GObjectClass *klass) const {
    for (guint i = 0; i < rows_.size(); i++)
      if (GParamSpec *spec = rows_[i].describe())
        g_object_class_install_property(klass, i + 1, spec);
  }

  void get(guint id, const T &settings, GValue *value) const { rows_[id - 1].get(settings, value); }
  // Returns whether that is a change.
  bool set(guint id, T *settings, const GValue *value) const {
    return rows_[id - 1].set(settings, value);
  }

 private:
  struct Row {
    Describe describe;
    Get get;
    Set set;
  };
  std::vector<Row> rows_;
  GParamFlags flags_ = G_PARAM_READWRITE;
};

}  // namespace coalesce::gst
