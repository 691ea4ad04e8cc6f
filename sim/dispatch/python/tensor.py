"""A tensor without data: a shape, a dtype, and where it came from."""

from session import SESSION

_new = object.__new__


class Tensor:
    """`origin` says whose values these are ("K", "dK", ...); `lse_version` which kernel made it, if it is an LSE."""

    __slots__ = ("shape", "dtype", "stop_gradient", "origin", "lse_version", "__dict__")

    def __init__(self, shape=(), dtype="bfloat16", origin="", stop_gradient=False):
        self.shape = list(shape)
        self.dtype = dtype
        self.origin = origin
        self.stop_gradient = stop_gradient
        self.lse_version = 0

    def like(self, *_args, **_kwargs):
        """A tensor of the same shape and origin."""
        made = _new(Tensor)  # by far the most frequent call: without __init__
        made.shape = self.shape[:]
        made.dtype = self.dtype
        made.origin = self.origin
        made.stop_gradient = self.stop_gradient
        made.lse_version = self.lse_version
        return made

    clone = detach = contiguous = like
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = like
    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = like

    def __eq__(self, other):
        return self.like()

    __hash__ = object.__hash__

    def astype(self, dtype):
        made = self.like()
        made.dtype = dtype
        return made

    cast = to = astype

    def reshape(self, *shape, **kwargs):
        if "shape" in kwargs:
            shape = (kwargs["shape"],)
        if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
            shape = shape[0]
        return Tensor(shape, self.dtype, self.origin)

    view = reshape

    def transpose(self, perm, *_rest):
        return Tensor([self.shape[i] for i in perm], self.dtype, self.origin)

    def sum(self, axis=None, **_kwargs):
        shape = list(self.shape)
        if axis is None:
            shape = []
        elif isinstance(axis, int) and shape:
            del shape[axis]
        return Tensor(shape, self.dtype, self.origin)

    mean = max = min = sum

    def unsqueeze(self, axis):
        shape = list(self.shape)
        shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, 1)
        return Tensor(shape, self.dtype, self.origin)

    def squeeze(self, axis=None, **_kwargs):
        shape = [n for n in self.shape if n != 1] if axis is None else list(self.shape)
        if axis is not None and shape[axis] == 1:
            del shape[axis]
        return Tensor(shape, self.dtype, self.origin)

    def __getitem__(self, item):
        return self.like()

    def __setitem__(self, item, value):
        pass

    def __len__(self):
        return self.shape[0]

    @property
    def ndim(self):
        return len(self.shape)

    def dim(self):
        return len(self.shape)

    def size(self, axis=None):
        return self.shape if axis is None else self.shape[axis]

    def _clear_dataptr(self):
        pass

    _clear_data = _clear_dataptr

    def __bool__(self):
        SESSION.lack("the value of a tensor")

    __int__ = __float__ = __index__ = item = numpy = tolist = __bool__

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("weight", "bias", "main_grad", "grad"):
            return None
        SESSION.lack("paddle.Tensor." + name)


def origin_of(tensors):
    """The origin of a tensor, or of the first in a list."""
    if isinstance(tensors, (list, tuple)):
        tensors = tensors[0] if tensors else None
    return getattr(tensors, "origin", "") or ""


def split(x, num_or_sections, axis=0, **_kwargs):
    if isinstance(axis, int) and axis < 0:
        axis += len(x.shape)
    if isinstance(num_or_sections, int):
        sections = [x.shape[axis] // num_or_sections] * num_or_sections
    else:
        sections = num_or_sections
    parts = []
    for rows in sections:
        part = x.like()
        part.shape[axis] = rows
        parts.append(part)
    return parts


def concat(x, axis=0, **_kwargs):
    made = x[0].like()
    if made.shape:
        made.shape[axis] = sum(part.shape[axis] for part in x)
    return made


def stack(x, axis=0, **_kwargs):
    made = x[0].like()
    made.shape.insert(axis, len(x))
    return made


def slice_(x, axes=(), starts=(), ends=(), **_kwargs):
    made = x.like()
    for axis, start, end in zip(axes, starts, ends):
        made.shape[axis] = max(0, min(end, made.shape[axis]) - start)
    return made


def first_like(x, *_args, **_kwargs):
    return x.like()


def where(condition, x=None, y=None, **_kwargs):
    return (x if isinstance(x, Tensor) else condition).like()


def of_shape(shape=(), *args, **kwargs):
    dtype = kwargs.get("dtype") or (args[-1] if args else "float32")
    return Tensor(shape, dtype)
