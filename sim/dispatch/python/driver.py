"""The subject `fleet:PATH@REF`: answers flashgate's batches by running the dispatch code of a checkout.

Started by flashgate with the protocol's socket as descriptor FLASHGATE_PROTOCOL_FD and the checkout's files in
FLASHGATE_BUNDLE. docs/subject_protocol.md says what is written where.
"""

import functools
import gc
import json
import os
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import confinement
import entries
import instrument
import runner
from checkout import Checkout
from session import SESSION, Endless
from world import FINDER

# Of CPU time, so that a busy machine changes no answer; who sleeps is waited for by flashgate. Code that does not come
# back to the interpreter by then gets no exception: another half of the time later, its process is ended by the kernel.
_CELL_SECONDS = 1.0
_LOAD_SECONDS = 10.0
# Answers go out together, for a write wakes flashgate up; but none is kept back long while the next cell is at work.
_LONGEST_DELAY = 0.05


class Driver:
    """One connection to flashgate."""

    def __init__(self, stream, checkout, paddle_rule):
        self.stream = stream
        self.checkout = checkout
        self.paddle_rule = paddle_rule
        self.where = checkout.find(entries.NAMES)
        self.codes = {}
        self.worlds = {}
        self.names = {}  # plan -> the name under which flashgate knows it

    def hello(self):
        paths = [path for path, name in entries.ENTRY_OF_PATH.items() if name in self.where]
        self.send({"hello": {"protocol": 1, "name": self.checkout.name, "revision": self.checkout.revision,
                             "paths": paths + ["paddle_functional"] if paths else [],
                             "entries": {name: self.checkout.modules[module] for name, module in self.where.items()}}})

    def send(self, message):
        self.stream.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.stream.flush()

    def serve(self):
        for line in self.stream:
            batch = json.loads(line)
            flushed = time.monotonic()
            for cell in batch["cells"]:
                self.answer(batch["batch"], cell)
                if time.monotonic() - flushed > _LONGEST_DELAY:
                    self.stream.flush()
                    flushed = time.monotonic()
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.send({"batch": batch["batch"], "done": True, **self.new_lines()})

    def answer(self, batch, cell):
        cell["paddle_rule"] = self.paddle_rule
        ranks = ",".join(self.plan(cell, world["rank"], world["v4_import"]) for world in cell["worlds"])
        self.stream.write(b'{"batch":%d,"cell":%d,"ranks":[%s]}\n' % (batch, cell["id"], ranks.encode()))

    def world(self, cell, v4_import):
        """Loaded once per thing that a module may see at import."""
        key = (cell["device"], v4_import, cell["signature"])
        if key not in self.worlds:
            limit_cpu_time(_LOAD_SECONDS)
            self.worlds[key] = runner.LoadedWorld(self.checkout, self.codes, self.where, cell["signature"], v4_import)
            SESSION.begin(cell, SESSION.rank, SESSION.size, v4_import)
            gc.freeze()  # what was loaded stays: no collection need look at it again
        return self.worlds[key]

    def plan(self, cell, rank, v4_import):
        SESSION.begin(cell, rank, cell["cp_size"], v4_import)
        loaded = self.world(cell, v4_import)
        instrument.LINES[: len(instrument.MARKERS)] = bytes(len(instrument.MARKERS))
        loaded.world.enter()
        limit_cpu_time(_CELL_SECONDS)
        plan = runner.run_rank(loaded, cell, rank)
        signal.setitimer(signal.ITIMER_PROF, 0)
        return self.name_of(plan)

    def name_of(self, plan):
        """The JSON of a plan: all of it the first time, its name from then on."""
        trace = phased_trace()
        lines = bytes(instrument.LINES[: len(instrument.MARKERS)]).rstrip(b"\0")
        launches = SESSION.launches
        key = (launches.get("fwd"), plan.second, launches.get("bwd"), plan.handed, SESSION.lse_version, plan.source,
               plan.error, tuple(SESSION.collectives), trace, lines)
        name = self.names.get(key)
        if name is not None:
            return name
        name = '"p%d"' % len(self.names)
        self.names[key] = name
        return json.dumps(whole_plan(json.loads(name), *key), separators=(",", ":"))

    def new_lines(self):
        """Executable lines of files loaded since the last batch."""
        seen = getattr(self, "markers_sent", 0)
        self.markers_sent = len(instrument.MARKERS)
        files = {}
        for path, lines in instrument.MARKERS[seen:]:
            files.setdefault(path, set()).update(lines)
        return {"executable": {path: sorted(lines) for path, lines in files.items()}} if files else {}


def phased_trace():
    """The steps as (phase, step), each step once per phase."""
    starts, trace = SESSION.phase_starts, SESSION.trace
    steps = []
    for i, (phase, start) in enumerate(starts):
        end = starts[i + 1][1] if i + 1 < len(starts) else len(trace)
        steps.extend((phase, step) for step in dict.fromkeys(trace[start:end]))
    return tuple(steps)


def step_text(step):
    if isinstance(step, tuple):
        return step
    return instrument.DECISIONS[step >> 1], "yes" if step & 1 else "no"


def launch_fields(launch):
    if launch is None:
        return None
    names = ("version", "kernel", "arity", "deterministic", "causal", "dropout", "scale")
    return dict(zip(names, launch))


@functools.lru_cache(maxsize=None)
def covered_lines(markers):
    """FILE -> its lines that ran, from the bytes of instrument.LINES."""
    covered = {}
    number = markers.find(1)
    while number >= 0:
        path, numbers = instrument.MARKERS[number]
        covered.setdefault(path, set()).update(numbers)
        number = markers.find(1, number + 1)
    return {path: sorted(numbers) for path, numbers in covered.items()}


def whole_plan(name, forward, second, backward, handed, lse, source, error, collectives, trace, lines):
    plan = {"name": name, "forward": launch_fields(forward), "second_forward": {"version": second} if second else None,
            "backward": launch_fields(backward), "handed": handed, "lse": lse, "forward_source": "flags",
            "backward_source": source, "collectives": collectives,
            "trace": [[phase, *step_text(step)] for phase, step in trace],
            "lines": covered_lines(lines)}
    if error:
        plan["error"] = dict(zip(("phase", "kind", "message"), error))
    return {key: value for key, value in plan.items() if value is not None}


def limit_cpu_time(seconds):
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_VIRTUAL, 1.5 * seconds)  # SIGVTALRM is not handled: it ends the process


def out_of_time(_signal, _frame):
    signal.setitimer(signal.ITIMER_PROF, _CELL_SECONDS)  # once more, should this one be swallowed
    raise Endless("no answer within %g s" % _CELL_SECONDS)


def main():
    stream = socket.socket(fileno=int(os.environ["FLASHGATE_PROTOCOL_FD"])).makefile("rwb")
    driver = Driver(stream, Checkout(os.environ["FLASHGATE_BUNDLE"]), os.environ.get("FLASHGATE_PADDLE_RULE",
                                                                                     "by_signature"))
    signal.signal(signal.SIGPROF, out_of_time)
    sys.meta_path.insert(0, FINDER)
    sys.setrecursionlimit(2000)
    confinement.confine()
    stream.readline()  # flashgate's hello; there is only protocol 1
    driver.hello()
    driver.serve()


if __name__ == "__main__":
    main()
