"""Set up all that the site and its tests need, in .venv and node_modules.

`python sitekit/setup.py oracles` makes .venv-oracles instead: the libraries our functions are compared with, live.
`python sitekit/setup.py oldest` makes .venv-oldest: the oldest NumPy that the package works with.
`python sitekit/setup.py weights` fetches the weights of real models into .venv.

Any Python can read this file, 2.7 too, far enough to say that it is too old.
"""

import os
import sys

if sys.version_info < (3, 12):
    sys.exit(
        "Python 3.12 or newer is needed, this is %d.%d.%d (%s); name another: make setup PYTHON=python3.12, "
        "or without make: python3.12 sitekit/setup.py" % (sys.version_info[:3] + (sys.executable,))
    )

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from sitekit.environments import main

    main()
