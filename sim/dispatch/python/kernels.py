"""The kernels' entry points, which record what they are called with, and Paddle's own flashmask_attention."""

import inspect

from session import SESSION
from tensor import Tensor

# Positional arguments by signature of Paddle's function.
_ANY = {"legacy": 10, "block_mask": 10, "group": 10}
ARITIES = {
    "flashmask_attention": (2, _ANY),
    "flashmask_attention_grad": (2, _ANY),
    "flash_attn": (2, _ANY),
    "flash_attn_grad": (2, _ANY),
    "flashmask_attention_v2": (3, {"legacy": 6, "block_mask": 7, "group": 10}),  # the name says 2, it is generation 3
    "flashmask_attention_v2_grad": (3, {"legacy": 9, "block_mask": 10, "group": 12}),
    "flash_attn_v3": (3, dict.fromkeys(_ANY, 16)),
    "flash_attn_v3_grad": (3, dict.fromkeys(_ANY, 12)),
}


def lse(version, query):
    made = Tensor([query.shape[0], query.shape[2], query.shape[1]], "float32", "lse")
    made.lse_version = version
    return made


def output(query, value):
    return Tensor([*query.shape[:3], value.shape[3]], query.dtype, "out")


def gradients(args):
    made = []
    for name, tensor in zip(("dQ", "dK", "dV"), args):
        gradient = Tensor(tensor.shape, tensor.dtype, name)
        made.append(gradient)
    return tuple(made)


def read_lse(args):
    """Notes which kernel made the LSE that a backward kernel reads."""
    for argument in args:
        if isinstance(argument, Tensor) and argument.lse_version:
            SESSION.lse_version = argument.lse_version
            return


def operator(name):
    """The operator `name` of paddle._C_ops."""
    version, arity = ARITIES[name]

    def call(*args):
        SESSION.launch(name, version, arity[SESSION.cell["signature"]], args)
        if name.endswith("_grad"):
            read_lse(args)
            return gradients(args)
        query, value = args[0], args[2]
        out, made_lse = output(query, value), lse(version, query)
        SESSION.forward_call = name, args, out, made_lse
        if version == 3:
            return out, made_lse
        seed_offset = Tensor([2], "int64", "seed")
        softmax = Tensor([1], query.dtype, "softmax")
        return out, softmax, made_lse, seed_offset

    call.__name__ = name
    return call


class FlashMaskInfoPaddle:
    """The v4 package's description of a mask."""

    def __init__(self, *args, **kwargs):
        self.__dict__.update(kwargs)


def _flash_attn_fwd(*args, **kwargs):
    launch_v4("_flash_attn_fwd", 3, args, kwargs)
    return output(args[0], args[2]), lse(4, args[0])


def _flash_attn_bwd(*args, **kwargs):
    launch_v4("_flash_attn_bwd", 7, args, kwargs)
    read_lse(args)
    made = gradients(args)
    return (*made, None) if SESSION.cell["cute_gradients"] == 4 else made


def launch_v4(kernel, takes, args, kwargs):
    """v4 takes tensors by position and the rest by keyword."""
    scale = kwargs.get("softmax_scale")
    scale_kind = "float" if scale is None or type(scale) is float else "other"
    SESSION.launch(kernel, 4, takes, args, (bool(kwargs.get("causal", False)), False, scale_kind))


def ask(decision, answer):
    SESSION.trace.append((decision, "yes" if answer else "no"))
    return answer


def rule_for(signature):
    """The Paddle rule of this cell: the one named, or the one that belongs to the signature."""
    rule = SESSION.cell["paddle_rule"]
    return rule if rule != "by_signature" else ("legacy" if signature == "legacy" else "block_mask")


def paddle_version(rule, head_dim):
    flags = SESSION.flags
    version = flags["FLAGS_flash_attn_version"]
    deterministic = flags["FLAGS_cudnn_deterministic"]
    if rule == "legacy":
        if ask("Paddle: deterministic", deterministic):
            return 2
    else:
        if ask("Paddle: on xpu", SESSION.cell["device"] == "xpu"):
            return 2
        if rule == "accepting" and version != 2:
            version = 3
        if ask("Paddle: flag 3, deterministic, head_dim > 128", version == 3 and deterministic and head_dim > 128):
            return 2
        if rule == "accepting":
            return version
    SESSION.trace.append(("Paddle: flag", "v%d" % version))
    return version


def refuse(kind, message):
    SESSION.trace.append(("Paddle: refuses", kind.__name__))
    raise kind(message)


def paddle_attention(signature, query, key, value, startend_row_indices, options):
    """Paddle's function: chooses by its own rule, from the flags, and launches."""
    SESSION.trace.append(("Fleet: calls", "Paddle's flashmask_attention"))
    rule = rule_for(signature)
    version = paddle_version(rule, query.shape[-1])
    if version not in (2, 3):
        refuse(ValueError, "Invalid flash attention version: %d" % version)
    dropout, causal, training = options["dropout"], options["causal"], options["training"]
    if rule != "accepting":
        if version == 2 and options["softmax_scale"] is not None:
            refuse(AssertionError, "flashmask_attention v2 does not support softmax_scale")
        if version == 3 and dropout > 0:
            refuse(AssertionError, "flashmask_attention v3 does not support dropout")
        if version == 3 and not training:
            refuse(AssertionError, "flashmask_attention v3 does not support training=False")
    SESSION.trace.append(("Paddle: refuses", "nothing"))
    if version == 2:
        args = [query, key, value, startend_row_indices, None, dropout, causal, False, not training, ""]
    else:
        scale = options["softmax_scale"] or query.shape[-1] ** -0.5
        args = [query, key, value, startend_row_indices]
        args += [] if signature == "legacy" else [None]
        args += [float(scale), causal]
        args += [None, 0, 1] if signature == "group" else []
    result = operator("flashmask_attention" if version == 2 else "flashmask_attention_v2")(*args)
    out, made_lse = result[0], result[2] if version == 2 else result[1]
    extra = ([made_lse] if options["return_softmax_lse"] else [])
    extra += [Tensor([2], "int64", "seed")] if options["return_seed_offset"] else []
    return (out, *extra) if extra else out


def paddle_backward(gradient):
    """What Paddle binds to the forward it ran: the same kernel's backward, as a correct caller makes it."""
    name, args, out, made_lse = SESSION.forward_call
    query, key, value, indices = args[:4]
    causal = next(a for a in args if a is True or a is False)
    scale = query.shape[-1] ** -0.5
    if name == "flash_attn_v3":
        call = [query, key, value, out, made_lse, gradient, scale, causal, -1, -1, 0.0, 0]
    elif name == "flashmask_attention_v2":
        signature = SESSION.cell["signature"]
        call = [query, key, value, out, made_lse, indices]
        call += [] if signature == "legacy" else [None]
        call += [gradient, scale, causal]
        call += [0, 1] if signature == "group" else []
    else:
        mask = [None] if name == "flash_attn" else []
        call = [query, key, value] + ([] if mask else [indices])
        call += [out, made_lse, Tensor([2], "int64", "seed"), *mask, gradient, args[5], causal]
    return operator(name + "_grad")(*call)


def _legacy(query, key, value, startend_row_indices=None, *, dropout=0.0, causal=False, window_size=None,
            return_softmax_lse=False, return_seed_offset=False, fixed_seed_offset=None, rng_name="", training=True,
            name=None, softmax_scale=None):
    return paddle_attention("legacy", query, key, value, startend_row_indices, locals())


def _block_mask(query, key, value, startend_row_indices=None, *, dropout=0.0, causal=False, window_size=None,
                return_softmax_lse=False, return_seed_offset=False, fixed_seed_offset=None, rng_name="", training=True,
                name=None, softmax_scale=None, block_mask=None):
    return paddle_attention("block_mask", query, key, value, startend_row_indices, locals())


def _group(query, key, value, startend_row_indices=None, *, dropout=0.0, causal=False, window_size=None,
           return_softmax_lse=False, return_seed_offset=False, fixed_seed_offset=None, rng_name="", training=True,
           name=None, softmax_scale=None, block_mask=None, group=None):
    return paddle_attention("group", query, key, value, startend_row_indices, locals())


FLASHMASK_ATTENTION = {"legacy": _legacy, "block_mask": _block_mask, "group": _group}
for _function in FLASHMASK_ATTENTION.values():
    _function.__name__ = _function.__qualname__ = "flashmask_attention"
    _function.__signature__ = inspect.signature(_function)  # code asks for it all the time
