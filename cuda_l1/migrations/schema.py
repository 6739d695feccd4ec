"""The archive's tables, and the door to a database: the right settings and the right schema, or a clear refusal.

Tables hold each record as JSON text, plus the columns that look-ups need; `seq` is the order of insertion and the
only meaning of "latest". A database is upgraded when it is opened, under a lock, so that two processes may open a
new file at once. Not covered here: what is written and read (archive.py), the steps of an upgrade (versions/).
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from cuda_l1.errors import UsageError

REVISIONS = ("0001", "0002", "0003")
"""Every schema that this version can open, oldest first; one file in versions/ for each."""
VERSION_TABLE = "cuda_l1_version"
BUSY_TIMEOUT_S = 30
_POSTGRES_LOCK = 0x63756461  # any number will do that other programs are unlikely to use: "cuda"
_upgrading = threading.Lock()  # Alembic keeps the migration at work in a global

metadata = sa.MetaData()


def _table(name: str, *columns: sa.Column[Any], text: str = "record") -> sa.Table:
    seq = sa.Column("seq", sa.Integer, primary_key=True)
    body = sa.Column(text, sa.Text, nullable=False)
    return sa.Table(name, metadata, seq, *columns, body, sa.Column("created", sa.Double, nullable=False))


def _name(name: str, *, index: bool = False, unique: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text, nullable=False, index=index, unique=unique)


tasks = _table("tasks", _name("id"), _name("source_digest"))
sa.Index("ix_tasks_version", tasks.c.id, tasks.c.source_digest, unique=True)
candidates = _table("candidates", _name("id", unique=True), _name("task_id", index=True))
runs = _table("runs", _name("id", unique=True), _name("task_id"), _name("source_digest"), text="config")
evaluations = _table(
    "evaluations",
    sa.Column("candidate_id", sa.Text, sa.ForeignKey("candidates.id"), nullable=False),
    _name("task_id", index=True),
    _name("config_digest"),
    _name("run_id", index=True),
    _name("status"),
)
sa.Index("ix_evaluations_twin", evaluations.c.candidate_id, evaluations.c.config_digest)
attempts = _table("attempts", _name("run_id", index=True), _name("task_id"))
opinions = _table("opinions", _name("run_id", index=True), _name("candidate_id"))


def open_engine(place: str | Path) -> sa.Engine:
    """An engine on a database whose schema is this version's; raises UsageError where that cannot be had."""
    url = _url(place)
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise UsageError(f"found a {url.drivername}:// URL; an archive is a file or a postgresql:// URL")
    try:
        engine = sa.create_engine(url, pool_pre_ping=True)  # judging takes minutes, and what is idle may be cut off
    except ModuleNotFoundError as error:
        raise UsageError(
            f"a {url.drivername}:// archive needs the module {error.name}: pip install {error.name}"
        ) from error
    if engine.dialect.name == "sqlite":
        _listen(engine)
    try:
        with translated(engine):
            if engine.dialect.name == "sqlite":
                _use_wal(engine)
            _upgrade(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def shown(engine: sa.Engine) -> str:
    """The path of a SQLite file, or the URL without its password."""
    if engine.dialect.name == "sqlite":
        return str(engine.url.database)
    return engine.url.render_as_string(hide_password=True)


def _url(place: str | Path) -> sa.URL:
    if "://" in str(place):
        try:
            return sa.make_url(str(place))
        except (sa.exc.ArgumentError, ValueError):
            raise UsageError("the archive's URL does not parse; expected postgresql://USER@HOST/NAME") from None
    path = Path(os.path.expanduser(place)).absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {path.parent} for the archive: {error.strerror}") from error
    return sa.URL.create("sqlite", database=str(path))


@contextmanager
def translated(engine: sa.Engine) -> Iterator[None]:
    """Turn the database's own failures (no server, corrupt, read-only, locked for too long) into UsageError."""
    try:
        yield
    except sa.exc.IntegrityError:
        raise
    except UnicodeEncodeError as error:  # of a file's name, for instance
        raise UsageError(f"{error.object!r} is no text that an archive can hold: it is not UTF-8") from None
    except (sa.exc.DBAPIError, sqlite3.Error) as error:
        cause = getattr(error, "orig", None) or error
        raise UsageError(
            f"the archive {shown(engine)} cannot be used: {' '.join(str(cause).split())}. "
            "Expected an archive of cuda-l1 that can be written. Name another file, or move this one away."
        ) from error


def _listen(engine: sa.Engine) -> None:
    """Set up each SQLite connection; begin transactions ourselves, as the driver's own leave schema changes out."""

    @sa.event.listens_for(engine, "connect")
    def settings(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        for pragma in (f"busy_timeout = {BUSY_TIMEOUT_S * 1000}", "synchronous = NORMAL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("sqlite_begin", "BEGIN"))


def _use_wal(engine: sa.Engine) -> None:
    """Switch the file to write-ahead logging once; SQLite does not wait its busy time-out for this, so we do."""
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    connection = engine.raw_connection()
    try:
        while True:
            try:
                connection.cursor().execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
    finally:
        connection.close()


def _upgrade(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        if _revision(connection) == REVISIONS[-1]:
            return
    locked = engine.connect().execution_options(sqlite_begin="BEGIN IMMEDIATE")
    with _upgrading, locked as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
        if _revision(connection) != REVISIONS[-1]:  # another process may have been first
            _run_migrations(connection)


def _revision(connection: sa.Connection) -> str | None:
    """The schema's revision, None for an empty database; raises UsageError for one that is not ours or too new."""
    names = sa.inspect(connection).get_table_names()
    place = shown(connection.engine)
    if VERSION_TABLE not in names:
        if names:
            raise UsageError(
                f"{place} holds other tables ({', '.join(sorted(names)[:3])}); "
                "expected an archive of cuda-l1 or a new file. Name another file."
            )
        return None
    found = connection.execute(sa.select(sa.column("version_num")).select_from(sa.table(VERSION_TABLE))).scalar()
    if found not in REVISIONS:
        raise UsageError(
            f"the archive {place} has schema {found}, this cuda-l1 knows up to {REVISIONS[-1]}: "
            "it was written by a newer version. Upgrade cuda-l1, or name another file."
        )
    return str(found)


def _run_migrations(connection: sa.Connection) -> None:
    from alembic import command  # a third of a second, spent only on a new or an old database
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
