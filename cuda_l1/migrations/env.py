"""What Alembic runs for an upgrade: the steps in versions/, on the connection and in the transaction handed over."""

from alembic import context

from cuda_l1.migrations.schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
