"""The write gate: eleven pure checks between a candidate and the store. Values in, values out."""

from tkg.gate.checks import CHECKS, ECHO, never_stored, steers
from tkg.gate.duplicates import same_statement
from tkg.gate.instructions import find_instruction
from tkg.gate.judge import judge, judge_text
from tkg.gate.secrets import find_secret
from tkg.gate.values import Assessment, GateContext, Judgement

__all__ = [
    "CHECKS",
    "ECHO",
    "Assessment",
    "GateContext",
    "Judgement",
    "find_instruction",
    "find_secret",
    "judge",
    "judge_text",
    "never_stored",
    "same_statement",
    "steers",
]
