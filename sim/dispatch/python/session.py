"""The cell being asked about and what the checkout did so far: one object that every stub reads and writes.

A plan is made by running the checkout's own functions; the stubs around it record launches, collectives and reads.
"""

# Where a name that the stub can't serve is used: by checkout code at import (harmless) or while it dispatches.
IMPORT, FORWARD, SECOND_FORWARD, BACKWARD = "import", "fwd", "second_fwd", "bwd"

STEP_BUDGET = 5_000  # loop iterations of checkout code in one cell


class StubLacks(BaseException):
    """Checkout code used something that the stub of Paddle does not have.

    A BaseException, so that no `except Exception` of a checkout turns a gap of the stub into a decision.
    """


class Endless(BaseException):
    """Checkout code used up its steps or its time."""


class Refused(BaseException):
    """The device's kernel refuses the launch; the plan ends here, through no fault of the checkout."""


class Session:
    """One rank's run through one cell."""

    def __init__(self):
        self.lenient = 0  # > 0 while modules load: unknown names become placeholders
        self.notes = {}   # what was missing but not used, for the log
        self.trace = []   # decision number * 2 + answer, or a (decision, outcome) pair
        self.begin({}, 0, 1, True)

    def begin(self, cell, rank, size, v4_import):
        """Forgets the last cell, its flags included."""
        self.cell = cell
        self.rank = rank
        self.size = size
        self.v4_import = v4_import
        self.phase = IMPORT
        self.has_grad = False
        self.flags = {}
        self.launches = {}
        self.lse_version = 0
        self.seen_version = None
        self.flags_read = self.config_read = False
        self.collectives = []
        self.layers = []  # (class, context) of every PyLayer applied
        self.forward_call = None  # (operator, arguments, output, LSE) of the last forward operator
        self.steps = 0
        self.lacks = self.denied = None
        self.trace.clear()
        self.phase_starts = []

    def enter(self, phase):
        """Starts a phase: its flags come into force, whatever the checkout set before."""
        self.phase = phase
        self.seen_version = None
        cell = self.cell
        second = phase in (SECOND_FORWARD, BACKWARD)
        self.flags = {
            "FLAGS_flash_attn_version": cell["second_flag_version" if second else "flag_version"],
            "FLAGS_cudnn_deterministic": cell["second_deterministic" if second else "deterministic"],
        }
        self.phase_starts.append((phase, len(self.trace)))

    def lack(self, name):
        """Notes that `name` was needed, and raises."""
        if self.lacks is None:
            self.lacks = name
        raise StubLacks(name)

    def launch(self, kernel, version, takes, args, passed=None):
        """A kernel is called with `args`; it takes `takes` positional ones. `passed` is (causal, dropout, scale) of a
        kernel that takes those by keyword."""
        causal, dropout, scale = passed or passed_by_position(version, args)
        deterministic = bool(self.flags.get("FLAGS_cudnn_deterministic"))
        self.launches[self.phase] = (version, kernel, len(args), deterministic, causal, dropout, scale)
        self.trace.append(("launches", "v%d" % version))
        if len(args) != takes:
            raise TypeError("%s() takes %d positional arguments but %d were given" % (kernel, takes, len(args)))
        refusal = self.cell["refusals"].get(str(version)) if self.phase == FORWARD else None
        if refusal:
            raise Refused(refusal)
        if self.phase == FORWARD:
            self.lse_version = version


def passed_by_position(version, args):
    """(causal, dropout, scale) from a launch's arguments.

    In every layout the first boolean is causal, and v3's scale (v2's dropout) stands right before it.
    """
    causal_at = next((i for i, a in enumerate(args) if a is True or a is False), None)
    causal = causal_at is not None and args[causal_at]
    before = args[causal_at - 1] if causal_at else None
    dropout = version == 2 and isinstance(before, (int, float)) and before > 0
    scale = "none"
    if version == 3:
        scale = "float" if type(before) is float else "other"
    return causal, dropout, scale


SESSION = Session()
