"""`python -m attention "Thank you very"` shows what a real model makes of a text, step by step."""

import sys

import attention

from .import_name import check_origin
from .models.command import main

check_origin(vars(attention))
sys.exit(main())
