"""The process that runs a module for the judge: a fork of the nursery.

One program, two roles. As `reference` it holds the task's source: it makes inputs, float64 oracle outputs, weights and
the reference's own outputs. As `candidate` it holds one candidate's code and nothing else: no reference, no expected
output, no later input, no clock. It enters its sandbox before it reads any code and before any thread exists.

Everything here may be patched by the candidate that runs beside it: the parent believes nothing of what this process
says, but for "I failed".
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.util
import mmap
import os
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

import torch

from cuda_l1.judge import build, heap, oracle, profile, sandbox, weights, work
from cuda_l1.judge.arena import Arena, Layout, Leaf, give_back
from cuda_l1.judge.link import BEGIN, BURST, DELIVER, END, RUN, SWAP, WORDS_BYTES, Link, WorkerGoneError
from cuda_l1.judge.outputs import borrows, deliver, deliver_again, is_lent, is_plain, owned
from cuda_l1.judge.values import (
    RefusalError,
    decode,
    describe_exception,
    encode,
    flatten,
    fresh,
    seed_everything,
    split_kind,
    varied,
)


class Worker:
    """State of the process between two requests."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.arenas: dict[str, Any] = {}
        self.module: Any = None
        self.namespace: Any = None
        self.orders: dict[str, tuple[list[Any], list[list[Any]]]] = {}
        self.lends = False
        """Whether its module gives outputs in memory that is not torch's: they are copied in each call."""

    # Requests. Each returns the reply's fields.
    def start(self, request: dict[str, Any]) -> dict[str, Any]:
        """Enter the sandbox, then bring the device up."""
        self.device = str(request["device"])
        self.precision, self.mode = request["precision"], request["mode"]
        if request["walls"] == "all":
            cuda = self.device.startswith("cuda")
            sandbox.enter(request["scratch"], request["readable"], request["writable"], cuda=cuda)
        torch.set_num_threads(int(request["threads"]))
        if self.precision in ("fp32", "tf32"):
            allowed = self.precision == "tf32"
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed
        if self.device.startswith("cuda"):
            torch.cuda.set_device(self.device)
            torch.zeros(1, device=self.device)
        if request["walls"] != "none":
            sandbox.seal()
        self.kit = request["kit"]
        return {}

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        """Import the source and construct the class under the seed given."""
        if request["inline"]:
            build.install(self.kit)
        self.namespace = self._import(request["path"], request["import_path"])
        if request["role"] == "reference":
            init = self._call("init_inputs", lambda: self._function("get_init_inputs")())
            if not isinstance(init, (list, tuple)):
                raise RefusalError("task", f"get_init_inputs returned a {type(init).__name__}; a list was expected")
            try:
                encoded = [encode(value) for value in init]
            except TypeError as error:
                raise RefusalError("task", f"get_init_inputs holds {error}") from error
        else:
            encoded = request["init"]
        self.init = [decode(value) for value in encoded]
        self.class_name = request["class_name"]
        self.module = self._construct(int(request["seed"]))
        state, buffers = weights.spec_of(self.module), weights.buffers_of(self.module)
        return {"init": encoded, "state": state, "buffers": buffers, "modules": type(self.module).__name__}

    def describe_inputs(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: which inputs there are, a tensor by its leaf and anything else by its value; and how many bytes of
        a GPU's memory it takes at most to make them."""
        spec: list[dict[str, Any]] = []
        values, nbytes = self._measured(functools.partial(self._get_inputs, int(request["seed"])))
        for value in values:
            try:
                spec.append({"leaf": Leaf.of(value)} if hasattr(value, "data_ptr") else {"value": encode(value)})
            except TypeError as error:
                raise RefusalError("task", f"get_inputs holds {error}; tensors can be sent too") from error
        return {"inputs": spec, "nbytes": nbytes}

    def describe_outputs(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: which outputs there are, and how many bytes of a GPU's memory a call allocates at most, by one on
        inputs of its own."""
        call = functools.partial(self.module, *self._get_inputs(int(request["seed"])))
        made, nbytes = self._measured(functools.partial(self._call, "forward", call))
        leaves, shape = self._outputs(made)
        self._synchronize()
        self.lends = any(is_lent(leaf, [list(call.args)]) for leaf in leaves)
        found = {
            "outputs": [Leaf.of(leaf) for leaf in leaves], "structure": [shape, list(map(bool, borrows(leaves)))],
            "nbytes": nbytes,
        }  # fmt: skip
        del call, made, leaves
        give_back(self.device)
        return found

    def attach(self, request: dict[str, Any], fd: int | None) -> dict[str, Any]:
        """Map an arena of the judge under a name, or lay another layout over one that is mapped."""
        layout = Layout.parse(request["layout"])
        if fd is None:
            self.arenas[request["name"]] = self.arenas[request["over"]].laid(layout)
        else:
            self.arenas[request["name"]] = Arena.attach(layout, self.device, fd, int(request["nbytes"]))
        self.orders[request["name"]] = ([decode(value) for value in request["constants"]], request["order"])
        return {}

    def make_inputs(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: fresh inputs into the slots named, one seed and one distribution each (see `values.varied`)."""
        arena = self.arenas[request["arena"]]
        for slot, seed, kind in zip(request["slots"], request["seeds"], request["kinds"], strict=True):
            self._make(arena.input(slot), int(seed), kind)
        self._synchronize()
        give_back(self.device)
        return {}

    def oracle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: the same module in float64 on the inputs of the slot named (see `oracle.outputs`)."""
        values, targets = self._values(request["arena"], int(request["slot"])), self.arenas["oracle"].output(0)
        failed = ""
        try:
            oracle.outputs(self.module, values, targets, request.get("rounding"))
            self._synchronize()
        except Exception as error:  # which holds all that failed had: give back later
            failed = f"{type(error).__name__}: {error}"
        give_back(self.device)
        if failed:
            raise RefusalError("oracle", failed)
        return {}

    def save_state(self, request: dict[str, Any], fd: int | None) -> dict[str, Any]:
        """Write the weights, in the order of the state_dict, or those named; changed at random under a seed."""
        assert fd is not None
        seed = None if request["seed"] is None else int(request["seed"])
        weights.save(
            self.module, fd, seed, request.get("names"), how=request.get("how", ""), but=request.get("but", "")
        )
        return {}

    def load_state(self, request: dict[str, Any], fd: int | None) -> dict[str, Any]:
        """Copy weights into the module where name, shape and dtype agree. Says which names did not."""
        assert fd is not None
        mine = weights.tensors_of(self.module)
        state = weights.load(fd, request["spec"], mine)
        self._call("build", lambda: self.module.load_state_dict(state, strict=False))
        self._synchronize()
        return {"missing": sorted(set(mine) - set(state))}

    def state(self, request: dict[str, Any]) -> dict[str, Any]:
        """Name, shape and dtype of all in the module's state_dict."""
        return {"state": weights.spec_of(self.module)}

    def warm(self, request: dict[str, Any]) -> dict[str, Any]:
        """One call on the slot named, untimed and unchecked: compilers and autotuners do their work here. Says which
        outputs came, with which strides, how many bytes into the slot those lie that are views of inputs, and which are
        lent: those are copied in each call from here on."""
        values = self._values(request["arena"], int(request["slot"]))
        made = self._call("forward", lambda: self.module(*values))
        self._synchronize()
        arena = self.arenas[request["arena"]]
        slot_nbytes = arena.layout.input_slot_nbytes
        begins = arena.input_block.data_ptr() + int(request["slot"]) * slot_nbytes
        outputs = []
        for leaf in filter(is_plain, flatten(made)[0]):
            offset = leaf.data_ptr() - begins
            view = [offset, leaf.stride()] if 0 <= offset < slot_nbytes else None
            outputs.append([*Leaf.of(leaf), view, is_lent(leaf, [values])])
        self.lends = any(lent for *_, lent in outputs)
        return {"outputs": outputs}

    def examine(self, request: dict[str, Any]) -> dict[str, Any]:
        """Facts about calls on the slot named: `profile.record`, `work.measure` or `work.dependent`."""
        look = {"profile": profile.record, "work": work.measure, "dependent": work.dependent}[request["what"]]
        values = [fresh(value) for value in self._values(request["arena"], int(request["slot"]))]
        found = self._call("forward", functools.partial(look, self.module, values))
        del values
        give_back(self.device)
        return {"found": found}

    def race(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out commands until END. With `again`, the outputs of all calls but the last are copied once more at the
        end, behind the first copies."""
        again, arena, structure = request["again"], self.arenas[request["arena"]], request["structure"]
        if self.device == "cpu":
            heap.even()
        ready: list[list[Any]] = []
        kept: list[list[Any]] = []
        out: Any = None
        aside: Any = None
        position = 0
        # a collection's half a millisecond would fall into the same part of every turn, of one side into another's
        gc.disable()
        self.link.begin()
        self.link.send({"ok": True})
        try:
            with torch.no_grad():
                while (command := self.link.await_command()) != END:
                    if command == RUN:
                        out = self.module(*ready[-1])
                        out = owned(out) if self.lends else out
                        self._synchronize()
                    elif command == DELIVER:
                        leaves = deliver(out, structure, arena.output(position), ready)
                        kept += [leaves] if again else []
                        position += 1
                        self._synchronize()
                    elif command == SWAP:
                        out, aside = aside, out
                    elif command == BEGIN:
                        gc.collect(1)
                        self._touch()
                        position, ready, aside = 0, [], None
                    elif command == BURST:
                        for values in ready:
                            self.module(*values)
                        self._synchronize()
                    else:
                        out = leaves = None  # the last call's output is free before the next begins
                        ready.append(self._values(request["arena"], command))
                    self.link.done()
                deliver_again(kept, arena)
                self._synchronize()
                self.link.done()
        except WorkerGoneError:
            raise
        except RefusalError:
            self.link.done(ok=False)
            raise
        except Exception as error:
            self.link.done(ok=False)
            raise RefusalError("forward", describe_exception(error)) from error
        finally:
            gc.enable()
        return {}

    # Parts.

    def _import(self, path: str, import_path: str | None) -> Any:
        if import_path:
            sys.path.insert(0, import_path)
        name = os.path.basename(path).removesuffix(".py")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        self._call("build", lambda: spec.loader.exec_module(module))  # type: ignore[union-attr]
        return module

    def _function(self, name: str) -> Callable[..., Any]:
        function = getattr(self.namespace, name, None)
        if not callable(function):
            raise RefusalError("task", f"the source defines no {name}()")
        return function  # type: ignore[no-any-return]

    def _construct(self, seed: int) -> Any:
        kind = getattr(self.namespace, self.class_name, None)
        if not isinstance(kind, type) or not issubclass(kind, torch.nn.Module):
            raise RefusalError("build", self._no_class())
        seed_everything(seed)
        module = self._call("build", lambda: kind(*self.init))
        module = module.to(self.device)
        if self.precision in ("bf16", "fp16"):
            module = module.to(torch.bfloat16 if self.precision == "bf16" else torch.float16)
        return module.train(self.mode == "train")

    def _no_class(self) -> str:
        its = [name for name, value in vars(self.namespace).items() if isinstance(value, type)
               and issubclass(value, torch.nn.Module) and value.__module__ == self.namespace.__name__]  # fmt: skip
        wanted = f"the code defines no class {self.class_name} that is a torch.nn.Module"
        return f"{wanted}; it has {', '.join(its) or 'no module'}"

    def _get_inputs(self, seed: int) -> list[Any]:
        seed_everything(seed)
        get_inputs = self._function("get_inputs")
        try:
            with torch.device(self.device):  # drawn on the device: a gigabyte takes the CPU seconds
                values = get_inputs()
        except Exception:
            seed_everything(seed)
            values = self._call("inputs", get_inputs)
        if not isinstance(values, (list, tuple)):
            raise RefusalError("task", f"get_inputs returned a {type(values).__name__}; a list was expected")
        kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self.precision)
        values = list(values)
        for number, value in enumerate(values):  # one by one: of a large one there is no room for another copy
            if torch.is_tensor(value):
                wanted = kind if kind and value.is_floating_point() else value.dtype
                values[number] = value.detach().to(self.device, wanted)
        return values

    def _make(self, targets: list[Any], seed: int, kind: str) -> None:
        tensors = [value for value in self._get_inputs(seed) if hasattr(value, "data_ptr")]
        shapes = [tuple(t.shape) for t in tensors]
        if shapes != [tuple(target.shape) for target in targets]:
            raise RefusalError("task", f"get_inputs changed its shapes between two calls: {shapes}")
        kind, only = split_kind(kind)
        for index, (target, value) in enumerate(zip(targets, tensors, strict=True)):
            target.copy_(value if kind == "own" or only not in (None, index) else varied(value, kind))

    def _outputs(self, value: Any) -> tuple[list[Any], Any]:
        try:
            leaves, shape = flatten(value)
        except TypeError as error:
            raise RefusalError(
                "task", f"forward returned {error}; tensors, or lists, tuples and dicts of them, are expected"
            ) from error
        if not leaves:
            raise RefusalError("task", "forward returned no tensor")
        return leaves, shape

    def _values(self, arena: str, slot: int) -> list[Any]:
        constants, order = self.orders[arena]
        tensors = self.arenas[arena].input(slot)
        return [tensors[index] if is_tensor else constants[index] for is_tensor, index in order]

    def _measured(self, function: Callable[[], Any]) -> tuple[Any, int]:
        """What it returns, and how many bytes of a GPU's memory it allocates at most."""
        if not self.device.startswith("cuda"):
            return function(), 0
        torch.cuda.reset_peak_memory_stats(self.device)
        before = torch.cuda.memory_allocated(self.device)
        return function(), torch.cuda.max_memory_allocated(self.device) - before

    def _touch(self) -> None:
        # The first kernel after another process used the GPU pays for the switch (145 us): not the candidate's.
        if self.device.startswith("cuda"):
            torch.zeros(1, device=self.device)
            torch.cuda.synchronize()

    def _synchronize(self) -> None:
        if self.device.startswith("cuda"):
            torch.cuda.synchronize()

    def _call(self, stage: str, function: Callable[[], Any]) -> Any:
        try:
            with torch.no_grad() if stage == "forward" else contextlib.nullcontext():
                return function()
        except RefusalError:
            raise
        except Exception as error:
            raise RefusalError(stage, describe_exception(error)) from error


def serve(worker: Worker) -> None:
    """Answer requests until the parent closes the socket."""
    with_fd = {"attach", "save_state", "load_state"}
    while True:
        worker.link.sock.setblocking(True)
        request, fd = worker.link.receive()
        try:
            method = getattr(worker, request["op"])
            reply = method(request, fd) if request["op"] in with_fd else method(request)
        except RefusalError as refusal:
            worker.link.send({"ok": False, "stage": refusal.stage, "error": str(refusal)})
        except WorkerGoneError:
            raise
        except Exception as error:
            traceback.print_exc()
            worker.link.send({"ok": False, "stage": request["op"], "error": describe_exception(error)})
        else:
            worker.link.send({"ok": True, **reply})


def main(socket_fd: int, words_fd: int | None = None) -> NoReturn:
    """Serve the judge at the other end of the socket until it closes that."""
    sandbox.die_with_parent()
    words = None if words_fd is None else mmap.mmap(words_fd, WORDS_BYTES)
    with contextlib.suppress(WorkerGoneError, KeyboardInterrupt):
        serve(Worker(Link(socket.socket(fileno=socket_fd), words, takes_descriptors=True)))
    os._exit(0)
