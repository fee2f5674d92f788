"""The demo: a poisoned memory is found, taken back and corrected, with the files in `files/` and a real store."""

from tkg.demo.desk import Desk
from tkg.demo.story import play

__all__ = ["Desk", "play"]
