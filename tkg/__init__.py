"""tkg: a temporal knowledge-graph memory engine for AI agents.

`open` a store, take a handle with `memory.scope(tenant=…)`, then `propose`, `remember`, `recall`, `revoke`.
"""

from tkg.errors import TkgError
from tkg.memory.opening import open_memory as open
from tkg.memory.store import Memory
from tkg.model.evidence import Evidence
from tkg.model.policy import ForgetPolicy, Policies, ReadPolicy, WritePolicy
from tkg.model.predicate import Predicate, Registry

__version__ = "0.1.0"

__all__ = [
    "Evidence",
    "ForgetPolicy",
    "Memory",
    "Policies",
    "Predicate",
    "ReadPolicy",
    "Registry",
    "TkgError",
    "WritePolicy",
    "open",
]
