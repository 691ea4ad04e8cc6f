"""One rank world: a stub tree of its own and the checkout's modules loaded on top of it.

What differs between worlds is what a module may ask at import: the device, whether v4 imports, Paddle's signature.
"""

import importlib
import importlib.machinery
import re
import sys
import types

import instrument
import paddle_stub
from placeholder import Placeholder, StubModule
from session import SESSION, StubLacks

_V4 = re.compile(r"(^|\.)flash_mask(\.|$)")
_V4_PARENT = re.compile(r"^paddlefleet_ops$|\.ops$")
_QUEUE_LOG = re.compile(r"(^|\.)queue_check$")
_CANNOT_IMPORT = re.compile(r"cannot import name '([^']+)' from (?:partially initialized module )?'([^']+)'")
_MOST_RETRIES = 200
_STANDARD = getattr(sys, "stdlib_module_names", frozenset(sys.builtin_module_names))  # the former since Python 3.10


def is_v4(name):
    return bool(name and _V4.search(name))


class QueueLog:
    """Stands for global_rr_queue_log."""

    def update(self, *_args, **_kwargs):
        pass


class Package(types.ModuleType):
    """A package of the checkout. Its __init__.py does not run, for it may import the whole tree; what it imports by
    name is looked up when asked for."""

    def __init__(self, name, world):
        super().__init__(name)
        self.__path__ = []
        self.__dict__["_world"] = world

    def __getattr__(self, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if attribute in self._world.missing_names.get(self.__name__, ()):
            return Placeholder(self.__name__ + "." + attribute)
        source = self._world.checkout.exports(self.__name__).get(attribute)
        if source is None or source == (self.__name__, attribute):
            raise AttributeError(attribute)
        module = importlib.import_module(source[0])
        return getattr(module, source[1])


class World:
    """Loads modules of `checkout`. Keep it entered while its code runs, for code imports at any time."""

    def __init__(self, checkout, codes, signature, v4_import):
        self.checkout = checkout
        self.codes = codes
        self.v4_import = v4_import
        self.modules = paddle_stub.make(signature)
        self.names = set(self.modules)  # of every module this world ever had
        self.placeholders = set()
        self.missing_names = {}

    def enter(self):
        """Puts this world's modules into sys.modules, in place of those of the world that was entered before."""
        if FINDER.world is self:
            return
        if FINDER.world is not None:
            FINDER.world.leave()
        sys.modules.update(self.modules)
        FINDER.world = self

    def leave(self):
        """Takes every module that is ours out of sys.modules again, and keeps it."""
        for name in self.names:
            if name in sys.modules:
                self.modules[name] = sys.modules.pop(name)
            else:
                self.modules.pop(name, None)  # it failed to load
        FINDER.world = None

    def load(self, name):
        """The module `name` of the checkout."""
        return self.make_do_while(lambda: importlib.import_module(name), name)

    def make_do_while(self, loads, name):
        """What `loads` returns. What it needs without a guard and nobody has becomes a placeholder."""
        SESSION.lenient += 1
        try:
            for _ in range(_MOST_RETRIES):
                try:
                    return loads()
                except ImportError as error:
                    if not self.make_do(error):
                        raise
            raise ImportError("too many modules are missing for " + name)
        finally:
            SESSION.lenient -= 1

    def make_do(self, error):
        """Puts a placeholder where `error` says that something is missing; False if that is an answer in itself."""
        if is_v4(error.name):
            return False
        unknown_name = _CANNOT_IMPORT.search(str(error))
        if unknown_name:
            names = self.missing_names.setdefault(unknown_name.group(2), set())
            known = unknown_name.group(1) in names
            names.add(unknown_name.group(1))
            module = sys.modules.get(unknown_name.group(2))
            if module is not None and not isinstance(module, (Package, StubModule)):
                setattr(module, unknown_name.group(1), Placeholder(".".join(unknown_name.groups()[::-1])))
            return not known
        if not isinstance(error, ModuleNotFoundError) or not error.name or error.name in self.placeholders:
            return False
        self.placeholders.add(error.name)
        return True

    def create(self, name):
        """The module object for `name`; None if it is not ours."""
        if _QUEUE_LOG.search(name):
            return StubModule(name, global_rr_queue_log=QueueLog())
        if is_v4(name):
            if not self.v4_import:
                raise ModuleNotFoundError("No module named 'flash_mask.cute'", name=name)
            return StubModule(name, **paddle_stub.V4_NAMES)
        if name in self.placeholders or name.partition(".")[0] == "paddle":
            return StubModule(name)
        if name in self.checkout.modules and not self.checkout.modules[name].endswith("__init__.py"):
            return types.ModuleType(name)
        if name in self.checkout.modules or name in self.checkout.packages:
            return Package(name, self)
        if _V4_PARENT.search(name) or any(p.startswith(name + ".") for p in self.placeholders):
            return StubModule(name)
        return None

    def execute(self, module):
        path = self.checkout.modules.get(module.__name__)
        if type(module) is not types.ModuleType or path is None:
            return
        if path not in self.codes:
            self.codes[path] = instrument.compile_source(self.checkout.text(path), path)
        module.__dict__.update(instrument.NAMES)
        SESSION.lenient += 1
        try:
            exec(self.codes[path], module.__dict__)
        except (ImportError, SyntaxError):
            raise
        except (Exception, StubLacks) as error:
            if b"get_flags" in self.checkout.files[path] or b"_C_ops" in self.checkout.files[path]:
                raise
            SESSION.notes[module.__name__] = "could not be loaded: %r" % (error,)
            SESSION.lacks = None
            module.__getattr__ = lambda attribute: Placeholder(module.__name__ + "." + attribute)
        finally:
            SESSION.lenient -= 1


class Finder:
    """Finds and loads the modules of the world that is entered."""

    world = None

    def find_spec(self, name, _path=None, _target=None):
        if self.world is None or name.partition(".")[0] in _STANDARD:
            return None
        module = self.world.create(name)
        if module is None:
            return None
        self.world.names.add(name)
        spec = importlib.machinery.ModuleSpec(name, self, is_package=hasattr(module, "__path__"))
        spec.loader_state = module
        return spec

    def create_module(self, spec):
        return spec.loader_state

    def exec_module(self, module):
        self.world.execute(module)


FINDER = Finder()
