"""The package as the architecture tests see it: modules, their syntax trees, their imports."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class Import:
    """One module of the package named by another."""

    target: str
    line: int
    hidden: bool  # inside a function


@dataclass(frozen=True)
class Module:
    """One file: its dotted name, its place, and whether it is a package's __init__."""

    name: str
    path: Path
    is_package: bool

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), str(self.path))

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree."""
        return list(ast.walk(self.tree))

    @property
    def room(self) -> str:
        return room_of(self.name)

    def place(self, line: int) -> str:
        return f"{self.name}:{line}"


@dataclass(frozen=True)
class Package:
    """All modules under one root folder."""

    name: str
    modules: tuple[Module, ...]

    def imports(self, module: Module) -> Iterator[Import]:
        """Every import in `module` of something in this package."""
        return iter(self._imports[module.name])

    @cached_property
    def _imports(self) -> dict[str, list[Import]]:
        return {module.name: list(self._imports_of(module)) for module in self.modules}

    def _imports_of(self, module: Module) -> Iterator[Import]:
        for node, hidden in walk_with_hiding(module.tree):
            for dotted in named_by(node, module):
                target = self.resolve(dotted)
                if target is not None:
                    yield Import(target, node.lineno, hidden)

    @cached_property
    def _names(self) -> set[str]:
        return {module.name for module in self.modules}

    def resolve(self, dotted: str) -> str | None:
        """The longest part of a dotted name that is a module; None outside the package."""
        if dotted != self.name and not dotted.startswith(self.name + "."):
            return None
        while dotted != self.name and dotted not in self._names:
            dotted = dotted.rpartition(".")[0]
        return dotted


def read_package(root: Path) -> Package:
    """Read every Python file under `root`, which is the package's own folder."""
    return Package(root.name, tuple(module_at(path, root) for path in sorted(root.rglob("*.py"))))


def module_at(path: Path, root: Path) -> Module:
    parts = [root.name, *path.relative_to(root).with_suffix("").parts]
    is_package = parts[-1] == "__init__"
    return Module(".".join(parts[:-1] if is_package else parts), path, is_package)


def room_of(name: str) -> str:
    """The room of a module: covary.stats.alpha is in stats, covary itself in __init__."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def walk_with_hiding(tree: ast.AST, hidden: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Every node below `tree`, and whether it stands inside a function."""
    waiting = [(node, hidden) for node in ast.iter_child_nodes(tree)]
    for node, inside in waiting:  # which grows as it is walked
        yield node, inside
        below = inside or isinstance(node, FUNCTIONS)
        waiting.extend((child, below) for child in ast.iter_child_nodes(node))


def named_by(node: ast.AST, module: Module) -> list[str]:
    """The dotted names that an import statement, or a call of import_module, asks for."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        origin = absolute_origin(node, module)
        return [f"{origin}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call):
        return called_import(node)
    return []


def absolute_origin(node: ast.ImportFrom, module: Module) -> str:
    """What stands after `from`, with leading dots replaced by the packages they mean."""
    if node.level == 0:
        return node.module or ""
    parts = module.name.split(".")
    above = node.level - 1 if module.is_package else node.level
    package = parts[: len(parts) - above]
    return ".".join([*package, node.module] if node.module else package)


def called_import(node: ast.Call) -> list[str]:
    function = node.func.attr if isinstance(node.func, ast.Attribute) else None
    if isinstance(node.func, ast.Name):
        function = node.func.id
    if function not in {"import_module", "__import__"} or not node.args:
        return []
    asked = node.args[0]
    return [asked.value] if isinstance(asked, ast.Constant) and isinstance(asked.value, str) else []
