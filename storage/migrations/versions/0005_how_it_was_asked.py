"""ratings and comparisons say themselves how they were asked; raters told apart by make; drafts

What is added is read from the calls and units that are there (``storage.migrations.update_0005``).
"""

import sqlalchemy as sa

from alembic import op
from storage.migrations import update_0005

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None

ONCE = {"sqlite_autoincrement": True}
NAMED = {"uq": "uq_%(table_name)s_%(column_0_N_name)s"}


def words(name: str):
    return sa.Column(name, sa.String(), nullable=False, server_default='')


def whole(name: str, usual: str):
    return sa.Column(name, sa.Integer(), nullable=False, server_default=usual)


def upgrade() -> None:
    for table, more in (('rating', ()), ('comparison', ('setting',))):
        with op.batch_alter_table(table, recreate='always', table_kwargs=ONCE) as batch:
            for name in ('prompt', 'prompt_hash', 'way', 'engine', 'engine_version', *more):
                batch.add_column(words(name))
            batch.add_column(whole('prompt_version', '0'))
            batch.add_column(whole('repeats', '1'))
    with op.batch_alter_table('rater', recreate='always', table_kwargs=ONCE, naming_convention=NAMED) as batch:
        batch.drop_constraint('uq_rater_kind_name', type_='unique')
        batch.create_unique_constraint('uq_rater_kind_name_agent_hash', ['kind', 'name', 'agent_hash'])
    op.create_table(
        'draft',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('person_id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('content', sa.JSON(), nullable=False),
        sa.Column('created', sa.String(), nullable=False),
        sa.Column('changed', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['person_id'], ['person.id']),
        sa.PrimaryKeyConstraint('id'),
        sqlite_autoincrement=True,
    )
    op.create_index('ix_draft_person_id', 'draft', ['person_id'])
    update_0005.carry_over(op.get_bind())


def downgrade() -> None:
    raise RuntimeError('A store is not taken back to an older schema; its copy from before the update is.')
