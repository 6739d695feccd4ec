// Compiled once a machine with torch's own headers, beside shim.cpp: what the slim headers call of Python's objects.
#include "shim.h"

#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

using c10::ScalarType;

extern "C" {
bool cl1_is_tensor(PyObject* object) { return THPVariable_Check(object); }
void* cl1_unpack(PyObject* object) { return THPVariable_Unpack(object).unsafeGetTensorImpl(); }
PyObject* cl1_wrap(void* t) { return THPVariable_Wrap(reinterpret_cast<const at::Tensor&>(t)); }
int cl1_unpack_dtype(PyObject* object) {
  return THPDtype_Check(object) ? int(reinterpret_cast<THPDtype*>(object)->scalar_type) : -1;
}
PyObject* cl1_wrap_dtype(int type) {
  return Py_NewRef(reinterpret_cast<PyObject*>(torch::getTHPDtype(ScalarType(type))));
}
bool cl1_unpack_device(PyObject* object, int* type, int* index) {
  if (!THPDevice_Check(object)) return false;
  const c10::Device device = reinterpret_cast<THPDevice*>(object)->device;
  *type = int(device.type());
  *index = device.index();
  return true;
}
void cl1_raise_current_exception() { torch::translate_exception_to_python(std::current_exception()); }
}
