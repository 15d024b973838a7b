"""Small changes to a source file, one at a time: an operator, a condition, a constant.

A change that no test notices marks a line that could be wrong without anybody knowing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
ARITHMETIC = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
}


@dataclass(frozen=True)
class Change:
    """One change: what stands at these bytes of the file, and what shall stand there instead."""

    line: int
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: bytes) -> bytes:
        """Return the file with this one change."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.line}: {self.before}  →  {self.after}"


def changes(source: bytes) -> Iterator[Change]:
    """Every change to a file, in the order of its lines."""
    yield from sorted(_Finder(source).found, key=lambda change: (change.start, change.after))


def run_with(source: bytes, line: int) -> frozenset[int]:
    """Return the lines that a test has to run, one of them at least, to notice a change in a line.

    They are those of the statement. What is run when the module is loaded shows later: a default
    in its function's body, a constant where its name is used. None where nothing says so.
    """
    tree = ast.parse(source)
    inside = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and line in _own(node)]
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    within = [node for node in functions if node.body[0].lineno <= line <= (node.end_lineno or 0)]
    if within:
        return frozenset(number for node in inside for number in _own(node))
    bodies = [node for node in inside if isinstance(node, FUNCTIONS)]
    names = {
        name.id
        for node in inside
        if node in tree.body and isinstance(node, ast.Assign | ast.AnnAssign)
        for name in ast.walk(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        if isinstance(name, ast.Name)
    }
    users = [
        statement
        for function in functions
        for statement in ast.walk(function)
        if isinstance(statement, ast.stmt) and statement is not function
        if any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(statement))
    ]
    lines = {number for node in bodies for part in node.body for number in _whole(part)}
    return frozenset(lines | {number for node in users for number in _own(node)})


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def _whole(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _own(node: ast.stmt) -> range:
    """Return the lines of a statement without those of its body."""
    body = getattr(node, "body", None)
    return range(node.lineno, max(body[0].lineno, node.lineno + 1)) if body else _whole(node)


TASTE = 5
"""From here on a number that a module sets could as well be the next one."""


class _Finder(ast.NodeVisitor):
    """Walks the syntax tree; words for people and types are left alone."""

    def __init__(self, source: bytes) -> None:
        self.source, self.found, self.function = source, list[Change](), False
        self.setting = False
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.visit(ast.parse(source))

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def text(self, node: ast.expr) -> str:
        begin = self.offset(node.lineno, node.col_offset)
        return self.source[begin : self.offset(node.end_lineno, node.end_col_offset)].decode()

    def add(self, node: ast.expr, after: str) -> None:
        begin = self.offset(node.lineno, node.col_offset)
        end = self.offset(node.end_lineno, node.end_col_offset)
        before = self.source[begin:end].decode()
        self.found.append(Change(node.lineno, begin, end, before, after))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer, self.function = self.function, True
        for part in (*node.args.defaults, *node.args.kw_defaults, *node.body):
            if part is not None:
                self.visit(part)
        self.function = outer

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Leave decorators alone: whether a record is frozen shows only to who changes one."""
        for part in node.body:
            self.visit(part)

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> None:
        """Leave a module's larger settings alone: 20,000 or 20,001 is a matter of taste."""
        name = node.targets[0] if isinstance(node, ast.Assign) else node.target
        outer = self.setting
        self.setting = not self.function and isinstance(name, ast.Name) and name.id.isupper()
        if node.value is not None:
            self.visit(node.value)
        self.setting = outer

    visit_AnnAssign = visit_Assign

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave f-strings alone: they are words."""

    def visit_keyword(self, node: ast.keyword) -> None:
        """Leave zip's `strict` alone: it guards what cannot happen, so no test can notice it."""
        if node.arg != "strict":
            self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave what an error says alone."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave assertions alone: they speak to the type checker."""

    def visit_If(self, node: ast.If) -> None:
        if self.text(node.test) != "TYPE_CHECKING":
            self.negate(node.test)
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.generic_visit(node)

    def negate(self, test: ast.expr) -> None:
        """Turn a condition round, where no operator in it is turned anyway."""
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            self.add(test, f"(not ({self.text(test)}))")

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            left, right = self.text(node.left), self.text(node.comparators[0])
            self.add(node, f"({left} {COMPARISONS[type(node.ops[0])]} {right})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        words = any(isinstance(part, ast.JoinedStr) for part in (node.left, node.right)) or any(
            isinstance(part, ast.Constant) and isinstance(part.value, str)
            for part in (node.left, node.right)
        )
        if type(node.op) in ARITHMETIC and not words:
            left, right = self.text(node.left), self.text(node.right)
            self.add(node, f"(({left}) {ARITHMETIC[type(node.op)]} ({right}))")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = " or " if isinstance(node.op, ast.And) else " and "
        self.add(node, "(" + word.join(f"({self.text(part)})" for part in node.values) + ")")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            self.add(node, f"({self.text(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add(node, str(not node.value))
        elif isinstance(node.value, int | float) and not (self.setting and node.value >= TASTE):
            self.add(node, f"({node.value!r} + 1)")
