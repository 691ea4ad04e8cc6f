"""A stand-in for the package `paddle`, as much of it as dispatch code touches. One tree per rank world."""

import functools

import kernels
import tensor
from placeholder import StubModule
from session import SESSION, StubLacks
from tensor import Tensor

CAPABILITY = {"sm80": (8, 0), "sm90": (9, 0), "sm100": (10, 0), "sm120": (12, 0)}


def get_flags(flags):
    names = [flags] if isinstance(flags, str) else list(flags)
    for name in names:
        if name not in SESSION.flags:
            SESSION.lack("flag " + name)
        if name == "FLAGS_flash_attn_version":
            SESSION.flags_read = True
    return {name: SESSION.flags[name] for name in names}


def set_flags(flags):
    """In force until the cell's next phase; another cell never sees it."""
    SESSION.flags.update(flags)


def get_device():
    return "xpu:0" if SESSION.cell["device"] == "xpu" else "gpu:%d" % SESSION.rank


def get_device_capability(_device=None):
    device = SESSION.cell["device"]
    if device not in CAPABILITY:
        raise ValueError("no CUDA device")
    return CAPABILITY[device]


class no_grad:
    """Decorator, with or without call, and context manager."""

    def __new__(cls, function=None):
        made = object.__new__(cls)
        return made(function) if function is not None else made

    def __call__(self, function):
        @functools.wraps(function)
        def without(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return without

    def __enter__(self):
        self.before, SESSION.has_grad = SESSION.has_grad, False

    def __exit__(self, *_exception):
        SESSION.has_grad = self.before


class Tracer:
    @property
    def _has_grad(self):
        return SESSION.has_grad

    @_has_grad.setter
    def _has_grad(self, value):
        SESSION.has_grad = value


class LayerContext:
    """What forward leaves for backward."""

    def save_for_backward(self, *tensors):
        self.saved = tensors

    def saved_tensor(self):
        return self.saved

    def mark_not_inplace(self, *_tensors):
        pass

    mark_non_differentiable = set_materialize_grads = mark_not_inplace


class PyLayer:
    @classmethod
    def apply(cls, *args, **kwargs):
        context = LayerContext()
        SESSION.layers.append((cls, context))
        return cls.forward(context, *args, **kwargs)


class Group:
    """The group of this rank."""

    id = 0

    @property
    def rank(self):
        return SESSION.rank

    @property
    def nranks(self):
        return SESSION.size

    world_size = nranks

    @property
    def ranks(self):
        return list(range(SESSION.size))

    def get_group_rank(self, rank):
        return rank


GROUP = Group()


class HybridGroup:
    """Every parallel group is the one group of the cell."""

    def __getattr__(self, name):
        if name.startswith("get_") and name.endswith("_group"):
            return lambda: GROUP
        if name.startswith("get_") and name.endswith("_world_size"):
            return lambda: SESSION.size
        if name.startswith("get_") and name.endswith("_rank"):
            return lambda: SESSION.rank
        raise AttributeError(name)


def collective(operation, source_at):
    """Records the collective; what it moves stays where it is. Parts of one tensor count once."""

    def call(*args, **kwargs):
        source = args[source_at] if len(args) > source_at else next(iter(kwargs.values()), None)
        origin = tensor.origin_of(source)
        name = "alltoall" if operation in ("alltoall", "alltoall_single", "reduce_scatter") else operation
        entry = (SESSION.phase, "%s(%s)" % (name, origin))
        if not SESSION.collectives or SESSION.collectives[-1] != entry:
            SESSION.collectives.append(entry)
        for target in args[0] if isinstance(args[0], (list, tuple)) else [args[0]]:
            if isinstance(target, Tensor):
                target.origin = origin

    return call


def collectives():
    return {"all_gather": collective("all_gather", 1), "alltoall": collective("alltoall", 1),
            "alltoall_single": collective("alltoall_single", 1), "reduce_scatter": collective("reduce_scatter", 1),
            "all_reduce": collective("all_reduce", 0), "broadcast": collective("broadcast", 0)}


def make(signature):
    """The modules of one world, by name."""
    c_ops = StubModule("paddle._C_ops", **{name: kernels.operator(name) for name in kernels.ARITIES})
    flash = StubModule("paddle.nn.functional.flash_attention",
                       flashmask_attention=kernels.FLASHMASK_ATTENTION[signature])
    functional = StubModule("paddle.nn.functional", flash_attention=flash,
                            flashmask_attention=flash.flashmask_attention)
    layer = type("Layer", (), {"__init__": lambda self, *a, **k: None,
                               "__call__": lambda self, *a, **k: self.forward(*a, **k)})
    nn = StubModule("paddle.nn", functional=functional, Layer=layer)
    tracer = Tracer()
    base_framework = StubModule("paddle.base.framework", get_flags=get_flags, set_flags=set_flags,
                                Parameter=type("Parameter", (), {}), _dygraph_tracer=lambda: tracer)
    ignore = lambda *_args, **_kwargs: None
    core = StubModule("paddle.base.core", nvprof_nvtx_push=ignore, nvprof_nvtx_pop=ignore)
    base = StubModule("paddle.base", framework=base_framework, core=core)
    framework = StubModule("paddle.framework", _dygraph_tracer=lambda: tracer, core=core, in_dynamic_mode=lambda: True)
    py_layer = StubModule("paddle.autograd.py_layer", PyLayer=PyLayer)
    autograd = StubModule("paddle.autograd", PyLayer=PyLayer, py_layer=py_layer, no_grad=no_grad)
    stream = StubModule("paddle.distributed.stream", **collectives())
    group = HybridGroup()
    fleet = StubModule("paddle.distributed.fleet", get_hybrid_communicate_group=lambda: group)
    reduce_op = type("ReduceOp", (), {"SUM": 0, "MAX": 1})
    distributed = StubModule("paddle.distributed", stream=stream, fleet=fleet, ReduceOp=reduce_op,
                             get_rank=lambda *_: SESSION.rank, get_world_size=lambda *_: SESSION.size,
                             is_initialized=lambda: True, **collectives())
    cuda = StubModule("paddle.cuda", is_available=lambda: SESSION.cell["device"] != "xpu",
                      get_device_capability=get_device_capability)
    device_cuda = StubModule("paddle.device.cuda", get_device_capability=get_device_capability,
                             device_count=lambda: 0 if SESSION.cell["device"] == "xpu" else SESSION.size)
    device = StubModule("paddle.device", cuda=device_cuda, get_device=get_device)
    paddle = StubModule(
        "paddle", _C_ops=c_ops, nn=nn, base=base, framework=framework, autograd=autograd, distributed=distributed,
        cuda=cuda, device=device, Tensor=Tensor, no_grad=no_grad, get_flags=get_flags, set_flags=set_flags,
        get_device=get_device, in_dynamic_mode=lambda: True, __version__="0.0.0",
        is_compiled_with_cuda=lambda: SESSION.cell["device"] != "xpu",
        is_compiled_with_xpu=lambda: SESSION.cell["device"] == "xpu",
        zeros=tensor.of_shape, ones=tensor.of_shape, empty=tensor.of_shape, full=tensor.of_shape,
        empty_like=tensor.first_like, zeros_like=tensor.first_like, ones_like=tensor.first_like,
        split=tensor.split, concat=tensor.concat, stack=tensor.stack, slice=tensor.slice_, where=tensor.where,
        clip=tensor.first_like, maximum=tensor.first_like, minimum=tensor.first_like, assign=tensor.first_like,
        cast=lambda x, dtype: x.astype(dtype), reshape=lambda x, shape: x.reshape(shape),
        transpose=lambda x, perm, **_: x.transpose(perm),
        **{name: name for name in ("bfloat16", "float16", "float32", "float64", "int32", "int64", "bool", "uint8")})
    modules = {}
    collect(paddle, modules)
    return modules


def collect(module, into):
    into[module.__name__] = module
    for value in list(vars(module).values()):
        if isinstance(value, StubModule) and value.__name__ not in into:
            collect(value, into)


V4_NAMES = {"FlashMaskInfoPaddle": kernels.FlashMaskInfoPaddle, "_flash_attn_fwd": kernels._flash_attn_fwd,
            "_flash_attn_bwd": kernels._flash_attn_bwd}

__all__ = ["make", "V4_NAMES", "GROUP", "StubLacks"]
