"""How a kernel becomes LLVM code, in fewer words than Numba needs.

Numba's lowering serves every type and every case. Most of a kernel is arithmetic, loops over ranges, elements
of contiguous arrays, and calls of other kernels. These are lowered here, all the rest by Numba: the fewer the
instructions, the less there is to write, to read and to optimise. This relies on what kernels have in common:
they count no references, divide as NumPy does, and have no negative indices.
"""

import operator
from typing import Any, NamedTuple

from llvmlite import ir as llvm
from llvmlite.ir.instructions import (
    CastInstr,
    CompareInstr,
    ExtractValue,
    GEPInstr,
    InsertValue,
    Instruction,
    LoadInstr,
    PhiInstr,
)
from numba.core import ir, types
from numba.core.analysis import compute_use_defs
from numba.core.lowering import Lower
from numba.core.types.containers import BaseTuple
from numba.np.arrayobj import load_item, store_item

_FLOAT = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul", operator.truediv: "fdiv"}
_INTEGER = {operator.add: "add", operator.sub: "sub", operator.mul: "mul"}
_COMPARE = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}

# Instructions that do nothing but give a value.
_PURE = (CastInstr, CompareInstr, ExtractValue, GEPInstr, InsertValue, LoadInstr)


class _Builder(llvm.IRBuilder):
    """Does not take apart what it has just put together."""

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        indices = idx if isinstance(idx, (tuple, list)) else (idx,)
        if len(indices) == 1:
            while isinstance(agg, InsertValue):
                if list(agg.indices) == [indices[0]]:
                    return agg.value
                if agg.indices[0] == indices[0]:
                    break
                agg = agg.aggregate
        return super().extract_value(agg, idx, name)


class _Range(NamedTuple):
    start: Any
    stop: Any
    step: Any


class _Loop(NamedTuple):
    """Over a range."""

    next: Any  # where the next number is kept
    range: _Range


class _Turn(NamedTuple):
    """Of such a loop."""

    number: Any
    valid: Any


class KernelLower(Lower):
    """Numba's lowering, with short ways for what kernels are made of."""

    def _find_singly_assigned_variable(self) -> None:
        """Variables that are set once need no place in memory, if they are lowered before their uses.

        That they are set before their uses, Numba has seen to by giving variables more names.
        """
        home: dict[str, int] = {}
        others = set()
        for offset, block in self.func_ir.blocks.items():
            for statement in block.find_insts(ir.Assign):
                name = statement.target.name
                if name in home:
                    others.add(name)
                home[name] = offset
        for offset, names in compute_use_defs(self.func_ir.blocks).usemap.items():
            others.update(name for name in names if home.get(name, offset) >= offset)
        self._singly_assigned_vars = set(home) - others
        self._blk_local_varmap: dict[str, Any] = {}

    def setup_function(self, fndesc: Any) -> None:
        """Begin, with a builder of our own."""
        super().setup_function(fndesc)
        self.builder = _Builder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    def lower_normal_function(self, fndesc: Any) -> None:
        """Lower all, then leave out what turned out to be of no use."""
        super().lower_normal_function(fndesc)
        _sweep(self.function)

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Set a variable; its old value need not be given back."""
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """One instruction for two floats or two integers."""
        signature = self.fndesc.calltypes[expr]
        left, right = signature.args
        if left == right and expr.static_rhs is ir.UNDEFINED and expr.static_lhs is ir.UNDEFINED:
            build = self._arithmetic(op, left)
            if build is not None:
                value = build(self._cast_var(expr.lhs, left), self._cast_var(expr.rhs, right))
                return self.context.cast(self.builder, value, signature.return_type, resty)
        return super().lower_binop(resty, expr, op)

    def _arithmetic(self, op: Any, kind: Any) -> Any:
        if kind == types.float64:
            if op in _FLOAT:
                return getattr(self.builder, _FLOAT[op])
            if op in _COMPARE:
                compare = self.builder.fcmp_unordered if op is operator.ne else self.builder.fcmp_ordered
                return lambda a, b: compare(_COMPARE[op], a, b)
        if kind == types.int64:
            if op in _INTEGER:
                return getattr(self.builder, _INTEGER[op])
            if op in _COMPARE:
                return lambda a, b: self.builder.icmp_signed(_COMPARE[op], a, b)
        return None

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        """Loops over ranges with a known step are lowered here: the parts of one never leave its function."""
        value = inst.value
        if isinstance(value, ir.Expr) and inst.target.name in self._singly_assigned_vars:
            if value.op == "call" and ty == types.range_state64_type:
                return self._range(value) or super().lower_assign(ty, inst)
            if value.op in ("getiter", "iternext", "pair_first", "pair_second"):
                source = self._blk_local_varmap.get(value.value.name)
                if isinstance(source, _Range):
                    place = self.alloca_lltype("next", source.start.type)
                    self.builder.store(source.start, place)
                    return _Loop(place, source)
                if isinstance(source, _Loop):
                    return self._turn(source)
                if isinstance(source, _Turn):
                    return source.number if value.op == "pair_first" else source.valid
        return super().lower_assign(ty, inst)

    def _range(self, call: Any) -> Any:
        signature, integer = self.fndesc.calltypes[call], self.context.get_value_type(types.int64)
        bounds = self.fold_call_args(None, signature, call.args, call.vararg, call.kws)
        if len(bounds) == 1:
            bounds = [integer(0), *bounds]
        step = bounds[2] if len(bounds) == 3 else integer(1)
        return _Range(bounds[0], bounds[1], step) if isinstance(step, llvm.Constant) else None

    def _turn(self, loop: _Loop) -> _Turn:
        number = self.builder.load(loop.next)
        self.builder.store(self.builder.add(number, loop.range.step), loop.next)
        sign = "<" if loop.range.step.constant > 0 else ">"
        return _Turn(number, self.builder.icmp_signed(sign, number, loop.range.stop))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """A place for a variable; it is always set before it is read."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(lltype, name=name)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """An element of a contiguous array, or a view of its last axes."""
        array = self.typeof(value.name)
        indices = self._indices(array, index)
        if indices is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        whole = self.loadvar(value.name)
        pointer, shape = self._element(array, whole, indices)
        if len(indices) == array.ndim:
            item = load_item(self.context, self.builder, array, pointer)
            return self.context.cast(self.builder, item, array.dtype, resty)
        view = self._view(array, whole, signature.return_type, pointer, shape[len(indices) :])
        return self.context.cast(self.builder, view, signature.return_type, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Set one element of a contiguous array."""
        array = self.typeof(target_var.name)
        indices = self._indices(array, index_var)
        if indices is None or len(indices) < array.ndim:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        pointer, _ = self._element(array, self.loadvar(target_var.name), indices)
        store_item(self.context, self.builder, array, self._cast_var(value_var, array.dtype), pointer)
        return None

    def _indices(self, array: Any, index: Any) -> Any:
        """The numbers of an index into a contiguous array, or None if it is something else."""
        kind = self.typeof(index.name)
        kinds = kind.types if isinstance(kind, BaseTuple) else (kind,)
        if not (isinstance(array, types.Array) and array.layout == "C" and array.ndim >= len(kinds) > 0):
            return None
        if self.context.enable_boundscheck or not all(isinstance(k, types.Integer) for k in kinds):
            return None
        value = self.loadvar(index.name)
        if isinstance(kind, BaseTuple):
            values = [self.builder.extract_value(value, k) for k in range(len(kinds))]
        else:
            values = [value]
        return [self.context.cast(self.builder, v, k, types.intp) for v, k in zip(values, kinds, strict=True)]

    def _field(self, array: Any, whole: Any, name: str) -> Any:
        position = self.context.data_model_manager[array].get_field_position(name)
        return self.builder.extract_value(whole, position)

    def _element(self, array: Any, whole: Any, indices: Any) -> Any:
        """Pointer to where the indices lead, and the shape."""
        builder = self.builder
        shape: list[Any] = []
        if array.ndim > 1:
            extents = self._field(array, whole, "shape")
            shape = [builder.extract_value(extents, k) for k in range(array.ndim)]
        place = indices[0]
        for k in range(1, array.ndim):
            place = builder.mul(place, shape[k])
            if k < len(indices):
                place = builder.add(place, indices[k])
        return builder.gep(self._field(array, whole, "data"), [place]), shape

    def _view(self, array: Any, whole: Any, kind: Any, pointer: Any, shape: Any) -> Any:
        builder, model = self.builder, self.context.data_model_manager[kind]
        strides = self._field(array, whole, "strides")
        count = shape[0]
        for extent in shape[1:]:
            count = builder.mul(count, extent)
        parts = {
            "meminfo": self._field(array, whole, "meminfo"),
            "parent": self._field(array, whole, "parent"),
            "nitems": count,
            "itemsize": self._field(array, whole, "itemsize"),
            "data": pointer,
            "shape": self._pack(shape),
            "strides": self._pack(
                [builder.extract_value(strides, k) for k in range(array.ndim - len(shape), array.ndim)]
            ),
        }
        view = llvm.Constant(self.context.get_value_type(kind), llvm.Undefined)
        for name, part in parts.items():
            view = builder.insert_value(view, part, model.get_field_position(name))
        return view

    def _pack(self, values: Any) -> Any:
        packed = llvm.Constant(llvm.ArrayType(values[0].type, len(values)), llvm.Undefined)
        for k, value in enumerate(values):
            packed = self.builder.insert_value(packed, value, k)
        return packed


def kernel_call(fndesc: Any, library: Any) -> Any:
    """How others call a kernel: as Numba does, but an exception goes straight to the caller's caller."""

    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = context.declare_function(builder.module, fndesc)
        convention = context.call_conv
        with builder.goto_entry_block():
            result = builder.alloca(convention.get_return_type(fndesc.restype).pointee)
        exception = convention._get_excinfo_argument(builder.function)
        arguments = convention._get_arg_packer(fndesc.argtypes).as_arguments(builder, args)
        code = builder.call(function, [result, exception, *arguments])
        with builder.if_then(builder.icmp_signed("!=", code, code.type(0)), likely=False):
            builder.ret(code)
        return context.get_returned_value(builder, fndesc.restype, builder.load(result))

    call.signature = fndesc.argtypes  # type: ignore[attr-defined]
    call.libs = (library,)  # type: ignore[attr-defined]
    return call


def _sweep(function: Any) -> None:
    """Leave out instructions whose value nobody uses."""
    waiting = [i for block in function.blocks for i in block.instructions if not isinstance(i, _PURE)]
    used = set(map(id, waiting))
    while waiting:
        instruction = waiting.pop()
        operands = instruction.operands
        if isinstance(instruction, PhiInstr):
            operands = [value for value, _ in instruction.incomings]
        for operand in operands:
            if isinstance(operand, Instruction) and id(operand) not in used:
                used.add(id(operand))
                waiting.append(operand)
    for block in function.blocks:
        block.instructions = [i for i in block.instructions if id(i) in used]
