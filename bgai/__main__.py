"""`python -m bgai` is the command `bgai`."""

import sys

from bgai.interface.cli import main

sys.exit(main())
