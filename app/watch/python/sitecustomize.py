# Put on PYTHONPATH by `flashgate watch`: every Python process of the watched tree writes the stacks of all its threads
# into a file of its own when it gets the signal, also while it blocks in a C call. Then the sitecustomize that this one
# hides, if there is one.
import faulthandler
import os
import sys


def _register():
    global _stacks
    try:
        _stacks = open(os.path.join(os.environ["FLASHGATE_WATCH_STACKS"], str(os.getpid())), "w")
        faulthandler.register(int(os.environ["FLASHGATE_WATCH_SIGNAL"]), file=_stacks, all_threads=True)
    except (KeyError, ValueError, OSError):
        pass  # no stacks then


def _run_hidden():
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        path = os.path.join(folder, "sitecustomize.py")
        if os.path.abspath(folder) != here and os.path.isfile(path):
            with open(path, "rb") as source:
                exec(compile(source.read(), path, "exec"), {"__name__": "sitecustomize", "__file__": path})
            return


_register()
os.register_at_fork(after_in_child=_register)
_run_hidden()
