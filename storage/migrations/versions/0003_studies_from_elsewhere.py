"""studies brought in from elsewhere say so, and name no record of the store they came from"""

import sqlalchemy as sa

from alembic import op
from storage.migrations import elsewhere

revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('study', sa.Column('origin', sa.String(), nullable=False, server_default='here'))
    elsewhere.mark(op.get_bind())


def downgrade() -> None:
    raise RuntimeError('A store is not taken back to an older schema; its copy from before the update is.')
