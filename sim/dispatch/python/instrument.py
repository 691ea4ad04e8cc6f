"""Rewrites checkout code while it loads, so that it reports its lines, its decisions and its versions as it runs.

The code does what it did before; what is added are markers, which cost far less than a trace function:
  __fg_lines__[17] = 1         before statement 17
  __fg_ask__(4, <operand>)     around operand 4 of a condition in a function that has to do with dispatch; returns it
  __fg_version__(fa_version)   after a name that speaks of a version was set
  __fg_tick__()                in every loop
"""

import ast
import re

from session import SESSION, STEP_BUDGET, Endless

_DISPATCH = re.compile(r"version|deterministic|block_mask|flash|get_device|capability|_has_grad", re.IGNORECASE)
_VERSION = re.compile(r"version|(^|_)fa_?v", re.IGNORECASE)
_MARKERS = 1 << 17

DECISIONS = []  # number -> "CONDITION [FILE:LINE]"
MARKERS = []    # number -> (file, [lines])
LINES = bytearray(_MARKERS)


def ask(number, value):
    SESSION.trace.append(number * 2 + 1 if value else number * 2)
    return value


def version(value):
    if type(value) is int:
        SESSION.seen_version = value


def tick():
    SESSION.steps += 1
    if SESSION.steps > STEP_BUDGET:
        raise Endless("more than %d loop steps" % STEP_BUDGET)


NAMES = {"__fg_lines__": LINES, "__fg_ask__": ask, "__fg_version__": version, "__fg_tick__": tick}


def compile_source(text, path):
    """The code object of a checkout's file."""
    return compile_tree(ast.parse(text, path), path)


def compile_tree(tree, path):
    _Instrumenter(path).visit(tree)
    ast.fix_missing_locations(tree)
    return compile(tree, path, "exec", dont_inherit=True)


def speaks_of(pattern, node):
    """True if a name, attribute, parameter or string below `node` matches."""
    for child in ast.walk(node):
        text = getattr(child, "id", None) or getattr(child, "attr", None) or getattr(child, "arg", None)
        if text is None and isinstance(child, ast.Constant):
            text = child.value
        if isinstance(text, str) and len(text) < 80 and pattern.search(text):
            return True
    return False


def _call(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


class _Instrumenter(ast.NodeTransformer):
    def __init__(self, path):
        self.path = path
        self.deciding = True  # the module's own level decides what is available
        self.version_returns = False

    def visit_Module(self, node):
        node.body = self.block(node.body)
        return node

    def visit_FunctionDef(self, node):
        outer = self.deciding, self.version_returns
        self.deciding = speaks_of(_DISPATCH, node)
        self.version_returns = bool(_VERSION.search(node.name))
        parameters = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        seen = [ast.Expr(_call("__fg_version__", ast.Name(a.arg, ast.Load()))) for a in parameters
                if _VERSION.search(a.arg)]
        body = self.block(node.body)
        at = 1 if self.is_docstring(node.body[:1]) else 0
        node.body = body[:at] + seen + body[at:]
        self.deciding, self.version_returns = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        node.body = self.block(node.body)
        return node

    @staticmethod
    def is_docstring(body):
        return bool(body) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)

    def block(self, body):
        """A list of statements, each preceded by its line marker."""
        made = []
        for i, statement in enumerate(body):
            is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if is_future or (i == 0 and self.is_docstring(body)):
                made.append(statement)
                continue
            made.append(self.marker(statement))
            changed = self.visit(statement)
            made.extend(changed if isinstance(changed, list) else [changed])
        return made

    def marker(self, statement):
        first = min([statement.lineno] + [d.lineno for d in getattr(statement, "decorator_list", [])])
        inner = getattr(statement, "body", None)
        last = max(first, inner[0].lineno - 1) if isinstance(inner, list) and inner else statement.end_lineno
        if isinstance(statement, (ast.Try, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            last = statement.lineno
        MARKERS.append((self.path, list(range(first, last + 1))))
        number = len(MARKERS) - 1
        if number >= _MARKERS:
            raise MemoryError("the checkout has too many statements")
        target = ast.Subscript(ast.Name("__fg_lines__", ast.Load()), ast.Constant(number), ast.Store())
        return ast.copy_location(ast.Assign([target], ast.Constant(1)), statement)

    def generic_visit(self, node):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                setattr(node, field, self.block(statements))
        for handler in getattr(node, "handlers", []):
            handler.body = self.block(handler.body)
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, field, self.visit(value))
            elif isinstance(value, list) and value and not isinstance(value[0], (ast.stmt, ast.ExceptHandler)):
                setattr(node, field, [self.visit(v) if isinstance(v, ast.AST) else v for v in value])
        return node

    def visit_If(self, node):
        node.test = self.condition(node.test)
        return self.generic_visit(node)

    def visit_IfExp(self, node):
        node.test = self.condition(node.test)
        return self.generic_visit(node)

    def visit_While(self, node):
        node.test = self.condition(node.test)
        self.generic_visit(node)
        node.body.insert(0, ast.copy_location(ast.Expr(_call("__fg_tick__")), node.body[0]))
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        node.body.insert(0, ast.copy_location(ast.Expr(_call("__fg_tick__")), node.body[0]))
        return node

    def visit_Assign(self, node):
        self.generic_visit(node)
        after = []
        for target in node.targets:
            for leaf in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                if isinstance(leaf, ast.Name) and _VERSION.search(leaf.id):
                    after.append(leaf.id)
        return [node] + [self.seen_after(node, ast.Name(name, ast.Load())) for name in after]

    def visit_Return(self, node):
        self.generic_visit(node)
        if self.version_returns and node.value is not None:
            value = ast.Name("__fg_value__", ast.Store())
            assign = ast.copy_location(ast.Assign([value], node.value), node)
            node.value = ast.Name("__fg_value__", ast.Load())
            return [assign, self.seen_after(node, ast.Name("__fg_value__", ast.Load())), node]
        return node

    @staticmethod
    def seen_after(node, value):
        return ast.copy_location(ast.Expr(_call("__fg_version__", value)), node)

    def condition(self, test):
        """The operands of `and`, `or` and `not` report one by one, in the order in which Python asks them."""
        if not self.deciding:
            return test
        if isinstance(test, ast.BoolOp):
            test.values = [self.condition(value) for value in test.values]
            return test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self.condition(test.operand)
            return test
        text = " ".join(ast.unparse(test).split())
        if len(text) > 160:
            text = text[:157] + "..."
        DECISIONS.append("%s [%s:%d]" % (text, self.path, test.lineno))
        return ast.copy_location(_call("__fg_ask__", ast.Constant(len(DECISIONS) - 1), test), test)
