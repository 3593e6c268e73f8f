"""Runs migrations on the connection the store hands over, in the transaction that is open on it."""

from alembic import context

from storage import tables

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=tables.SQLModel.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
