"""Which functions of a checkout are the entries of the matrix's paths, and how each is called.

Nothing is assumed but names: files may be renamed or split, parameters may come and go.
"""

import inspect
import re

from session import SESSION
from tensor import Tensor

RR_FLASH = "RefinedRcomputeFlashAttention"
RR_FLASHMASK = "RefinedRcomputeFlashMaskAttention"
RR_CP = "RefinedRcomputeFlashMaskCpAttention"
CP = "FlashMaskContextParallel"
CP_FORWARD = "cp_flashmask_allgatherkv_balance_forward"
CP_BACKWARD = "cp_flashmask_allgatherkv_balance_backward"

ENTRY_OF_PATH = {"rr_flash": RR_FLASH, "rr_flashmask": RR_FLASHMASK, "cp_flashmask": CP, "rr_cp_flashmask": RR_CP}
NAMES = [CP, CP_FORWARD, CP_BACKWARD, RR_FLASHMASK, RR_FLASH, RR_CP]

# Parameter names -> what is passed. A parameter that is not listed keeps its default, or gets None.
_MEANING = {
    "query": "query query_states q", "key": "key key_states k", "value": "value value_states v",
    "indices": "startend_row_indices attn_mask_startend_row_indices indices",
    "dropout": "dropout dropout_p attention_dropout", "causal": "causal is_causal",
    "training": "training is_training", "scale": "softmax_scale scale", "group": "group cp_group",
    "config": "config transformer_config model_config cfg", "output": "output out",
    "lse": "log_sum_exp softmax_lse lse", "gradient": "output_grad grad dout out_grad grad_output",
}
_BY_NAME = {name: meaning for meaning, names in _MEANING.items() for name in names.split()}
_VERSION = re.compile(r"version|(^|_)fa_?v", re.IGNORECASE)


class Config:
    """The model's configuration, the second source of truth."""

    def __getattr__(self, name):
        lower = name.lower()
        if lower.startswith("__"):
            raise AttributeError(name)
        if "version" in lower:
            SESSION.config_read = True
            return SESSION.cell["config_version"]
        if "deterministic" in lower:
            SESSION.config_read = True
            return SESSION.cell["config_deterministic"]
        if "context_parallel_size" in lower:
            return SESSION.size
        return SESSION.lack("the configuration's " + name)

    def __getitem__(self, name):
        return getattr(self, name)

    def get(self, name, _default=None):
        return getattr(self, name)


CONFIG = Config()


class Caller:
    """Calls one function by the meaning of its parameters."""

    def __init__(self, function, skip):
        parameters = list(inspect.signature(function).parameters.values())[skip:]
        self.passed = []
        for p in parameters:
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                continue
            meaning = _BY_NAME.get(p.name) or ("version" if _VERSION.search(p.name) else None)
            if meaning or p.default is p.empty:
                self.passed.append((p.name, meaning, p.default))
        self.names = {meaning for _, meaning, _ in self.passed}

    def arguments(self, given):
        made = {}
        for name, meaning, default in self.passed:
            if meaning in given:
                made[name] = given[meaning]
            elif default is inspect.Parameter.empty:
                made[name] = None
        return made

    def takes(self, meaning):
        return meaning in self.names


class Entries:
    """The entries of one world's loaded modules."""

    def __init__(self):
        self.objects = {}
        self.callers = {}

    def add(self, name, value):
        self.objects[name] = value

    def caller(self, name):
        if name not in self.callers:
            value = self.objects[name]
            if inspect.isclass(value):
                self.callers[name] = Caller(value.forward, 1)
            else:
                self.callers[name] = Caller(value, 0)
        return self.callers[name]

    def takes_config(self):
        return any(n in self.objects and self.caller(n).takes("config") for n in (CP, CP_FORWARD, CP_BACKWARD, RR_CP))


def arguments_of(cell):
    """The tensors and options of a request. Each rank holds 256 rows of 4 heads."""
    shape = [1, 256, 4]
    query = Tensor([*shape, cell["head_dim"]], "bfloat16", "Q")
    key = Tensor([*shape, cell["head_dim"]], "bfloat16", "K")
    value = Tensor([*shape, cell["head_dim_v"]], "bfloat16", "V")
    columns = cell["mask_columns"]
    indices = Tensor([1, 1, 256 * SESSION.size, columns], "int32", "indices") if columns else None
    given = {"query": query, "key": key, "value": value, "indices": indices, "causal": cell["causal"],
             "dropout": 0.1 if cell["dropout"] else 0.0, "training": cell["training"], "config": CONFIG}
    if cell["scale_set"]:
        given["scale"] = 0.5
    return given
