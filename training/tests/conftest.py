"""Options of the tests of the training, where they run without those of the game."""

import os

from support.sampling import begin, is_nightly

begin(is_nightly())
os.environ.setdefault("LANGUAGE", "en")
