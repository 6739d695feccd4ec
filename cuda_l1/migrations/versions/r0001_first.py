"""Tasks, candidates, runs, evaluations and attempts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    def names(*columns: str) -> list[sa.Column[str]]:
        return [sa.Column(name, sa.Text, nullable=False) for name in columns]

    def seq() -> sa.Column[int]:
        return sa.Column("seq", sa.Integer, primary_key=True)

    def created() -> sa.Column[float]:
        return sa.Column("created", sa.Double, nullable=False)

    op.create_table("tasks", seq(), *names("id", "source_digest", "record"), created())
    op.create_index("ix_tasks_version", "tasks", ["id", "source_digest"], unique=True)
    op.create_table("candidates", seq(), *names("id", "task_id", "record"), created(), sa.UniqueConstraint("id"))
    op.create_index("ix_candidates_task_id", "candidates", ["task_id"])
    op.create_table(
        "runs", seq(), *names("id", "task_id", "source_digest", "config"), created(), sa.UniqueConstraint("id")
    )
    op.create_table(
        "evaluations",
        seq(),
        *names("candidate_id", "task_id", "config_digest", "run_id", "status", "record"),
        created(),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidates.id"]),
    )
    op.create_index("ix_evaluations_twin", "evaluations", ["candidate_id", "config_digest"])
    op.create_index("ix_evaluations_task_id", "evaluations", ["task_id"])
    op.create_index("ix_evaluations_run_id", "evaluations", ["run_id"])
    op.create_table("attempts", seq(), *names("run_id", "task_id", "record"), created())
    op.create_index("ix_attempts_run_id", "attempts", ["run_id"])
