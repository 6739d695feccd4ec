"""Attempts without their field `reward`, which nothing ever set."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    attempts = sa.table("attempts", sa.column("seq"), sa.column("record"))
    connection = op.get_bind()
    for seq in connection.scalars(sa.select(attempts.c.seq)).all():  # a record holds a whole prompt: one at a time
        this = attempts.c.seq == seq
        record = json.loads(connection.execute(sa.select(attempts.c.record).where(this)).scalar_one())
        record.pop("reward", None)
        text = json.dumps(record, sort_keys=True)
        connection.execute(sa.update(attempts).where(this).values(record=text))
