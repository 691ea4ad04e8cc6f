"""A checkout as a set of Python files in memory: which module a file is, and where a name is defined."""

import ast
import json

from paddle_source import PaddleSource

_ROOTS = ("paddlefleet", "paddleformers", "paddlefleet_ops")


class Checkout:
    """Reads the bundle that flashgate wrote: a line of JSON with [path, size] pairs, then the files' bytes. The last one
    is Paddle's if the line names a `paddle`."""

    def __init__(self, bundle):
        with open(bundle, "rb") as file:
            index = json.loads(file.readline())
            self.name, self.revision = index["name"], index["revision"]
            self.files = {path: file.read(size) for path, size in index["files"]}
            paddle = index.get("paddle")
            self.paddle = PaddleSource(paddle[0], file.read(paddle[1]).decode("utf-8", "replace")) if paddle else None
        self.modules = {}
        self.packages = set()
        for path in sorted(self.files, key=lambda p: (is_test(p), len(p), p)):
            self.add(path)
        self._exports = {}

    def add(self, path):
        parts = path[:-3].split("/")
        roots = [i for i, part in enumerate(parts[:-1]) if part in _ROOTS]
        if roots:
            parts = parts[roots[0]:]
        elif parts[0] in ("src", "python", "lib"):
            parts = parts[1:]
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if not parts:
            return
        self.modules.setdefault(".".join(parts), path)
        for end in range(1, len(parts)):
            self.packages.add(".".join(parts[:end]))

    def text(self, path):
        return self.files[path].decode("utf-8", "replace")

    def find(self, names):
        """Name -> module that defines it at its top level, tests left out, for those of `names` that are there."""
        found = {}
        for module, path in self.modules.items():
            wanted = [n for n in names if n not in found and n.encode() in self.files[path]]
            if not wanted or is_test(path):
                continue
            defined = defined_names(self.text(path))
            found.update((name, module) for name in wanted if name in defined or defined is BROKEN)
        return found

    def exports(self, package):
        """What a package's __init__.py imports from its modules: name -> (module, name there)."""
        if package not in self._exports:
            self._exports[package] = self.read_exports(package)
        return self._exports[package]

    def read_exports(self, package):
        path = self.modules.get(package, "")
        exports = {}
        if not path.endswith("__init__.py"):
            return exports
        try:
            tree = ast.parse(self.text(path))
        except (SyntaxError, ValueError):
            return exports
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom):
                continue
            base = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            module = ".".join(base + ([node.module] if node.module else []))
            for alias in node.names:
                exports[alias.asname or alias.name] = (module, alias.name)
        return exports


class _Broken:
    """The names of a file that does not parse: any."""

    def __contains__(self, name):
        return True


BROKEN = _Broken()


def defined_names(text):
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return BROKEN
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def is_test(path):
    return any(part.startswith("test") for part in path.split("/"))
