"""persons with ids, consents for a session or all of theirs, reviews of texts, and who looked; no stored clearance

Codes people worked under become persons whom nobody can act as yet; what cannot be proved grants nothing
(``storage.migrations.update_0004``).
"""

import sqlalchemy as sa

from alembic import op
from storage.migrations import update_0004

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None

ONCE = {"sqlite_autoincrement": True}


def rebuilt(table: str):
    """The table rebuilt, its ids still given once."""
    return op.batch_alter_table(table, recreate='always', table_kwargs=ONCE)


def flag(name: str, usual: str = '0'):
    return sa.Column(name, sa.Boolean(), nullable=False, server_default=usual)


def words(name: str):
    return sa.Column(name, sa.String(), nullable=False, server_default='')


def listed(name: str, usual: str = '[]'):
    return sa.Column(name, sa.JSON(), nullable=False, server_default=usual)


def person(name: str, table: str):
    return sa.Column(name, sa.Integer(), sa.ForeignKey('person.id', name=f'{table}_{name}'), nullable=True)


def upgrade() -> None:
    new_tables()
    with rebuilt('report') as batch:
        for column in (words('client_code'), words('counselor_code'), flag('elsewhere'), sa.Column('edition', sa.Integer(), nullable=False, server_default='0')):
            batch.add_column(column)
        batch.create_index('ix_report_client_code', ['client_code'])
        batch.create_index('ix_report_counselor_code', ['counselor_code'])
    with rebuilt('note') as batch:
        batch.add_column(listed('made_from'))
        batch.add_column(flag('elsewhere'))
    with rebuilt('role_card') as batch:
        batch.add_column(flag('elsewhere'))
    with rebuilt('agent') as batch:
        batch.add_column(flag('released'))
    with rebuilt('session') as batch:
        for column in (
            person('client_person_id', 'session'), person('counselor_person_id', 'session'), listed('made_from'), flag('elsewhere'),
            words('withdrawn'),
        ):  # fmt: skip
            batch.add_column(column)
        batch.create_index('ix_session_withdrawn', ['withdrawn'])
    with rebuilt('turn') as batch:
        batch.add_column(person('person_id', 'turn'))
        batch.create_index('ix_turn_person_id', ['person_id'])
    with rebuilt('rater') as batch:
        batch.add_column(person('person_id', 'rater'))
        batch.create_index('ix_rater_person_id', ['person_id'])
    with rebuilt('study') as batch:
        batch.add_column(person('person_id', 'study'))
    with op.batch_alter_table('call_record') as batch:
        batch.add_column(words('hash'))
    with rebuilt('consent') as batch:
        for column in (
            person('person_id', 'consent'), words('seat'), words('code'),
            sa.Column('session_id', sa.Integer(), sa.ForeignKey('session.id', name='consent_session', ondelete='CASCADE'), nullable=True),
            flag('agreed', '1'), flag('counts', '1'), person('entered_by', 'consent'),
        ):  # fmt: skip
            batch.add_column(column)
        for name in ('person_id', 'code', 'session_id'):
            batch.create_index(f'ix_consent_{name}', [name])
    update_0004.carry_over(op.get_bind())
    for table, columns in (
        ('report', ('masking', 'clearance')), ('note', ('clearance',)), ('role_card', ('clearance', 'review')),
        ('session', ('client_person', 'counselor_person', 'consented_to', 'clearance')), ('turn', ('person',)),
    ):  # fmt: skip
        with rebuilt(table) as batch:
            for column in columns:
                batch.drop_column(column)
    with rebuilt('consent') as batch:
        batch.drop_index('ix_consent_person')
        batch.drop_column('person')


def new_tables() -> None:
    op.create_table(
        'person',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('code', sa.String(), nullable=False),
        sa.Column('roles', sa.JSON(), nullable=False),
        sa.Column('counselor_codes', sa.JSON(), nullable=False),
        sa.Column('client_codes', sa.JSON(), nullable=False),
        sa.Column('sign_in', sa.String(), nullable=False),
        sa.Column('secret_hash', sa.String(), nullable=False),
        sa.Column('joined_to', sa.Integer(), nullable=True),
        sa.Column('origin', sa.String(), nullable=False),
        sa.Column('created', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['joined_to'], ['person.id']),
        sa.PrimaryKeyConstraint('id'),
        sqlite_autoincrement=True,
    )
    for name in ('sign_in', 'secret_hash', 'joined_to'):
        op.create_index(f'ix_person_{name}', 'person', [name])
    op.create_table(
        'review',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('record_id', sa.Integer(), nullable=False),
        sa.Column('hash', sa.String(), nullable=False),
        sa.Column('says', sa.String(), nullable=False),
        sa.Column('person_id', sa.Integer(), nullable=True),
        sa.Column('created', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['person_id'], ['person.id']),
        sa.PrimaryKeyConstraint('id'),
        sqlite_autoincrement=True,
    )
    op.create_index('review_of', 'review', ['kind', 'record_id'])
    op.create_table(
        'look',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('record_id', sa.Integer(), nullable=False),
        sa.Column('person_id', sa.Integer(), nullable=False),
        sa.Column('page', sa.String(), nullable=False),
        sa.Column('created', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['person_id'], ['person.id']),
        sa.PrimaryKeyConstraint('id'),
        sqlite_autoincrement=True,
    )
    op.create_index('look_at', 'look', ['kind', 'record_id'])
    op.create_index('ix_look_person_id', 'look', ['person_id'])


def downgrade() -> None:
    raise RuntimeError('A store is not taken back to an older schema; its copy from before the update is.')
