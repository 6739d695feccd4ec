"""The process that runs a module for the judge: a fork of the nursery.

One program, two roles. As `reference` it holds the task's source: it makes inputs, float64 oracle outputs, weights and
the reference's own outputs. As `candidate` it holds one candidate's code and nothing else: no reference, no expected
output, no later input, no clock. It enters its sandbox before it reads any code and before any thread exists.

A candidate may patch everything here: the parent believes nothing of what this process says, but for "I failed".
"""

from __future__ import annotations

import contextlib
import functools
import gc
import mmap
import os
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

import torch

from cuda_l1.evidence import profile, work
from cuda_l1.extensions import inline
from cuda_l1.inputs import weights
from cuda_l1.inputs.distributions import DOUBLED, split_kind
from cuda_l1.inputs.fills import FILLS
from cuda_l1.inputs.related import drawn, keep_spans
from cuda_l1.processes import heap, operators, oracle
from cuda_l1.processes.outputs import borrowed, deliver, deliver_again, is_lent, is_plain, is_view, settled, write
from cuda_l1.processes.places import places, places_on_gpu
from cuda_l1.processes.source import Source, attempt
from cuda_l1.sandbox import layers
from cuda_l1.wire import seal
from cuda_l1.wire.arena import Arena, Layout, Leaf, give_back, tells_mapped
from cuda_l1.wire.link import ASK, BEGIN, BURST, DELIVER, END, RUN, SWAP, WHERE, Link, RefusalError, WorkerGoneError
from cuda_l1.wire.memory import shown
from cuda_l1.wire.values import Together, at_hand, decode, describe_exception, encode, flatten, flattened, fresh


class Worker:
    """State of the process between two requests."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.arenas: dict[str, Any] = {}
        self.is_cuda = False
        self.module: Any = None
        self.called: Any = None
        """It, or what gives it its arguments put together."""
        self.source: Any = None
        self.orders: dict[str, tuple[list[Any], list[list[Any]]]] = {}
        self.pad: seal.Pad | None = None
        self.lends = False
        """Whether its module gives outputs in memory that is not torch's, or inputs: they are copied in each call."""

    def answer(self, request: dict[str, Any], fd: int | None) -> dict[str, Any]:
        """The fields of the reply, by the method that it names."""
        given = (request, fd) if request["op"] in ("attach", "read_state") else (request,)
        return getattr(self, request["op"])(*given)  # type: ignore[no-any-return]

    def start(self, request: dict[str, Any]) -> dict[str, Any]:
        """Enter the sandbox, then bring the device up."""
        self.device = str(request["device"])
        self.is_cuda = self.device.startswith("cuda")
        self.precision, self.mode, self.kit = request["precision"], request["mode"], request["kit"]
        if request["walls"] == "all":
            layers.enter(request["scratch"], request["readable"], request["writable"], is_cuda=self.is_cuda)
        torch.set_num_threads(int(request["threads"]))
        if self.precision in ("fp32", "tf32"):
            allowed = self.precision == "tf32"
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed
        if self.is_cuda:
            torch.cuda.set_device(self.device)
            tells_mapped()
            self.kept = torch.zeros(1, device=self.device)
        if request["walls"] != "none":
            layers.seal()
        return {"shown": shown(self.kept)} if self.is_cuda else {}

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        """Import the source and construct the class under the seed given."""
        if self.is_cuda and request["opens"]:  # before code of its own can say in which memory the cache is washed
            self.pad = seal.Pad(int(request["opens"]), self.device, washes=True)
        if request["inline"]:
            inline.install(self.kit)
        self.source = Source(request["path"], request["module"], request["import_path"])
        if request["role"] == "reference":
            init, encoded = self.source.made_with()
        else:
            init, encoded = self.source.made_with_as(request["init"]), request["init"]
        module = self.source.construct(request["class_name"], init, int(request["seed"]), self.device, self.precision)
        module.train(self.mode == "train")  # its own one may return nothing
        self.module = module
        self._called_with(request["given"])
        return {"init": encoded}

    def describe_inputs(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: which inputs there are, a tensor by its leaf and anything else by its value; and how many bytes of
        a GPU's memory it takes at most to make them."""
        values, nbytes = self._measured(functools.partial(self._inputs, int(request["seed"])))
        spec = [{"leaf": Leaf.of(each)} if hasattr(each, "data_ptr") else {"value": encode(each)} for each in values]
        self._called_with(self.source.given)
        return {"inputs": spec, "nbytes": nbytes, "given": self.source.given}

    def describe_outputs(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: which outputs there are, and how many bytes of a GPU's memory a call allocates at most, by one on
        inputs of its own."""
        call = functools.partial(self.called, *self._inputs(int(request["seed"])))
        made, nbytes = self._measured(functools.partial(attempt, "forward", call))
        leaves, shape = self._outputs(made)
        self._synchronize()
        given = [list(call.args)]
        self.lends = any(is_lent(leaf, given, may_view=True) for leaf in leaves)
        views = [is_plain(leaf) and is_view(leaf, given) for leaf in leaves]
        found = {
            "outputs": [Leaf.of(leaf) for leaf in leaves], "nbytes": nbytes,
            "structure": [shape, borrowed(leaves), views],
        }  # fmt: skip
        del call, made, leaves, given
        give_back(self.device)
        return found

    def attach(self, request: dict[str, Any], fd: int | None) -> dict[str, Any]:
        """Map an arena of the judge under a name, or lay another layout over one that is mapped."""
        layout = Layout.parse(request["layout"])
        if fd is None:
            self.arenas[request["name"]] = self.arenas[request["over"]].laid(layout)
        else:
            self.arenas[request["name"]] = Arena.attach(layout, request["device"], fd, int(request["nbytes"]))
        self.orders[request["name"]] = ([decode(value) for value in request["constants"]], request["order"])
        return {}

    def make_inputs(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: fresh inputs into the slots named, a seed and a distribution each (`related.drawn`), but
        for those that `stay` as they are drawn (`looks.Looks.stay`)."""
        arena = self.arenas[request["arena"]]
        for slot, seed, kind in zip(request["slots"], request["seeds"], request["kinds"], strict=True):
            self._make(arena.input(slot), int(seed), kind, request["stay"])
        self._synchronize()
        give_back(self.device)
        return {}

    def rehearse(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: what a call on a slot, or on inputs of a seed, does on the CPU, or the oracle's if it says how."""
        values = self._inputs(int(request["seed"])) if "seed" in request else self._values("verify", request["slot"])
        oracle.on_the_host(self.called, values, request.get("how"), lambda: self.arenas["oracle"].output(0))
        return {}

    def oracle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: the same module in float64 on the inputs of the slot named (see `oracle.outputs`)."""
        values, targets = self._values(request["arena"], int(request["slot"])), self.arenas["oracle"].output(0)
        failed = ""
        try:
            oracle.outputs(self.called, values, targets, **request["how"])
            self._synchronize()
        except Exception as error:  # which holds all that failed had: give back later
            failed = f"{type(error).__name__}: {error}"
        give_back(self.device)
        if failed:
            raise RefusalError("oracle", failed)
        return {}

    def read_state(self, request: dict[str, Any], fd: int | None) -> dict[str, Any]:
        """Write tensors of the state_dict to a file, those named, in that order; of the `held` nothing that the module
        does not hold itself."""
        assert fd is not None
        weights.write(fd, weights.saved(self.module, None, request["names"], held=request["held"]).values())
        return {}

    def save_state(self, request: dict[str, Any]) -> dict[str, Any]:
        """Reference: lay out its weights, or those named, changed under a seed (see `weights.saved`), and say which."""
        seed = None if request["seed"] is None else int(request["seed"])
        how = {each: request[each] for each in ("how", "but", "said")}
        saved = weights.saved(self.module, seed, request["names"], **how)
        names = []
        for target, (name, shape, _) in zip(self.arenas["weights"].input(0), request["spec"], strict=True):
            if name in saved and list(saved[name].shape) == shape:
                target.copy_(saved[name].detach())
                names.append(name)
            else:
                target.zero_()  # nothing of what lay there before goes with them
        self._synchronize()
        return {"names": names}

    def load_state(self, request: dict[str, Any]) -> dict[str, Any]:
        """Copy the weights named, as they are laid out, into the module where name, shape and dtype agree, or write to
        them where they lie, if it `is_step`."""
        mine = weights.tensors_of(self.module)
        state = weights.loaded(self.arenas["weights"].input(0), request["spec"], request["names"], mine)
        attempt("build", lambda: weights.put(self.module, state, is_step=request["is_step"]))
        self._synchronize()
        state.clear()  # copies of them
        give_back(self.device)
        return {}

    def state(self, request: dict[str, Any]) -> dict[str, Any]:
        """Name, shape and dtype of all tensors in the module's state_dict, the names of its buffers, and of what holds
        tensors and is none."""
        it = self.module
        return {"state": weights.spec_of(it), "buffers": weights.buffers_of(it), "extra": weights.extra_of(it)}

    def warm(self, request: dict[str, Any]) -> dict[str, Any]:
        """One call on the slot named, untimed and unchecked: compilers and autotuners do their work here. Says which
        outputs came, with which strides, how many bytes into the slot those lie that are views of inputs, and which are
        lent (`views`: by leaf, whether it may be one): those are copied in each call from here on."""
        values = self._values(request["arena"], int(request["slot"]))
        made = attempt("forward", lambda: self.called(*values))
        self._synchronize()
        arena = self.arenas[request["arena"]]
        slot_nbytes = arena.layout.input_slot_nbytes
        begins = arena.input_block.data_ptr() + int(request["slot"]) * slot_nbytes
        outputs = []
        for leaf, may_view in zip(filter(is_plain, flattened(made)[0]), request["views"], strict=False):
            offset = leaf.data_ptr() - begins
            view = [offset, leaf.stride()] if 0 <= offset < slot_nbytes else None
            outputs.append([*Leaf.of(leaf), view, is_lent(leaf, [values], may_view=may_view)])
        self.lends = any(lent for *_, lent in outputs)
        return {"outputs": outputs}

    def compile_no_more(self, _: dict[str, Any]) -> dict[str, Any]:
        """From here on what torch.compile would compile anew runs as it is written."""
        if "torch._dynamo" in sys.modules:  # to import it takes seconds
            torch.compiler.set_stance("eager_on_recompile")
        return {}

    def examine(self, request: dict[str, Any]) -> dict[str, Any]:
        """Facts about calls on the slot named: `profile.record`, `work.measure` or `work.dependent`. Or `operators`."""
        if request["what"] == "operators":
            return {"found": operators.registered()}
        look = {"profile": profile.record, "work": work.measure, "dependent": work.dependent}[request["what"]]
        values = [fresh(value) for value in self._values(request["arena"], int(request["slot"]))]
        found = attempt("forward", functools.partial(look, self.called, values))
        del values
        give_back(self.device)
        return {"found": found}

    def race(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out commands until END. With `again`, the outputs of all calls but the last are copied once more at the
        end, behind the first copies; with `writes`, those leaves of what was delivered are written to."""
        again, writes, structure, name = (request[field] for field in ("again", "writes", "structure", "arena"))
        arena, values = self.arenas[name], self._by_slot(name)
        if not self.is_cuda:
            heap.even()
        ready, kept = list[list[Any]](), list[list[Any]]()
        out: Any = None
        aside, position = out, 0
        # a collection's half a millisecond would fall into the same part of every turn, of one side into another's
        gc.disable()
        module, lends, await_command, done = self.called, self.lends, self.link.await_command, self.link.done
        self.link.begin()
        self.link.send({"ok": True})
        try:
            with torch.no_grad():
                while (command := await_command()) != END:
                    if command == RUN:
                        out = leaves = None  # of the last call, and on this one's time: somebody may wait for it
                        out = settled(module(*ready[-1]), are_copied=lends)
                        self._synchronize()
                    elif command == DELIVER:
                        leaves = deliver(out, structure, arena.output(position), ready)
                        kept += [leaves] if again else []
                        position += 1
                        if writes:
                            write([leaves[index] for index in writes], ready)
                        self._synchronize()
                    elif command == SWAP:
                        out, aside = aside, out
                    elif command == BEGIN:
                        self._touch()
                        position, ready, aside = 0, [], None
                    elif command == BURST:
                        self._burst(ready)
                    elif command == ASK:
                        self._answer_amid()
                        continue
                    elif command == WHERE:
                        self.link.say((places_on_gpu if self.is_cuda else places)(out, arena.layout.outputs))
                        continue
                    else:
                        self._open(arena, command, self.link.key())
                        ready.append(values(command))
                    done()
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

    def _called_with(self, given: Any) -> None:
        self.called = self.module if given is None else Together(self.module, given)

    def _inputs(self, seed: int) -> list[Any]:
        return self.source.inputs(seed, self.device, self.precision)  # type: ignore[no-any-return]

    def _make(self, targets: list[Any], seed: int, kind: str, stay: list[list[int]]) -> None:
        tensors = [value for value in self._inputs(seed) if hasattr(value, "data_ptr")]
        if (shapes := [tuple(t.shape) for t in tensors]) != [tuple(target.shape) for target in targets]:
            raise RefusalError("task", f"get_inputs changed its shapes between two calls: {shapes}: have them the same")
        kind, some = split_kind(kind)
        its_own = stay[1 if kind in FILLS else 3 if kind == DOUBLED else 0] if some is None else []
        for index, (target, value) in enumerate(zip(targets, tensors, strict=True)):
            is_own = kind == "own" or index in its_own or (some is not None and index not in some)
            target.copy_(value if is_own else drawn(tensors, index, kind, seed, self.module, stay[2]))
        keep_spans(targets, stay[4])

    def _outputs(self, value: Any) -> tuple[list[Any], Any]:
        try:
            leaves, shape = flatten(value)
        except TypeError as error:
            raise RefusalError("task", str(error)) from error
        if not leaves:
            said = "forward returned no tensor: have it return as one what it makes or changes, a loss without .item()"
            raise RefusalError("task", said)
        return leaves, shape

    def _values(self, arena: str, slot: int) -> list[Any]:
        (constants, order), tensors = self.orders[arena], self.arenas[arena].input(slot)
        return [tensors[index] if is_tensor else constants[index] for is_tensor, index in order]

    def _by_slot(self, name: str) -> Callable[[int], list[Any]]:
        values, slots = functools.partial(self._values, name), self.arenas[name].layout.input_slots
        return values if self.is_cuda else at_hand(list(map(values, range(slots))))

    def _measured(self, function: Callable[[], Any]) -> tuple[Any, int]:
        """What it returns, and how many bytes of a GPU's memory it allocates at most."""
        if not self.is_cuda:
            return function(), 0
        torch.cuda.reset_peak_memory_stats(self.device)
        before = torch.cuda.memory_allocated(self.device)
        return function(), torch.cuda.max_memory_allocated(self.device) - before

    def _open(self, arena: Any, slot: int, key: int) -> None:
        """Take the seal off a slot; nothing without a key."""
        if key:
            assert self.pad is not None
            self.pad.open(arena.rows[slot], key)
            self._synchronize()

    def _answer_amid(self) -> None:
        """Amid a race, whose end may run code of the module's own."""
        reply = self.answer(*self.link.receive())
        self.link.done()
        self.link.send({"ok": True, **reply})

    def _burst(self, ready: list[list[Any]]) -> None:
        for values in ready:
            settled(self.called(*values), are_copied=False)
        self._synchronize()

    def _touch(self) -> None:
        gc.collect(1)
        # The first kernel after another process used the GPU pays for the switch (145 us): not the candidate's.
        if self.is_cuda:
            torch.zeros(1, device=self.device)
            self._synchronize()

    def _synchronize(self) -> None:
        if self.is_cuda:  # what `torch.cuda.synchronize` does around it takes 3 us of every call
            torch._C._cuda_setDevice(self.kept.device.index)  # and not the one that somebody left current
            torch._C._cuda_synchronize()


def serve(worker: Worker) -> None:
    """Answer requests until the parent closes the socket."""
    while True:
        request, fd = worker.link.receive()
        try:
            reply = worker.answer(request, fd)
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
    layers.die_with_parent()
    words = None if words_fd is None else mmap.mmap(words_fd, 0)
    with contextlib.suppress(WorkerGoneError, KeyboardInterrupt):
        serve(Worker(Link(socket.socket(fileno=socket_fd), words, takes_descriptors=True)))
    os._exit(0)
