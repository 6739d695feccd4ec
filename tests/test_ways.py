"""Which text shows a way to the judge's code in its process, and that honest text does not."""

from pathlib import Path

import pytest
import torch  # noqa: F401 - what names lead to is asked of what is loaded, as it is in a judge

from cuda_l1.evidence import ways
from cuda_l1.judge import trial

REACHING = {
    "frames": "try:\n    missing\nexcept NameError as error:\n    f = error.__traceback__.tb_frame\n",
    "a module's own modules": "import torch\nworker = torch.sys.modules['worker']\n",
    "an unknown module": "import torch, cuda_l1\n",
    "relative": "from . import worker\n",
    "every class": "class A: pass\nfound = A.__base__.__subclasses__()\n",
    "a name that is made": "import torch\nfound = getattr(torch, 's' + 'ys')\n",
    "a name that begins": "def look(self, x):\n    return getattr(self, f's{x}')\n",
    "a name of Python's that begins": "class A:\n    def look(self, x):\n        return getattr(self, f'__{x}')\n",
    "a name that is given": "class A:\n    def look(self, name):\n        return getattr(self, name)\n",
    "a name of a list, and another": "class A:\n    def look(self, x):\n        for name in ('q', 'k'):\n"
    "            name = x\n            getattr(self, name)\n",
    "a name that begins, of another": "import torch\nfound = getattr(torch, f'layer{1}')\n",
    "native": 'SOURCE = """auto sys = PyImport_ImportModule("sys");"""\n',
    "native, by pybind11": 'SOURCE = """py::module_::import("gc");"""\n',
    "memory": 'import torch\nwith open("/proc/self/mem") as file: pass\n',
    "a string that is a module's name": "import os\nfound = getattr(os, 'sys')\n",
    "a module that another holds": "from os import sys as s\n",
    "a module within another": "from torch._dynamo.utils import inspect as i\n",
    "a getter": "import operator, os\nfound = operator.attrgetter('s' 'ys')(os)\n",
    "a dict of a module": "import os\nfound = vars(os)[chr(115) + 'ys']\n",
    "a pattern": "import os\nmatch os:\n    case os(sys=found):\n        pass\n",
    "a class of others by another name": "import torch\nT = torch.Tensor\nT.copy_ = None\n",
    "a class of others, of an object": "import torch\nsetattr(type(torch.empty(0)), 'copy_', None)\n",
    "a class of others, in a loop": "import torch\nfor torch.Tensor.copy_ in [None]:\n    pass\n",
    "a frame of a generator": "g = (i for i in [1])\nf = g.gi_frame\n",
    "its own docstring": '"""PyRun_SimpleString("")"""\nSOURCE = __doc__\n',
    "a module under another name": "import collections\nfound = collections._sys\n",
    "a library's own module": "import torch\nfound = torch.serialization.pickle\n",
    "a function of Python's under another name": "look = eval\n",
    "a getter handed on": "import functools, torch\nf = functools.reduce(getattr, ['a', 'b'], torch)\n",
    "a library that runs text": "from typing import get_type_hints\n",
    "frames of a library": "import logging\nframe = logging.currentframe()\n",
    "a frame before, by its name": "frame = getattr(given, 'f_back')\n",
    "a function's self": "def give(self):\n    self.race = None\n",
    "a name of a class of its own": "class W: pass\nW = found()\nW.race = None\n",
    "parts of a function's self": "def give(self):\n    for each in self.held:\n        each.race = None\n",
    "what stands beside parts": "import torch\nclass A:\n    def f(self):\n        for m in (self, torch):\n"
    "            m.race = 0\n",
    "a part that is a parameter elsewhere": "class A:\n    def f(self):\n        for m in self.all:\n"
    "            m.n = 0\n    def g(self, m):\n        m.n = 0\n",
    "a class of layers": "import torch.nn as nn\nlayer = nn.Linear\nlayer.forward = None\n",
    "a part that is another's later": "import torch.nn as nn\nlayer = nn.ReLU()\nlayer = found()\nlayer.race = None\n",
    "what it keeps of others": "import torch\nclass A:\n    def f(self):\n        self.t = [torch.Tensor]\n"
    "        self.t[0].add = g\n",
    "what a class of its own holds of others": "import torch\nclass A:\n    T = torch.Tensor\nA.T.add = g\n",
    "what it holds as it imports it": "class A:\n    from torch import Tensor as T\n    def f(self):\n"
    "        self.T.add = g\n",
    "what its function gives": "import torch\ndef k(): return torch.Tensor\nclass A:\n    def f(self):\n"
    "        self.t = k()\n        setattr(self.t, 'add', g)\n",
    "the class of a value, kept": "class A:\n    def f(self, x):\n        self.t = type(x)\n        self.t.add = g\n",
    "a part of a module, by name": "import torch\nclass A:\n    def f(self):\n"
    "        self.t = getattr(torch, 'Tensor')\n        self.t.add = g\n",
    "others among its parts": "import torch\nclass A:\n    def parts(self): return [torch.Tensor]\n    def f(self):\n"
    "        for m in self.parts():\n            m.add = g\n",
    "itself, as what it holds": "import torch\nclass A:\n    T = torch.Tensor\n    def f(self):\n"
    "        self = self.T\n        self.add = g\n",
    "a method given others": "import torch\nclass A:\n    def f(self):\n        self.add = g\nA.f(torch.Tensor)\n",
    "a method given others, of a class handed on": "import torch\nclass A:\n    def f(self):\n        self.add = g\n"
    "B = A\nB.f(torch.Tensor)\n",
    "a method's other parameter": "class A:\n    def f(this, self):\n        self.add = g\n",
    "a function's many": "def f(*self):\n    self[0].add = g\n",
    "a lambda's": "class W: pass\ng = lambda W: setattr(W, 'add', 1)\n",
    "a pattern called as itself": "class A:\n    def f(self, x):\n        match x:\n            case self:\n"
    "                self.add = g\n",
    "layers of what is called as torch's": "import torch.nn as nn\nfor nn in held:\n    m = nn.ReLU()\n    m.n = 1\n",
    "classes that one comes of": "import torch\nfound = torch.Tensor.mro()[1]\n",
    "what is no flag": "import torch\ntorch.backends.held.race = None\n",
    "os beyond its paths": "from os import fork\n",
    "all of a module": "from os import *\n",
    "native, in a namespace": 'SOURCE = """using namespace pybind11; module_::import("gc");"""\n',
    "native, by another name": 'SOURCE = """namespace q = pybind11; q::eval("1");"""\n',
    "behind a comment that is none": 'S = """f(R"(")", "//"); PyRun_SimpleString("");"""\n',
    "a formatter": "import string\nf = string.Formatter().get_field\n",
    "an annotation that is read": "import functools\nf = functools.singledispatch\n",
    "a library that runs strings": "import numpy as np\nnp.testing.runstring('', {})\n",
    "from a library that runs strings": "from numpy.testing import measure\n",
    "a part that reads pickles": "import torch\ntorch.storage._load_from_bytes(b'')\n",
    "a part that is not loaded": "import torch\ntorch._inductor.codecache.PyCodeCaches\n",
    "a graph that is made text": "from torch import fx\n",
    "code put together": "import types\nf = types.CodeType\n",
    "names given to a module": "import enum\nenum.global_enum(E)\n",
    "every function's arguments": "import torch\nclass M(torch.overrides.TorchFunctionMode): pass\n",
    "an attribute of others, bound": "def give(found):\n    found.__setattr__('race', None)\n",
    "an attribute of a class of others, bound": "super(type(A), A).__setattr__('race', None)\n",
    "attributes of others, copied": "functools.update_wrapper(found, made, assigned=('race',))\n",
    "an attribute of others, unbound": "def give(found):\n    type.__setattr__(found, 'race', None)\n",
    "a comment that says types": "def f(x):\n    # type: (take[exec]) -> Tensor\n    return x\n",
    "a comment on types of two lines": "def f(x,  # type: t[a\n      y,  # type: \uff45xec]\n      ):\n    return x\n",
    "an annotation in a string": "def f(x: 'take[exec]'):\n    return x\n",
    "an annotation in a name": "T = 'take[getattr]'\ndef f(x: T):\n    return x\n",
    "settings that are evaluated": "import logging.config\nlogging.config.fileConfig(given)\n",
    "a part that nobody has loaded": "import torch.cuda._annotate_cuda_graph_trace as part\n",
    "a part that nobody has loaded, of a package": "from torch.cuda import _annotate_cuda_graph_trace\n",
    "a module of one": "from numpy.ma.mrecords import pickle as p\n",
    "a module of one, by its name": "import numpy.ma.mrecords as part\nf = part.pickle.Unpickler\n",
    "every frame": "import torch\ntorch._C._dynamo.eval_frame.set_eval_frame(given)\n",
    "threads, native": 'S = """std::jthread(watch).detach();"""\n',
    "threads of a library, native": 'S = """at::launch([] { watch(); });"""\n',
    "threads of TorchScript": "import torch\ndone = torch.jit.fork(watch, x)\n",
    "threads of TorchScript, by another name": "import torch\ngo = torch.jit.fork\ndone = go(watch, x)\n",
    "threads of TorchScript, by its own other name": "from torch.jit import _fork as go\n",
    "called back as a device is waited for": "import torch\ntorch._C._activate_gpu_trace()\n",
    "before every operator": "import torch\ntorch._C._IncludeDispatchKeyGuard(key).__enter__()\n",
    "called back by operators, native": 'S = """at::addGlobalCallback(at::RecordFunctionCallback(see));"""\n',
    "called back by the driver, native": 'S = """cuptiSubscribe(&who, see, nullptr);"""\n',
    "the judge's socket, native": 'S = """::recv(fd, word, 8, 0); at::relu(x);"""\n',
    "what wakes it, native": 'S = """struct sigaction a; sigaction (SIGCONT, &a, nullptr);"""\n',
    "a process that shares its memory": 'S = """clone(watch, stack, CLONE_VM | SIGCHLD, nullptr);"""\n',
    "assembly of the host's": 'S = """asm volatile("mov %%rsp, %0" : "=r"(at));"""\n',
    "code that is written to": 'S = """mprotect(page, 8192, 7); memcpy(at, jump, 12);"""\n',
    "assembly with dots": 'S = """asm volatile("mov.s %%rax, %%rax; mov %%rsp, %0" : "=r"(at));"""\n',
    "an operator of torch's, put together": 'import torch\ntorch.library.impl(f"aten::{name}", "CUDA")\n',
    "assembly behind a label like an instruction": 'S = """__asm__("cp.async.all : mov %rsp, %rax");"""\n',
    "an operator of torch's": 'import torch\ntorch.library.Library("aten", "IMPL")\n',
    "an operator of torch's, by name": 'import torch\n@torch.library.impl("aten::zero_", "CUDA")\ndef zero(x): ...\n',
    "an operator of torch's, native": 'S = """TORCH_LIBRARY_IMPL( aten, CUDA, m) {}"""\n',
    "another's operations": "class Out:\n    @classmethod\n    def __torch_function__(cls, *args): ...\n",
    "a part of a module, asked for by its name": "import torch\nf = getattr(torch, 'serialization').pickle.Unpickler\n",
    "a part of a module by another name": "import torch\nT = torch\nf = T.serialization.f\n",
    "a part of a module by a name of a part": "import torch\nT = torch.nn\nf = T.modules.module.torch.storage.f\n",
    "a part of a module, in its dict": "import torch\nf = torch.__dict__['serialization'].f\n",
    "a module's module, handed on": "import torch\ndef f(t): return t.pickle.Unpickler\nf(torch)\n",
    "a static method's self": "import torch\nclass A:\n    @staticmethod\n    def f(self):\n        self.add = g\n"
    "    def h(self):\n        self.f(torch.Tensor)\n",
    "a static method's self, in its dict": "class A:\n    @staticmethod\n    def f(self):\n"
    "        self.__dict__['add'] = g\n",
    "its own dict, handed on": "class A:\n    def f(self):\n        d = self.__dict__\n",
    "its own dict, by a name that is made": "class A:\n    def f(self, n):\n        return self.__dict__[n]\n",
    "what it is, in its dict": "class A:\n    def f(self):\n        self.__dict__['__class__'] = B\n",
    "others' dict": "class A:\n    def f(self, x):\n        x.__dict__['add'] = g\n",
    "others' dict, beside a class that is handed on": "import torch\nclass A:\n    def f(self):\n"
    "        self.t = torch.Tensor\n        self.t.__dict__['add'] = g\n",
    "a class, by what it is called": "class A:\n    def f(self, x):\n        x.__class__.__name__ = 'n'\n",
    "the class of a part": "class A:\n    def f(self):\n        self.w.__class__.add = g\n",
    "the class of a part, kept": "class A:\n    def f(self):\n        k = self.w.__class__\n        k.add = g\n",
    "a name among rows, with what is unpacked": "class A:\n    def f(self, y):\n"
    "        for a, n, b in ((*[], 'q', *y),):\n            getattr(self, n)\n",
    "a name among arguments that are unpacked": "class A:\n    def f(self, y):\n"
    "        for n, k, b in zip(*[], ('q',), *y):\n            getattr(self, k)\n",
    "a name of a `zip` of its own": "def zip(x): return x\nclass A:\n    def f(self):\n"
    "        for n, k in zip(('q',), (1,)):\n            setattr(self, n, k)\n",
    "a name of rows, and of a pattern": "class A:\n    def f(self, x):\n        for n, k in (('q', 1),):\n"
    "            pass\n        match x:\n            case n:\n                setattr(self, n, 1)\n",
    "a name of rows that are made": "class A:\n    def f(self, x):\n        for n, k in (('q', 1), x):\n"
    "            setattr(self, n, k)\n",
    "a name of rows, of others": "import torch\nfor n, k in (('add', 1),):\n    setattr(torch.Tensor, n, k)\n",
    "a name of a list that grows": "N = ['q']\nN.append(made)\nclass A:\n    def f(self):\n        for n in N:\n"
    "            setattr(self, n, 1)\n",
    "a class by another name": "import torch\nclass A:\n    def f(self):\n        T = torch.Tensor\n"
    "        self.t = T\n        self.t.add = g\n",
    "a class by another name, in a class": "import torch\nclass A:\n    if True:\n        T = torch.Tensor\n"
    "    def f(self):\n        self.T.add = g\n",
    "operators by another name, kept": "import torch\naten = torch.ops.aten\nclass A:\n    def f(self):\n"
    "        self.t = aten\n        self.t.add = g\n",
    "operators by another name": "import torch\naten = torch.ops.aten\naten.add = g\n",
    "a function that is none of its own": "import functools\n@functools.wraps(g)\ndef f(x): ...\nf.n = 1\n",
    "a function of two": "def f(x): ...\ndef k(f):\n    f.n = 1\n",
    "a variable that is Python's elsewhere": "def f(x):\n    vars = 1\ndef k(x):\n    return vars(x)\n",
    "a variable of its module": "def f(x):\n    global gc\n    gc = found()\n",
    "a setting that is code": "import torch._inductor.config as c\nc.post_grad_custom_pre_pass = f\n",
    "no Python": "def forward(",
}


@pytest.mark.parametrize("name", REACHING)
def test_a_way_to_code_of_others_is_seen(name: str) -> None:
    assert ways.first(REACHING[name])


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "honest").glob("*.py")), ids=lambda p: p.stem)
def test_honest_code_shows_no_way_to_the_judge(path: Path) -> None:
    """But for five: threads are started by a module that is no plain one, one import is tried that may fail, a hook
    writes to the module that it is given, a name is made while it runs, and weights are given other memory."""
    shows = path.stem in ("cached_fold_by_hook", "optional_import", "threads_joined", "projections_packed_when_loaded",
                          "weights_in_one_piece")  # fmt: skip
    assert bool(ways.first(path.read_text())) == shows


PLAIN = {
    "a comment of C++": 'S = """// PyBind11 makes no PyObject here\n/* PyList */ int f() { return 1; }"""\n',
    "a docstring": '"""No PyObject is made here."""\nimport torch\n',
    "small modules": "import hashlib, struct, weakref\n",
    "flags, and a class of its own": "import torch\ntorch.backends.cudnn.benchmark = True\nclass A: pass\nA.n = 1\n",
    "its own parts": "class A:\n    def f(self):\n        for m in self.modules():\n            m.eps = 1e-3\n"
    "        for i, p in enumerate((self.q.weight, self.k.weight)):\n            p.data = self.w[i]\n",
    "a layer that it makes": "import torch\nfrom torch import nn\nm = nn.Linear(2, 2)\nm.bias = None\n"
    "n = torch.nn.ReLU()\nn.inplace = True\n",
    "its own parts, beside classes that are looked at": "import torch\nfrom torch import nn\nclass A(nn.Module):\n"
    "    def __init__(self, act: type[nn.Module] = nn.ReLU) -> None:\n        super(A, self).__init__()\n"
    "        self.act = act()\n        self.lin = nn.Linear(2, 2, dtype=torch.float32)\n"
    "    def f(self, x: torch.Tensor) -> torch.Tensor:\n        if isinstance(x, (torch.Tensor, nn.Parameter)):\n"
    "            self.lin.weight.data = torch.Tensor.relu(x)\n        for p in self.parameters():\n"
    "            p.requires_grad = type(p) is torch.Tensor and hasattr(torch, 'compile')\n",
    "itself, beside a class that is handed on": "import torch\nclass A:\n    def f(self, x):\n"
    "        self.kind = type(x)\n        self.n = g(torch.Tensor)\nA.n = 1\nA().f(1)\n",
    "itself, moved": "class A:\n    def __init__(self):\n        self = self.to('cpu')\n        self.n = 1\n",
    "parts of torch": "import torch\nfrom torch.nn import functional as F\nf = torch.fft.fft, F.relu\n",
    "calls of Python's own": "import os\nf = getattr(torch, 'add')\nn = os.cpu_count(), os.path.join('a', 'b')\n",
    "assembly of a GPU": 'S = r"""asm volatile("{\\n .reg .pred p;\\n" "cp.async.bulk.shared::cta [%0];");"""\n',
    "operators of one's own": 'torch.library.Library("mine", "DEF")\nS = """TORCH_LIBRARY(mine, m) {}"""\n',
    "native, plain": 'S = """torch::Tensor f(torch::Tensor x) { namespace F = at; return x.mul(2); }"""\n',
    "native, with names like the system's": 'S = """y = x->clone(); z = at::clone(x.read(0)); own_send(z);"""\n',
    "native, on all cores": 'S = """at::parallel_for(0, n, 64, rows);\n#pragma omp parallel for"""\n',
    "plain parts of libraries": "import numpy as np, torch\nfrom torch.utils import cpp_extension\n"
    "import torch.nn.utils.rnn\n"
    "f = np.linalg.norm, torch._inductor.config, torch.ops.aten.add, torch.utils.checkpoint.checkpoint\n",
    "functions of libraries": "import collections, functools, torch\nf = collections.namedtuple, functools.lru_cache\n"
    "f = torch.compile, torch.jit.script, torch.nn.functional.pad\n",
    "its own attributes, bound": "class A:\n    def n(self):\n        self.__setattr__('n', 1)\n"
    "        super().__setattr__('m', 1)\n        super(A, self).__setattr__('k', 1)\n",
    "its own function, wrapped": "@functools.wraps(made)\ndef n(x):\n    return functools.update_wrapper(made, n)\n",
    "its own attributes, unbound": "class A:\n    def n(self):\n        object.__setattr__(self, 'n', 1)\n",
    "types in comments and strings": "def f(x: 'torch.Tensor', mode='eval'):\n    # type: (Tensor, int) -> Tensor\n"
    "    return x.open  # type: ignore[attr-defined]\n",
    "words in strings": "said = 'call eval() first', 'max-autotune', 'b i -> i b', 'open', 'a.b'\n",
    "parts that are not loaded": "from torch.nn.attention import flex_attention, bias\n"
    "import torch._inductor.config\nfrom torch._dynamo import config\n"
    "import cupy, torch, triton.language as tl\nf = tl.math.exp, cupy.array, torch.ops.own.select\n",
    "attributes by number": "class A:\n    def forward(self, x):\n        for i in range(2):\n"
    "            setattr(self, f'layer{i}', getattr(self, f'w{i}'))\n",
    "attributes of a list": "class A:\n    def __init__(self):\n        for n in ('q', 'k'):\n"
    "            setattr(self, n, 1)\n        self.all = [getattr(self, n) for n in ['q', 'k']]\n",
    "attributes of rows": "KEYS = ('r', 's')\nclass A:\n    def f(self):\n"
    "        for n, layer in (('q', nn.Linear(2, 2)), ['k', None]):\n            setattr(self, n, layer)\n"
    "        for i, (n, m) in enumerate(zip(KEYS, self.all)):\n            setattr(self, n, getattr(self.lin, n))\n"
    "        for n, m in {'a': 1}.items():\n            setattr(self, n, m)\n",
    "attributes of parts by number": "class A:\n    def f(self):\n        rnn = self.rnn\n"
    "        self.w = [getattr(rnn, f'weight_ih_l{i}') for i in range(2)]\n",
    "its own dict": "class A:\n    def f(self):\n        self.__dict__['w'] = self.__dict__.get('v', None)\n"
    "        if 'k' in vars(self):\n            return vars(self)['k'] + self.lin.__dict__['_parameters']['weight']\n",
    "what it is called": "class A:\n    def f(self):\n"
    "        return f'{self.__class__.__name__}, {type(self).__name__}'\n",
    "parts by another name": "class A:\n    def f(self):\n        lin = self.layers[0]\n"
    "        lin.weight.requires_grad = False\n",
    "operators by another name": "import torch\naten = torch.ops.aten\nadd = aten.add.Tensor\nclass A:\n"
    "    def f(self):\n        for p in self.parameters():\n            p.requires_grad = False\n"
    "        return aten.relu.default(self.x)\n",
    "a function of its own": "def f(x):\n    f.n = 1\n",
    "names of its own like those of modules": "class A:\n    def f(self, vars):\n"
    "        open, dir = self.dir, self.gc(vars)\n        return open + dir\n",
    "settings": "import torch._dynamo\nimport torch._inductor.config as c\nfrom torch._inductor import config\n"
    "torch._dynamo.config.cache_size_limit = 64\nc.cpp.threads = 1\nconfig.max_autotune = True\n",
    "flags by another name": "import torch\ncudnn = torch.backends.cudnn\ncudnn.benchmark = True\n",
    "names of classes": "class A:\n    __constants__ = ['n']\n    __slots__ = ()\n",
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_text_shows_none(name: str) -> None:
    assert ways.first(PLAIN[name]) == ""


@pytest.mark.parametrize(
    ("code", "may_linger"),
    [("import torch\n", False), ("import ctypes\n", True), ('S = """cudaDeviceSetLimit(limit, nbytes);"""\n', True),
     ('S = """value.accessPolicyWindow.num_bytes = n;"""\n', True)],
)  # fmt: skip
def test_what_may_slow_others_a_little_is_a_way_or_changes_a_devices_state(code: str, may_linger: bool) -> None:
    judged = trial.Trial()
    judged.read(code, "cuda:0", 1e-3, 8, washes=False)
    assert judged.may_linger == may_linger
    assert bool(judged.way) == ("ctypes" in code), "and only a way is charged"


def test_the_way_is_named_with_its_line() -> None:
    assert ways.first("import torch\n\nimport ctypes\n") == "line 3: imports ctypes: it reaches memory past torch"


@pytest.mark.parametrize(
    "code", ["setattr()", "setattr(*x)", "a" + ".b" * 400 + " = 1", "y = a" + ".b" * 400, "x" + "[0]" * 400 + ".b = 1"]
)
def test_hostile_text_does_not_make_it_raise(code: str) -> None:
    ways.first(code)


@pytest.mark.parametrize("text", ["/* ", '\\"', "/*/", '"/*', "'", "\\"])
def test_text_that_does_not_end_takes_no_hours(text: str) -> None:
    native = '"' + text * 50_000
    assert ways.first(f"S = {native!r}\n") == ""
    assert ways.first(f"S = {native + ' PyImport_GetModule '!r}\n") == "line 1: PyImport_GetModule"
