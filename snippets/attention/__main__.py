"""`python -m attention "Thank you very"` shows what a real model makes of a text, step by step."""

import sys

from .models.command import main

sys.exit(main())
