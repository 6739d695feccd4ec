"""What holds for every test, and the fixtures that several files take."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from place import Place

    from cuda_l1.judge import Session

settings.register_profile("untimed", deadline=None)  # a busy machine takes its time over an example
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--own-core", action="store_true", help="each worker of -n on a core of its own; see --all-cores")
    parser.addoption("--all-cores", action="store_true", help="only the tests that --own-core leaves out")
    parser.addoption("--one-part", action="store_true", help="of specimens, and of slow tests, some")


def pytest_configure(config: pytest.Config) -> None:
    """What one worker times another does not disturb: it has another core, and a lease of its own on that, for leases
    are files among the temporary ones. And Ctrl-C and a hangup reach what tests start, which a shell's background jobs
    and nohup ignore."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not config.getoption("--own-core") or not worker:
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})
    folder = tempfile.TemporaryDirectory(prefix=f"cuda-l1-tests-{worker}-", ignore_cleanup_errors=True)
    config.add_cleanup(folder.cleanup)
    os.environ["TMPDIR"] = tempfile.tempdir = folder.name


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of what is imported, and asserts of which are rewritten, is garbage: to look for some takes a third of
    the time, and while tests run, too."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need several cores are left out where each worker has one, and come together afterwards. If one part
    is asked for, those specimens that it holds, and a third of the tests marked slow."""
    kept, only = list(items), config.getoption("--all-cores")
    if config.getoption("--one-part"):
        import specimens

        if (part := specimens.part_of_commit()) is not None:
            slow = sorted(item.nodeid for item in kept if item.get_closest_marker("slow"))
            others = {name for place, name in enumerate(slow) if place % 3 != part % 3}
            kept = [item for item in kept if item.nodeid not in others and _is_in(part, item)]
    if only or config.getoption("--own-core"):
        kept = [item for item in kept if bool(item.get_closest_marker("all_cores")) is only]
    config.hook.pytest_deselected(items=list(set(items).difference(kept)))
    items[:] = kept


def _is_in(part: int, item: pytest.Item) -> bool:
    """Whether the part holds the specimen that the test judges, if it judges one."""
    given = getattr(item, "callspec", None)
    specimen = given and (given.params.get("cheat") or given.params.get("honest"))
    return specimen is None or specimen.is_in(part)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A judge of the task of `linear.py`."""
    from linear import task

    from cuda_l1.judge import JudgeConfig, Session

    config = JudgeConfig(effort="glance", baselines=(), build_timeout_s=8, run_timeout_s=5)
    with Session(task(), config) as session:
        yield session


@pytest.fixture(scope="session")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the weights of `toy_policy.py`."""
    from toy_policy import make_policy

    return make_policy(tmp_path_factory.mktemp("policy"))


@pytest.fixture
def written(tmp_path: Path, policy: Path) -> Any:
    """Writes a training config for a run in the folder `name`."""
    from toy_policy import make_tasks, toml

    def make(name: str = "out", **settings: Any) -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(toml({"model": str(policy), "out": str(tmp_path / name), **settings}))
        return path

    make_tasks(tmp_path / "tasks.jsonl")
    return make


@pytest.fixture
def rolled(written: Any, tmp_path: Path) -> Any:
    """The same for the stages that sample."""
    from toy_policy import ROLLOUTS

    return lambda name="out", **settings: written(
        name, **{**ROLLOUTS, "tasks": {"file": str(tmp_path / "tasks.jsonl")}, **settings}
    )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Place:
    """A folder with a task, and the command run in it with nobody's settings."""
    from place import Place

    for name in os.environ:
        if name.startswith(("CUDA_L1_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path, capfd)


@pytest.fixture(scope="session")
def kit() -> Path:
    """What a process builds extensions with: slim headers, compiled once and then there for the judges of all tests."""
    from cuda_l1.extensions import inline
    from cuda_l1.judge_config import HEADERS

    folder = inline.warm(HEADERS)
    if folder is None:
        pytest.skip("no C++ compiler on this machine")
    return folder


@pytest.fixture
def slow_way() -> list[str]:
    """Calls that went to the function that was there before."""
    return []


@pytest.fixture
def load_inline(kit: Path, slow_way: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """`load_inline` after `install`, over an original that only says that it was asked."""
    from torch.utils import cpp_extension

    from cuda_l1.extensions import inline

    original = cpp_extension.load_inline

    def asked(
        name, cpp_sources, cuda_sources=None, functions=None, extra_cflags=None, extra_cuda_cflags=None,
        extra_ldflags=None, extra_include_paths=None, build_directory=None, verbose=False, with_cuda=None,
        is_python_module=True, with_pytorch_error_handling=True, keep_intermediates=True, use_pch=False,
        no_implicit_headers=False,
    ):  # fmt: skip
        slow_way.append(name)

    monkeypatch.setattr(cpp_extension, "load_inline", asked)
    monkeypatch.setattr(cpp_extension, "load", cpp_extension.load)  # what it was comes back afterwards
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    inline.install(str(kit))
    yield cpp_extension.load_inline
    cpp_extension.load_inline = original


@pytest.fixture
def own_builds(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernel of an earlier run is taken for this one's, and none is built twice in this one: torch takes ten seconds
    for it, and has a lock for several processes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kernels"
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(folder))


@pytest.fixture
def same_draws() -> None:
    """What a test draws is the same each time."""
    import torch

    torch.manual_seed(0)


@pytest.fixture
def slim_builds(kit: Path, own_builds: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inline extensions are built as a judge's worker builds them, over the slim headers."""
    from torch.utils import cpp_extension

    from cuda_l1.extensions import inline

    for name in ("load", "load_inline"):  # what they were comes back afterwards
        monkeypatch.setattr(cpp_extension, name, getattr(cpp_extension, name))
    inline.install(str(kit))


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """torch.compile as it is in a judge's worker: what was tried once on this machine is tried no more. What it makes
    of a module is made anew."""
    from torch._inductor import config, cpu_vec_isa

    from cuda_l1.judge_config import COMPILED
    from cuda_l1.processes import compiler

    for name, value in compiler.variables("cpu", COMPILED).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cpu_vec_isa.VecISA, "check_build", cpu_vec_isa.VecISA.check_build)  # what `load` sets
    with config.patch(cpp_cache_precompile_headers=False):
        compiler.load("cpu")
        monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """An empty working folder, and a function that writes a file into it."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    return write
