"""Runs one rank through one cell: import, first forward, second forward, backward; and says what became of it."""

import entries
import instrument
import kernels
import paddle_source
from entries import CP, CP_BACKWARD, CP_FORWARD, ENTRY_OF_PATH, NAMES, RR_CP
from session import BACKWARD, FORWARD, IMPORT, SECOND_FORWARD, SESSION, Endless, Refused, StubLacks
from tensor import Tensor
from world import World, is_v4

_LONGEST_TEXT = 1000


class LoadedWorld:
    """A world with its entries, and what loading them left: errors, trace and lines."""

    def __init__(self, checkout, codes, where, signature, v4_import):
        self.world = World(checkout, codes, signature, v4_import)
        self.entries = entries.Entries()
        self.errors = {}  # entry name -> (kind, message, place) of what its module raised at import
        self.trace = {}   # entry name -> decisions made at import, up to its module
        self.lines = {}
        loaded = {}
        instrument.LINES[:] = bytes(len(instrument.LINES))
        self.world.enter()
        self.paddle = checkout.paddle
        self.paddle_error = self.install_paddle()
        for name in NAMES:
            if name in where:
                self.load(name, where[name], loaded)

    def install_paddle(self):
        """(kind, message, place) of what a named Paddle's function raised while it loaded; None if it is there."""
        if self.paddle is None:
            return None
        try:
            self.paddle.install(self.world)
        except BaseException as error:  # whatever it is, it is an answer
            return describe(error, IMPORT)
        finally:
            SESSION.trace.clear()  # what Paddle's file asks while it loads decides nothing
        return None

    def paddle_caller(self):
        """Paddle's own function and how it is called."""
        function = self.world.modules[paddle_source.MODULE].flashmask_attention
        if function not in self.entries.callers:
            self.entries.callers[function] = entries.Caller(function, 0)
        return function, self.entries.callers[function]

    def load(self, name, module, loaded):
        if module not in loaded:
            try:
                loaded[module] = (self.world.load(module), None)
            except BaseException as error:  # whatever it is, it is this module's answer
                loaded[module] = (None, describe(error, IMPORT))
        found, error = loaded[module]
        self.trace[name] = list(SESSION.trace)
        self.lines[name] = bytes(instrument.LINES[: len(instrument.MARKERS)])
        if error is None:
            value = getattr(found, name, None)
            if value is not None:
                self.entries.add(name, value)
                return
            error = ("error", "%s does not define %s" % (module, name), "")
        self.errors[name] = error


def place_of(error):
    """FILE:LINE of the innermost frame in checkout code; empty if there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return "%s:%d" % (error.filename, error.lineno or 0)
    innermost = None
    step = error.__traceback__
    while step is not None:
        if "__fg_lines__" in step.tb_frame.f_globals:
            innermost = step
        step = step.tb_next
    return "%s:%d" % (innermost.tb_frame.f_code.co_filename, innermost.tb_lineno) if innermost else ""


def describe(error, phase):
    """(kind, message, place) of an exception; kind "error" is one that says nothing about the dispatch."""
    place = place_of(error)
    at = " at " + place if place else ""
    if SESSION.denied is not None:
        return "error", clean(SESSION.denied + at), place
    if isinstance(error, StubLacks):
        return "error", clean("stub lacks %s%s" % (error, at)), place
    if isinstance(error, Endless):
        return "error", clean("does not end: %s%s" % (error, at)), place
    if isinstance(error, Refused):
        return "not_supported", str(error), place
    if isinstance(error, ModuleNotFoundError):
        if is_v4(error.name):
            return "ImportError", clean(error), place
        return "error", clean("stub lacks module %s%s" % (error.name, at)), place
    if isinstance(error, SyntaxError) or not isinstance(error, Exception) or isinstance(error, MemoryError):
        return "error", clean("%s%s: %s" % (type(error).__name__, at, error)), place
    kind = type(error).__name__
    return (kind if kind not in ("error", "not_supported") else "Exception"), clean(error), place


def clean(text):
    """One line of printable text that is not too long."""
    try:
        text = str(text)
    except BaseException:
        text = "(its message can't be had)"
    text = text[:_LONGEST_TEXT]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return text.encode("utf-8", "replace").decode("utf-8")


class Plan:
    """The result of one rank, as the protocol writes it."""

    __slots__ = ("first", "second", "handed", "error", "place", "source")

    def __init__(self):
        self.first = None  # the version that the first forward settled on, until the second one has settled
        self.second = self.handed = 0
        self.error = None
        self.place = ""
        self.source = "flags"


class Refusal(Exception):
    """The entry can't be asked for this."""


def run_rank(loaded, cell, rank):
    """The plan of one rank. `loaded` is entered, and its import-time state is what the rank sees."""
    plan = Plan()
    name = ENTRY_OF_PATH.get(cell["path"])
    error = loaded.paddle_error
    if loaded.paddle is not None and loaded.paddle.signature != cell["signature"]:
        error = ("not_supported", "this Paddle's function has signature " + loaded.paddle.signature, "")
    if error is not None:
        fail(plan, IMPORT, *error)
        return plan
    if name is None:
        play(plan, lambda: run_paddle(loaded, plan))
        return plan
    lines = loaded.lines.get(name, b"")
    instrument.LINES[: len(lines)] = lines
    SESSION.phase_starts.append((IMPORT, 0))
    SESSION.trace.extend(loaded.trace.get(name, ()))
    error = loaded.errors.get(name)
    if error is None and name not in loaded.entries.objects:
        error = ("not_supported", "no entry for " + cell["path"], "")
    if error is not None:
        fail(plan, IMPORT, *error)
    elif name == CP:
        play(plan, lambda: run_context_parallel(loaded, plan))
    else:
        play(plan, lambda: run_recompute(loaded, plan, name))
    on_group = name in (CP, RR_CP) and not (plan.error and plan.error[0] == IMPORT)
    may_use_config = on_group and plan.error is not None and loaded.entries.takes_config()
    plan.source = "config" if SESSION.config_read or may_use_config else "flags"
    return plan


def play(plan, steps):
    """Runs the steps; what they raise becomes the plan's error in the phase in force."""
    try:
        steps()
    except Refusal as refusal:
        fail(plan, SESSION.phase, "not_supported", str(refusal), "")
    except BaseException as error:
        settle_second(plan, failed=True)
        fail(plan, SESSION.phase, *describe(error, SESSION.phase))
    void = SESSION.denied or (SESSION.lacks and "stub lacks " + SESSION.lacks)
    if void and (plan.error is None or plan.error[1] != "error"):
        fail(plan, SESSION.phase, "error", clean(void), "")
    if SESSION.phase == BACKWARD and not plan.handed:
        plan.handed = handed_version()


def fail(plan, phase, kind, message, place):
    plan.error = (phase, kind, message)
    plan.place = place
    decision = "not supported" if kind == "not_supported" else "raises"
    outcome = message if kind == "not_supported" else kind
    SESSION.trace.append((decision + (" [%s]" % place if place else ""), outcome))


def run_paddle(loaded, plan):
    """Paddle's own function and the backward that it binds."""
    SESSION.enter(FORWARD)
    function, caller = loaded.paddle_caller()
    given = checked_arguments(caller)
    function(**caller.arguments(given))
    SESSION.enter(BACKWARD)
    plan.handed = SESSION.launches[FORWARD][0]
    kernels.paddle_backward(Tensor(given["value"].shape, origin="dO"))


def run_recompute(loaded, plan, name):
    """First forward without gradients, second forward with them, backward of the layer that the second one applied."""
    SESSION.enter(FORWARD)
    caller = loaded.entries.caller(name)
    given = checked_arguments(caller)
    entry = loaded.entries.objects[name]()
    arguments = caller.arguments(given)
    entry.forward(**arguments)
    first = first_version()
    SESSION.layers.clear()
    SESSION.enter(SECOND_FORWARD)
    SESSION.has_grad = True
    plan.first = first
    entry.forward(**arguments)
    settle_second(plan)
    run_backward_of_layer(given)


def checked_arguments(caller):
    given = entries.arguments_of(SESSION.cell)
    if "scale" in given and not caller.takes("scale"):
        raise Refusal("the entry takes no softmax_scale")
    return given


def run_context_parallel(loaded, plan):
    SESSION.enter(FORWARD)
    SESSION.has_grad = True
    known = loaded.entries.objects
    direct = SESSION.cell["causal_direct"] and CP_FORWARD in known and CP_BACKWARD in known
    if direct and (not SESSION.cell["dropout"] or loaded.entries.caller(CP_FORWARD).takes("dropout")):
        run_context_parallel_directly(loaded, plan)
        return
    caller = loaded.entries.caller(CP)
    given = checked_arguments(caller)
    known[CP].apply(**caller.arguments(given))
    run_backward_of_layer(given)


def run_context_parallel_directly(loaded, plan):
    """The functions behind the entry, which refuse nothing."""
    import paddle_stub

    forward, backward = loaded.entries.caller(CP_FORWARD), loaded.entries.caller(CP_BACKWARD)
    given = checked_arguments(forward)
    given["group"] = paddle_stub.GROUP
    result = loaded.entries.objects[CP_FORWARD](**forward.arguments(given))
    given["output"], given["lse"], given["indices"] = result[:3]
    given["version"] = result[3] if len(result) > 3 else None
    given["gradient"] = given["output"]
    SESSION.enter(BACKWARD)
    loaded.entries.objects[CP_BACKWARD](**backward.arguments(given))


def run_backward_of_layer(given):
    gradient = Tensor(given["value"].shape, origin="dO")
    if not SESSION.layers:
        raise Refusal("no PyLayer was applied, so there is no backward to call")
    layer, context = SESSION.layers[-1]
    SESSION.enter(BACKWARD)
    SESSION.layer_context = context
    layer.backward(context, gradient)


def version_of_context():
    """A version that the last layer's context carries."""
    if not SESSION.layers:
        return None
    for name, value in vars(SESSION.layers[-1][1]).items():
        if "version" in name.lower() and type(value) is int:
            return value
    return None


def first_version():
    """The version that the first forward settled on, as far as it told."""
    if SESSION.seen_version is not None:
        return SESSION.seen_version
    return SESSION.launches[FORWARD][0] if FORWARD in SESSION.launches else 0


def settle_second(plan, failed=False):
    """The version that the second forward stands for: what it settled on, or, if that is the first one's, the kernel
    that really ran then. One that failed before it settled on any stands for none."""
    if plan.first is None:
        return
    first, launched = plan.first, SESSION.launches.get(FORWARD, (0,))[0]
    plan.first = None
    told = (SESSION.launches.pop(SECOND_FORWARD, (None,))[0], SESSION.seen_version, version_of_context())
    second = next((version for version in told if version is not None), None if failed else first)
    stands_for = launched if second == first else second
    plan.second = stands_for if stands_for in (2, 3, 4) else 0


def handed_version():
    """The version that backward goes by."""
    for version in (SESSION.seen_version, version_of_context()):
        if version is not None:
            return version
    return SESSION.launches[BACKWARD][0] if BACKWARD in SESSION.launches else 0
