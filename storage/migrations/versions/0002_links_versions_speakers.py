"""ids given once, calls linked to their records, versions of role cards, speakers of turns

What deleted records left behind in older stores is taken out on the way (``storage.migrations.update_0002``).
"""

import sqlalchemy as sa

from alembic import op
from storage.migrations import update_0002

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None

ONCE = {"sqlite_autoincrement": True}
NAMED = ('role', 'session', 'first', 'second', 'note', 'report')


def rebuilt(table: str, **more):
    """The table rebuilt so that its ids are given once."""
    return op.batch_alter_table(table, recreate='always', table_kwargs=ONCE, **more)


def upgrade() -> None:
    for table in ('report', 'mask', 'note', 'endpoint', 'agent', 'rater', 'call', 'feedback', 'outcome', 'consent'):
        with rebuilt(table):
            pass
    with rebuilt('session') as batch:
        batch.add_column(sa.Column('edition', sa.Integer(), nullable=False, server_default='0'))
    role_cards()
    with rebuilt('turn') as batch:
        batch.add_column(sa.Column('speaker', sa.String(), nullable=False, server_default='text'))
        batch.add_column(sa.Column('agent_id', sa.Integer(), sa.ForeignKey('agent.id', name='turn_agent'), nullable=True))
        batch.add_column(sa.Column('person', sa.String(), nullable=False, server_default=''))
    for table in ('rating', 'comparison'):
        with rebuilt(table) as batch:
            batch.add_column(sa.Column('reader', sa.Integer(), nullable=False, server_default='1'))
            batch.add_column(sa.Column('superseded_by', sa.Integer(), nullable=True))
            batch.create_index(f'ix_{table}_superseded_by', ['superseded_by'])
    with rebuilt('study') as batch:
        batch.add_column(sa.Column('deleted', sa.JSON(), nullable=False, server_default='{}'))
    with rebuilt('unit') as batch:
        for name in NAMED:
            otherwise = "payload ->> 'report'" if name == 'report' else 'NULL'
            sql = f"CAST(coalesce(result ->> '{name}', {otherwise}) AS INTEGER)"
            batch.add_column(sa.Column(f'{name}_id', sa.Integer(), sa.Computed(sql, persisted=False), nullable=True))
            batch.create_index(f'ix_unit_{name}_id', [f'{name}_id'])
    op.create_table(
        'call_record',
        sa.Column('call_id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('record_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['call_id'], ['call.id'], ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('call_id', 'kind', 'record_id'),
    )
    op.create_index('call_about', 'call_record', ['kind', 'record_id'])
    update_0002.tidy(op.get_bind())


def role_cards() -> None:
    """Each card there is becomes the first version of itself; titles are unique within a version."""
    old = sa.Table(
        'role_card', sa.MetaData(),
        sa.Column('id', sa.Integer(), primary_key=True, nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('language', sa.String(), nullable=False),
        sa.Column('seed', sa.Integer(), nullable=False),
        sa.Column('sampling', sa.String(), nullable=False),
        sa.Column('stressor', sa.JSON(), nullable=False),
        sa.Column('demographics', sa.JSON(), nullable=False),
        sa.Column('life_events', sa.JSON(), nullable=False),
        sa.Column('traits', sa.JSON(), nullable=False),
        sa.Column('profile', sa.JSON(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('checks', sa.JSON(), nullable=False),
        sa.Column('engine', sa.String(), nullable=False),
        sa.Column('clearance', sa.Integer(), nullable=False),
        sa.Column('created', sa.String(), nullable=False),
    )
    with rebuilt('role_card', copy_from=old) as batch:
        batch.add_column(sa.Column('card_id', sa.Integer(), nullable=True))
        batch.add_column(sa.Column('version', sa.Integer(), nullable=False, server_default='1'))
        batch.add_column(sa.Column('edited_by', sa.String(), nullable=False, server_default=''))
        batch.add_column(sa.Column('review', sa.JSON(), nullable=False, server_default='{}'))
        batch.create_foreign_key('version_of', 'role_card', ['card_id'], ['id'], ondelete='CASCADE')
        batch.create_unique_constraint('one_title', ['title', 'version'])
        batch.create_unique_constraint('one_version', ['card_id', 'version'])
    op.execute('UPDATE role_card SET card_id = id')


def downgrade() -> None:
    raise RuntimeError('A store is not taken back to an older schema; its copy from before the update is.')
