#!/bin/sh
# `rapport` from whatever folder: this file as .venv/bin/rapport, put there by `run`. It finds the workbench two
# folders above itself, so the whole may be moved; paths given to it stay those of the folder one is in.
here=$0
while [ -L "$here" ]; do
    to=$(readlink "$here")
    case $to in /*) here=$to ;; *) here=$(dirname "$here")/$to ;; esac
done
root=$(cd "$(dirname "$here")/../.." && pwd)
if [ ! -x "$root/.venv/bin/python" ] || [ ! -f "$root/core/cli.py" ]; then
    printf '%s\n' "Rapport is not set up in $root. Run ./run in the folder of the workbench once, then try again." >&2
    exit 2
fi
PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH} exec "$root/.venv/bin/python" -P -m core.cli "$@"
