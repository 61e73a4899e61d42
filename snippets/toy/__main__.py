"""`python -m toy`, with snippets on the path, trains both variants of the toy again and compares: `make toy-model`."""

import sys

from .retrain import main

if __name__ == "__main__":  # the two processes that train import this module as well
    sys.exit(main())
