"""What stands for a name that the stub does not have.

At import it may be passed around: annotations, decorators, base classes, aliases. Using it for a decision while the
checkout dispatches is a lack, reported by its name.
"""

import types

from session import SESSION


class Placeholder:
    """Name `name` of something unknown."""

    def __init__(self, name):
        object.__setattr__(self, "_name", name)
        SESSION.notes.setdefault(name, None)

    def __getattr__(self, attribute):
        if attribute.startswith("__") and attribute.endswith("__"):
            raise AttributeError(attribute)
        if not SESSION.lenient:
            SESSION.lack(self._name + "." + attribute)
        return Placeholder(self._name + "." + attribute)

    def __call__(self, *args, **kwargs):
        if not SESSION.lenient:
            SESSION.lack(self._name)
        if len(args) == 1 and not kwargs and (callable(args[0]) and not isinstance(args[0], Placeholder)):
            return args[0]  # a decorator
        return Placeholder(self._name + "()")

    def __mro_entries__(self, bases):
        name = self._name.rpartition(".")[2]
        return (type(name if name.isidentifier() else "Base", (Base,), {"_lacking": self._name}),)

    def __or__(self, other):
        return self

    __ror__ = __getitem__ = __or__

    def _use(self, *_args):
        SESSION.lack(self._name)

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _use
    __add__ = __radd__ = __sub__ = __mul__ = __truediv__ = __iter__ = __len__ = __enter__ = __exit__ = _use
    __int__ = __float__ = __index__ = __contains__ = _use
    __hash__ = object.__hash__


class Base:
    """Base of classes that derive from something unknown: may be defined, not made."""

    _lacking = ""

    def __new__(cls, *_args, **_kwargs):
        if not SESSION.lenient:
            SESSION.lack(cls._lacking)
        return object.__new__(cls)

    def __init_subclass__(cls, **_kwargs):
        pass

    def __init__(self, *_args, **_kwargs):
        pass


class StubModule(types.ModuleType):
    """A module of the stub: what was not put into it is a placeholder."""

    def __init__(self, name, **names):
        super().__init__(name)
        self.__path__ = []
        self.__dict__.update(names)

    def __getattr__(self, attribute):
        if attribute.startswith("__") and attribute.endswith("__"):
            raise AttributeError(attribute)
        made = Placeholder(self.__name__ + "." + attribute)
        self.__dict__[attribute] = made
        return made
