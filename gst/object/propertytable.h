// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of a class: of each the description, and the field of the settings that it sets.
#pragma once

#include <glib-object.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace coalesce::gst {

// Empty where there is none.
inline std::string text_of(const GValue *value) {
  const gchar *text = g_value_get_string(value);
  return text != nullptr ? text : "";
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

  template <class Base>
  void add(bool Base::*field, const Texts &t) {
    add_field(
        field,
        [=, flags = flags_] {
          return g_param_spec_boolean(t.name, t.nick, t.blurb, T().*field, flags);
        },
        g_value_get_boolean, g_value_set_boolean);
  }
  template <class Base>
  void add(std::string Base::*field, const Texts &t) {
    add_field(
        field,
        [=, flags = flags_] { return g_param_spec_string(t.name, t.nick, t.blurb, "", flags); },
        text_of,
        [](GValue *value, const std::string &text) { g_value_set_string(value, text.c_str()); });
  }
  // (To G_MAXINT: a negative text would be read as a number above it.)
  template <class Base>
  void add(unsigned Base::*field, const Texts &t) {
    add_field(
        field,
        [=, flags = flags_] {
          return g_param_spec_uint(t.name, t.nick, t.blurb, 0, G_MAXINT, T().*field, flags);
        },
        g_value_get_uint, g_value_set_uint);
  }
  template <class Base>
  void add(int Base::*field, const Texts &t, int least, int most) {
    add_field(
        field,
        [=, flags = flags_] {
          return g_param_spec_int(t.name, t.nick, t.blurb, least, most, T().*field, flags);
        },
        g_value_get_int, g_value_set_int);
  }
  template <class Base>
  void add(double Base::*field, const Texts &t, double least, double most) {
    add_field(
        field,
        [=, flags = flags_] {
          return g_param_spec_double(t.name, t.nick, t.blurb, least, most, T().*field, flags);
        },
        g_value_get_double, g_value_set_double);
  }
  // Of an enum, or of flags.
  template <class Base, class Field>
  void add(Field Base::*field, const Texts &t, GType type) {
    const auto describe = [=, flags = flags_] {
      const auto initial = static_cast<int>(T().*field);
      return G_TYPE_IS_ENUM(type) ? g_param_spec_enum(t.name, t.nick, t.blurb, type, initial, flags)
                                  : g_param_spec_flags(t.name, t.nick, t.blurb, type,
                                                       static_cast<guint>(initial), flags);
    };
    if (G_TYPE_IS_ENUM(type))
      add_field(field, describe, g_value_get_enum, g_value_set_enum);
    else
      add_field(field, describe, g_value_get_flags, g_value_set_flags);
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
  // from: the value of a GValue; to: sets it.
  template <class Base, class Field, class From, class To>
  void add_field(Field Base::*field, Describe describe, From from, To to) {
    using Value = decltype(from(nullptr));
    add(
        std::move(describe),
        [=](const T &settings, GValue *value) { to(value, static_cast<Value>(settings.*field)); },
        [=](T *settings, const GValue *value) {
          auto before = std::exchange(settings->*field, static_cast<Field>(from(value)));
          return before != settings->*field;
        });
  }

  struct Row {
    Describe describe;
    Get get;
    Set set;
  };
  std::vector<Row> rows_;
  GParamFlags flags_ = G_PARAM_READWRITE;
};

}  // namespace coalesce::gst
