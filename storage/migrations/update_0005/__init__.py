"""What an older store needs once: each rating and comparison told how it was asked, from the calls and units still there."""

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import run

FROM_CALL = (
    "UPDATE {table} SET prompt = c.prompt, prompt_version = c.prompt_version, prompt_hash = c.prompt_hash, "
    "engine = c.engine, engine_version = c.engine_version, "
    "way = CASE c.prompt WHEN 'judge/instrument' THEN 'instrument' ELSE 'item' END FROM call c WHERE c.id = {table}.call_id"
)
FROM_RATER = (  # its call is gone: what kind of engine it was is known still
    "UPDATE {table} SET engine = CASE a.kind WHEN 'rules' THEN 'demo' ELSE 'openai' END FROM rater a "
    "WHERE a.id = {table}.rater_id AND a.kind IN ('rules', 'model') AND {table}.engine = ''"
)
FROM_UNIT = (
    "UPDATE rating SET repeats = CAST(u.payload ->> 'of' AS INTEGER) FROM unit u WHERE u.id = rating.unit_id "
    "AND CAST(u.payload ->> 'of' AS INTEGER) > 1"
)
FROM_ROWS = (  # where no unit says it: the highest repeat of that judge, asked in that way, in that study
    "UPDATE {table} SET repeats = m.most FROM (SELECT study_id, rater_id, instrument, setting, way, max(repeat) AS most FROM {table} "
    "WHERE study_id IS NOT NULL GROUP BY study_id, rater_id, instrument, setting, way) m WHERE m.study_id = {table}.study_id "
    "AND m.rater_id = {table}.rater_id AND m.instrument = {table}.instrument AND m.setting = {table}.setting "
    "AND m.way = {table}.way AND {table}.repeats < m.most AND NOT EXISTS "
    "(SELECT 1 FROM unit u WHERE u.id = {table}.unit_id AND u.payload ->> 'of' IS NOT NULL)"
)


def carry_over(connection: Connection) -> None:
    """Runs inside the update's transaction."""
    for table in ("rating", "comparison"):
        run(connection, FROM_CALL.format(table=table))
        run(connection, FROM_RATER.format(table=table))
    run(connection, FROM_UNIT)
    for table in ("rating", "comparison"):
        run(connection, FROM_ROWS.format(table=table))
