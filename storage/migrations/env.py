"""Runs migrations on the connection the store hands over, in the transaction that is open on it."""

from alembic import context

from storage import tables
from storage.migrations.counters import Counters

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=tables.SQLModel.metadata,
    render_as_batch=True,
    transactional_ddl=True,
    on_version_apply=Counters(connection).keep,
)
with context.begin_transaction():
    context.run_migrations()
