"""Everything one does with this checkout: `python3 tasks.py TARGET [ARGS]`.

Needs Python 3.11 or newer and nothing else; each target makes the environment it needs.
"""

# Every Python from 2.7 on has to be able to read this file, so that an older one says what is
# needed. Everything else is in `tools/targets.py`, which it never loads.
import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python meets this file first
    sys.exit(
        "Python 3.11 or newer is needed; this is %s.\n"
        "If a newer one is installed too, name it, as in: python3.11 tasks.py play"
        % sys.version.split()[0]
    )

# PYTHONSAFEPATH leaves the folder of the script out.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tools import targets

if __name__ == "__main__":
    targets.main()
