"""Paddle's own flashmask_attention, taken from the file of a named Paddle in place of the stub's rules."""

import ast

import instrument

FUNCTION = "flashmask_attention"
MODULE = "paddle.nn.functional.flash_attention"


class PaddleSource:
    """The function and what it calls in its file; the other functions and classes are left out, for they may need
    what nobody has. Raises SystemExit with one line if the file has no such function."""

    def __init__(self, path, text):
        try:
            tree = ast.parse(text, path)
        except (SyntaxError, ValueError) as error:
            raise SystemExit("%s:%s: %s" % (path, getattr(error, "lineno", 0), error))
        definitions = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        if not isinstance(definitions.get(FUNCTION), ast.FunctionDef):
            raise SystemExit("%s: defines no function %s" % (path, FUNCTION))
        self.signature = signature_of(definitions[FUNCTION])
        kept = reachable(FUNCTION, definitions)
        tree.body = [node for node in tree.body
                     if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or definitions[node.name] in kept]
        self.code = instrument.compile_tree(tree, path)

    def install(self, world):
        """Puts the function into the world's stub of Paddle. The world is entered."""
        names = {"__name__": MODULE, **instrument.NAMES}
        world.make_do_while(lambda: exec(self.code, names), MODULE)
        for module in ("paddle.nn.functional", MODULE):
            setattr(world.modules[module], FUNCTION, names[FUNCTION])


def signature_of(function):
    """Which of the matrix's signatures the function has."""
    names = {parameter.arg for parameter in function.args.args + function.args.kwonlyargs}
    return "group" if "group" in names else "block_mask" if "block_mask" in names else "legacy"


def reachable(name, definitions):
    """The definition of `name` and those that it refers to, directly or not."""
    found, todo = set(), [name]
    while todo:
        node = definitions[todo.pop()]
        if node in found:
            continue
        found.add(node)
        todo += [child.id for child in ast.walk(node) if isinstance(child, ast.Name) and child.id in definitions]
    return found
