// The part of pybind11 that inline extensions use, over Python's C API: module_.def with names, defaults and overloads.
// All exceptions are translated as torch::wrap_pybind_function does it, where plain pybind11 knows a few more types.
#pragma once
#include <Python.h>

#include <functional>
#include <memory>

#include "tensor.h"

#pragma GCC visibility push(hidden)
namespace pybind11 {
struct none {};
namespace cl1 {
struct Reference {  // owns one reference
  PyObject* object = nullptr;
  explicit Reference(PyObject* o) : object(o) {}
  Reference(Reference&& o) noexcept : object(std::exchange(o.object, nullptr)) {}
  ~Reference() { Py_XDECREF(object); }
};

// From<T>: a Python object into `value`, false when it is something else. To: a new reference, or null with an error.
template <class T, class = void> struct From;
template <> struct From<at::Tensor> {
  at::Tensor value;
  bool load(PyObject* o) {
    if (!cl1_is_tensor(o)) return false;
    value = at::Tensor::cl1_share(cl1_unpack(o));
    return true;
  }
};
template <> struct From<bool> {
  bool value = false;
  bool load(PyObject* o) {
    const auto* number = Py_TYPE(o)->tp_as_number;
    const int truth = o == Py_None ? 0 : number && number->nb_bool ? number->nb_bool(o) : -1;
    if (truth < 0) return PyErr_Clear(), false;
    value = truth != 0;
    return true;
  }
};
template <class T> struct From<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  T value = 0;
  bool load(PyObject* o) {
    if (PyFloat_Check(o)) return false;
    Reference index(PyNumber_Index(o));
    if (!index.object) return PyErr_Clear(), false;
    const long long wide = PyLong_AsLongLong(index.object);
    if (wide == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
    value = T(wide);
    return static_cast<long long>(value) == wide && (wide >= 0 || std::is_signed_v<T>);
  }
};
template <class T> struct From<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  T value = 0;
  bool load(PyObject* o) {
    const double wide = PyFloat_AsDouble(o);
    if (wide == -1.0 && PyErr_Occurred()) return PyErr_Clear(), false;
    value = T(wide);
    return true;
  }
};
template <> struct From<std::string> {
  std::string value;
  bool load(PyObject* o) {
    Py_ssize_t length;
    const char* text = PyUnicode_Check(o) ? PyUnicode_AsUTF8AndSize(o, &length) : nullptr;
    if (!text) return PyErr_Clear(), false;
    value.assign(text, size_t(length));
    return true;
  }
};
template <> struct From<c10::ScalarType> {
  c10::ScalarType value = c10::kFloat;
  bool load(PyObject* o) {
    const int type = cl1_unpack_dtype(o);
    value = c10::ScalarType(type);
    return type >= 0;
  }
};
template <> struct From<c10::Device> {
  c10::Device value = c10::kCPU;
  bool load(PyObject* o) {
    int type, index;
    if (!cl1_unpack_device(o, &type, &index)) return false;
    value = c10::Device(c10::DeviceType(type), c10::DeviceIndex(index));
    return true;
  }
};
template <class T> struct From<std::vector<T>> {
  std::vector<T> value;
  bool load(PyObject* o) {
    if (!PySequence_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) || cl1_is_tensor(o)) return false;
    Reference items(PySequence_Fast(o, ""));
    if (!items.object) return PyErr_Clear(), false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.object); ++i) {
      From<T> item;
      if (!item.load(PySequence_Fast_GET_ITEM(items.object, i))) return false;
      value.push_back(std::move(item.value));
    }
    return true;
  }
};
template <class T> struct From<c10::ArrayRef<T>> {
  From<std::vector<T>> items;
  c10::ArrayRef<T> value;
  bool load(PyObject* o) {
    const bool good = items.load(o);
    value = items.value;
    return good;
  }
};
template <class T> struct From<std::optional<T>> {
  std::optional<T> value;
  bool load(PyObject* o) {
    if (o == Py_None) return true;
    From<T> inner;
    if (!inner.load(o)) return false;
    value.emplace(std::move(inner.value));
    return true;
  }
};

inline PyObject* to(const at::Tensor& t) { return cl1_wrap(t.unsafeGetTensorImpl()); }
inline PyObject* to(bool v) { return PyBool_FromLong(v); }
inline PyObject* to(const std::string& v) { return PyUnicode_FromStringAndSize(v.data(), Py_ssize_t(v.size())); }
inline PyObject* to(const char* v) { return PyUnicode_FromString(v); }
inline PyObject* to(c10::ScalarType v) { return cl1_wrap_dtype(int(v)); }
inline PyObject* to(std::nullopt_t) { Py_RETURN_NONE; }
inline PyObject* to(none) { Py_RETURN_NONE; }
template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0> PyObject* to(T v) {
  if constexpr (std::is_signed_v<T>) return PyLong_FromLongLong(v);
  else return PyLong_FromUnsignedLongLong(v);
}
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> PyObject* to(T v) {
  return PyFloat_FromDouble(double(v));
}
template <class T> PyObject* to(const std::optional<T>& v);
template <class... T> PyObject* to(const std::tuple<T...>& v);
template <class T> PyObject* to(const std::vector<T>& v) {
  Reference list(PyList_New(Py_ssize_t(v.size())));
  for (size_t i = 0; i < v.size(); ++i) {
    PyObject* item = to(static_cast<const T&>(v[i]));
    if (!item) return nullptr;
    PyList_SET_ITEM(list.object, Py_ssize_t(i), item);
  }
  return std::exchange(list.object, nullptr);
}
template <class T> PyObject* to(const std::optional<T>& v) { return v ? to(*v) : to(std::nullopt); }
template <class A, class B> PyObject* to(const std::pair<A, B>& v) { return to(std::tuple<A, B>(v)); }
template <class... T> PyObject* to(const std::tuple<T...>& v) {
  Reference tuple(PyTuple_New(sizeof...(T)));
  Py_ssize_t i = 0;
  bool good = true;
  auto put = [&](PyObject* item) {
    good = good && item;
    PyTuple_SET_ITEM(tuple.object, i++, item);
  };
  std::apply([&](const T&... items) { (put(to(items)), ...); }, v);
  return good ? std::exchange(tuple.object, nullptr) : nullptr;
}

struct Argument {
  std::string name;
  std::shared_ptr<Reference> fallback;
};
struct Overload {
  std::vector<Argument> arguments;
  size_t arity;
  std::function<PyObject*(PyObject* const*, bool*)> call;  // sets the flag when an argument does not fit
};
struct Function {
  std::string name, doc;
  std::vector<Overload> overloads;
  PyMethodDef definition;
};

// The objects for one overload: positions, then names, then defaults. False when they do not fit.
inline bool arrange(const Overload& overload, PyObject* args, PyObject* names, std::vector<PyObject*>& out) {
  const size_t given = size_t(PyTuple_GET_SIZE(args));
  if (given > overload.arity) return false;
  size_t used = 0;
  for (size_t i = 0; i < overload.arity; ++i) {
    PyObject* object = i < given ? PyTuple_GET_ITEM(args, Py_ssize_t(i)) : nullptr;
    if (!object && i < overload.arguments.size()) {
      const Argument& argument = overload.arguments[i];
      if (names) object = PyDict_GetItemString(names, argument.name.c_str());
      if (object) ++used;
      else if (argument.fallback) object = argument.fallback->object;
    }
    if (!object) return false;
    out.push_back(object);
  }
  return !names || used == size_t(PyDict_Size(names));
}

inline PyObject* invoke(PyObject* self, PyObject* args, PyObject* names) {
  auto* function = static_cast<Function*>(PyCapsule_GetPointer(self, nullptr));
  try {
    for (const Overload& overload : function->overloads) {
      std::vector<PyObject*> objects;
      if (!arrange(overload, args, names, objects)) continue;
      bool misfit = false;
      PyObject* result = overload.call(objects.data(), &misfit);
      if (!misfit) return result;
    }
    Reference shown(PyObject_Repr(args));
    const char* text = shown.object ? PyUnicode_AsUTF8(shown.object) : "?";
    PyErr_Format(PyExc_TypeError, "%s(): incompatible function arguments. Invoked with: %s", function->name.c_str(),
                 text);
  } catch (...) {
    cl1_raise_current_exception();
  }
  return nullptr;
}

template <class Guard, class R, class... A, class F, size_t... I>
Overload overload(F function, std::vector<Argument> arguments, std::index_sequence<I...>) {
  auto call = [function = std::move(function)](PyObject* const* objects, bool* misfit) mutable -> PyObject* {
    std::tuple<From<std::decay_t<A>>...> values;
    if (!(std::get<I>(values).load(objects[I]) && ...)) return *misfit = true, nullptr;
    const auto guarded = [&]() -> R {  // the result becomes an object when the guard is gone
      [[maybe_unused]] Guard guard;
      return function(static_cast<A>(std::get<I>(values).value)...);
    };
    if constexpr (std::is_void_v<R>) {
      guarded();
      Py_RETURN_NONE;
    } else {
      return to(guarded());
    }
  };
  return {std::move(arguments), sizeof...(A), std::move(call)};
}
template <class G, class R, class... A> Overload make(R (*f)(A...), std::vector<Argument> arguments) {
  return overload<G, R, A...>(f, std::move(arguments), std::index_sequence_for<A...>());
}
template <class G, class F, class R, class... A>
Overload of_method(F f, R (F::*)(A...) const, std::vector<Argument> arguments) {
  return overload<G, R, A...>(std::move(f), std::move(arguments), std::index_sequence_for<A...>());
}
template <class G, class F, class = decltype(&F::operator())> Overload make(F f, std::vector<Argument> arguments) {
  return of_method<G>(std::move(f), &F::operator(), std::move(arguments));
}
}  // namespace cl1

class gil_scoped_release {
 public:
  gil_scoped_release() : state_(PyEval_SaveThread()) {}
  gil_scoped_release(const gil_scoped_release&) = delete;
  ~gil_scoped_release() { PyEval_RestoreThread(state_); }

 private:
  PyThreadState* state_;
};
class gil_scoped_acquire {
 public:
  gil_scoped_acquire() : state_(PyGILState_Ensure()) {}
  gil_scoped_acquire(const gil_scoped_acquire&) = delete;
  ~gil_scoped_acquire() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};
template <class... G> struct call_guard {
  struct Guard {};
};
template <class G, class... More> struct call_guard<G, More...> {
  struct Guard {
    G first;
    typename call_guard<More...>::Guard others;
  };
};

namespace cl1 {
template <class... Extra> struct GuardOf : call_guard<> {};
template <class E, class... Extra> struct GuardOf<E, Extra...> : GuardOf<Extra...> {};
template <class... G, class... Extra> struct GuardOf<call_guard<G...>, Extra...> : call_guard<G...> {};
}  // namespace cl1

struct arg_v {
  cl1::Argument argument;
};
struct arg {
  const char* name;
  explicit arg(const char* n) : name(n) {}
  template <class T> arg_v operator=(const T& value) const {
    return {{name, std::make_shared<cl1::Reference>(cl1::to(value))}};
  }
};
inline namespace literals {
inline arg operator""_a(const char* name, size_t) { return arg(name); }
}  // namespace literals

class module_ {
 public:
  explicit module_(PyObject* module) : module_object_(module) {}
  PyObject* ptr() const { return module_object_; }
  template <class F, class... Extra> module_& def(const char* name, F function, const Extra&... extra) {
    std::vector<cl1::Argument> arguments;
    std::string doc;
    (note(arguments, doc, extra), ...);
    cl1::Function*& known = functions()[name_index(name)];
    if (!known) {
      known = new cl1::Function{name, doc, {}, {}};  // lives as long as the process, as a loaded library does
      auto* entry = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(cl1::invoke));
      known->definition = {known->name.c_str(), entry, METH_VARARGS | METH_KEYWORDS, known->doc.c_str()};
      cl1::Reference self(PyCapsule_New(known, nullptr, nullptr));
      PyModule_AddObject(module_object_, name, PyCFunction_New(&known->definition, self.object));
    }
    using Guard = typename cl1::GuardOf<Extra...>::Guard;
    known->overloads.push_back(cl1::make<Guard>(std::move(function), std::move(arguments)));
    return *this;
  }
  struct Doc {
    PyObject* module;
    void operator=(const char* text) { PyModule_SetDocString(module, text); }
  };
  Doc doc() { return {module_object_}; }

 private:
  static void note(std::vector<cl1::Argument>&, std::string& doc, const char* text) { doc = text; }
  static void note(std::vector<cl1::Argument>& list, std::string&, const arg& a) { list.push_back({a.name, nullptr}); }
  static void note(std::vector<cl1::Argument>& list, std::string&, const arg_v& a) { list.push_back(a.argument); }
  template <class... G> static void note(std::vector<cl1::Argument>&, std::string&, const call_guard<G...>&) {}
  std::vector<cl1::Function*>& functions() { return functions_; }
  size_t name_index(const char* name) {
    for (size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return i;
    names_.emplace_back(name);
    functions_.push_back(nullptr);
    return names_.size() - 1;
  }
  PyObject* module_object_;
  std::vector<std::string> names_;
  std::vector<cl1::Function*> functions_;
};
using module = module_;
}  // namespace pybind11
namespace py = pybind11;

namespace torch {
template <class F> auto wrap_pybind_function(F&& f) { return std::forward<F>(f); }
}  // namespace torch
#pragma GCC visibility pop

#define CL1_TEXT_(X) #X
#define CL1_TEXT(X) CL1_TEXT_(X)
#define CL1_INIT_(X) PyInit_##X
#define CL1_INIT(X) CL1_INIT_(X)
#define CL1_FILL_(X) cl1_fill_##X
#define CL1_FILL(X) CL1_FILL_(X)
#define PYBIND11_MODULE(NAME, VARIABLE)                                                                  \
  static void CL1_FILL(NAME)(::pybind11::module_&);                                                      \
  extern "C" __attribute__((visibility("default"))) PyObject* CL1_INIT(NAME)() {                         \
    static PyModuleDef definition = {PyModuleDef_HEAD_INIT, CL1_TEXT(NAME), nullptr, -1, nullptr};       \
    PyObject* object = PyModule_Create(&definition);                                                     \
    if (!object) return nullptr;                                                                         \
    try {                                                                                                \
      ::pybind11::module_ wrapped(object);                                                               \
      CL1_FILL(NAME)(wrapped);                                                                           \
    } catch (...) {                                                                                      \
      cl1_raise_current_exception();                                                                     \
      Py_DECREF(object);                                                                                 \
      return nullptr;                                                                                    \
    }                                                                                                    \
    return object;                                                                                       \
  }                                                                                                      \
  static void CL1_FILL(NAME)([[maybe_unused]] ::pybind11::module_& VARIABLE)
