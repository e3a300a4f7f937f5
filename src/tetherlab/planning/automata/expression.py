"""Arithmetic and conditions as text, read without executing anything: `temperature >= 21 and heat > 0`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from tetherlab.contracts.errors import InputError

Value = Callable[[Mapping[str, float]], Any]
FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "abs": abs, "min": min, "max": max, "sqrt": math.sqrt, "exp": math.exp, "log": math.log,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "atan2": math.atan2, "hypot": math.hypot,
}  # fmt: skip
CONSTANTS = {"pi": math.pi}
ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
COMPARED: Mapping[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


class Expression:
    """A text that is a number or a condition once its names have values."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: set[str] = set()  # that it asks for
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except SyntaxError:
            raise InputError(f"{text!r} is no expression") from None
        self._value = self._read(tree.body)

    def __call__(self, values: Mapping[str, float]) -> Any:
        """What it comes to."""
        try:
            found = self._value(values)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise InputError(f"{self._nowhere(values)}: {error}") from None
        if isinstance(found, complex):
            raise InputError(f"{self._nowhere(values)}: it is no real number")
        return found

    def _nowhere(self, values: Mapping[str, float]) -> str:
        where = ", ".join(f"{name} = {values[name]:g}" for name in sorted(self.names))
        return f"{self.text!r} has no value" + (f" where {where}" if where else "")

    def _read(self, node: ast.AST) -> Value:
        """From the parsed text to a function of the values."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            constant = node.value
            return lambda values: constant
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            combine, a, b = ARITHMETIC[type(node.op)], self._read(node.left), self._read(node.right)
            return lambda values: combine(a(values), b(values))
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.BoolOp):
            parts = [self._read(part) for part in node.values]
            decide = all if isinstance(node.op, ast.And) else any
            return lambda values: decide(part(values) for part in parts)
        if isinstance(node, ast.Compare) and all(type(op) in COMPARED for op in node.ops):
            return self._comparison(node)
        if isinstance(node, ast.Call) and not node.keywords and isinstance(node.func, ast.Name):
            return self._call(node, node.func.id)
        raise self._forbidden(node)

    def _forbidden(self, node: ast.AST) -> InputError:
        allowed = f"numbers, names, + - * / **, comparisons, and, or, not, {', '.join(FUNCTIONS)}"
        return InputError(f"{self.text!r}: {ast.unparse(node)!r} is not allowed there; allowed are {allowed}")

    def _call(self, node: ast.Call, name: str) -> Value:
        if name not in FUNCTIONS:
            raise self._forbidden(node)
        function, given = FUNCTIONS[name], [self._read(part) for part in node.args]
        return lambda values: function(*(part(values) for part in given))

    def _name(self, name: str) -> Value:
        if name in CONSTANTS:
            constant = CONSTANTS[name]
            return lambda values: constant
        self.names.add(name)
        return lambda values: values[name]

    def _unary(self, node: ast.UnaryOp) -> Value:
        inner = self._read(node.operand)
        if isinstance(node.op, ast.Not):
            return lambda values: not inner(values)
        sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
        return lambda values: sign * inner(values)

    def _comparison(self, node: ast.Compare) -> Value:
        terms = [self._read(part) for part in (node.left, *node.comparators)]
        tests = [COMPARED[type(op)] for op in node.ops]

        def holds(values: Mapping[str, float]) -> bool:
            found = [term(values) for term in terms]
            return all(test(a, b) for test, a, b in zip(tests, found[:-1], found[1:], strict=True))

        return holds
