"""Functions of numbers carried out for all lanes at once: the walk over a function's syntax tree.

Where lanes part (an `if` on their numbers, a loop that some have left), both ways are walked, each for the lanes that take it:
`live` is None for all lanes, False for none, or an array of bools. Names assigned on such a way keep the other lanes' values.
"""
import ast
import functools

from ._lane_expressions import Expressions, LaneRange
from ._lane_packing import Packed, pays
from ._lane_source import Refusal, bound_arguments, meaning, tree_of
from ._lane_values import both, but_not, either, is_any, is_number, select, truth

_NODES_A_LOOK = 240  # nodes of the tree that are walked between two looks whether a lane is alive
_MOST_ROUNDS = 8


def call_function(run, live, function, args, kwargs=None, above=()):
    """What a function of Python's gives for the lanes."""
    if function.__code__ in above:
        raise Refusal("it calls itself")
    node = tree_of(function.__code__)
    frame = Frame(run, live, function, bound_arguments(function, args, kwargs or {}), above)
    if isinstance(node, ast.Lambda):
        return frame.value(node.body) if above else frame._stretch(node, lambda: frame.value(node.body))
    frame.body(node.body)
    if frame.live is not False:
        if frame.returned is False:
            return None
        run.flag(frame.live, True)  # lanes that come to the end without a result
    return frame.result


class _Loop:
    """A loop that is being walked: lanes between a break or a continue and where they go on, and what they know."""

    def __init__(self):
        self.k = 0  # rounds that are over
        self.items = self.sure = None  # numbers that differ between lanes; names that have values where lanes left by the test
        self.whole = False  # is it met by all lanes, in the outermost function?
        self.broken = self.continued = False
        self.sure_broken = self.sure_continued = frozenset()
        self.left = False  # have lanes left by the loop's test?


class Frame(Expressions):
    """One call of a function."""

    def __init__(self, run, live, function, values, above):
        self.run, self.live, self.function, self.names, self.above = run, live, function, values, above
        self.is_outermost = not above
        self.local = frozenset(function.__code__.co_varnames + function.__code__.co_cellvars)
        self.sure = set(values)  # names that have a value in all lanes that are alive
        self.lost = set()  # names whose values in lanes that wait are gone, as they don't go together with a later one
        self.waits = False  # are there lanes on the other way of an `if`?
        self.returned, self.result = False, None
        self.loops = []

    def inlined(self, function, args, named):
        """What another function of Python's gives for the lanes that are alive."""
        return call_function(self.run, self.live, function, args, named, (*self.above, self.function.__code__))

    # ---- names ----

    def name(self, name):
        if name not in self.local:
            return meaning(self.function, name)
        if name not in self.sure:
            raise Refusal(f"{name!r} may have no value")
        return self.names[name]

    @property
    def waiting(self):
        """Are there lanes that go on later, with the values that names have for them?"""
        return self.waits or any(loop.left or loop.broken is not False or loop.continued is not False for loop in self.loops)

    def assign(self, name, value):
        if name not in self.local:
            raise Refusal(f"an assignment to {name!r}, which is no local name")
        if not self.waiting or self.live is None:
            self.lost.discard(name)
        elif name in self.names:
            try:
                value = select(self.run, None, self.live, value, self.names[name])
            except Refusal:
                if name in self.sure:
                    raise
                self.lost.add(name)
        self.names[name] = value
        self.sure.add(name)

    # ---- statements ----

    def body(self, statements):
        """The whole function: of the outermost one its loops, and what is between them, are stretches."""
        if not self.is_outermost:
            return self.block(statements)
        part = []
        for node in [*statements, None]:
            if part and (node is None or isinstance(node, (ast.For, ast.While))):
                self._stretch(part[0], functools.partial(self.block, part))
                part = []
            if isinstance(node, (ast.For, ast.While)):
                self.block([node])
            elif node is not None:
                part.append(node)
        return None

    def block(self, statements):
        for node in statements:
            if self.live is False:
                return
            try:
                self.statement(node)
            except Refusal as refusal:
                refusal.node = refusal.node or node
                raise

    def statement(self, node):
        method = getattr(self, "_" + type(node).__name__, None)
        if method is None:
            raise Refusal(f"a statement that is not turned: {type(node).__name__.lower()}", node)
        method(node)

    def _Pass(self, node):
        pass

    def _Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def _Assign(self, node):
        value = self.value(node.value)
        for target in node.targets:
            self.store(target, value)

    def _AnnAssign(self, node):
        if node.value is not None:
            self.store(node.target, self.value(node.value))

    def _AugAssign(self, node):
        target = node.target
        if isinstance(target, ast.Name):
            old = self.name(target.id)
            if not is_number(old):
                raise Refusal("an operator in place on what is no number")
            return self.assign(target.id, self.operated(node.op, old, self.value(node.value)))
        if not isinstance(target, ast.Subscript):
            raise Refusal("a store into an attribute")
        of, key = self.value(target.value), self.key(target.slice)
        old = self.item(of, key)
        if not is_number(old):
            raise Refusal("an operator in place on what is no number")
        self.store_item(of, key, self.operated(node.op, old, self.value(node.value)))

    def store(self, target, value):
        if isinstance(target, ast.Name):
            return self.assign(target.id, value)
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = self.parts(value)
            if len(parts) != len(target.elts) or any(isinstance(t, ast.Starred) for t in target.elts):
                raise Refusal("an assignment to several names of another number of values")
            for t, v in zip(target.elts, parts):
                self.store(t, v)
            return None
        if isinstance(target, ast.Subscript):
            return self.store_item(self.value(target.value), self.key(target.slice), value)
        raise Refusal("a store into an attribute")

    def _Return(self, node):
        value = None if node.value is None else self.value(node.value)
        if self.returned is False:
            self.result = value
        else:
            self.result = select(self.run, None, self.live, value, self.result)
        self.returned = self._joined(self.returned, self.live)
        self.live = False

    def _Raise(self, node):
        self.run.flag(self.live, True)
        self.live = False

    def _Assert(self, node):
        test = truth(self.value(node.test))
        if test is False:
            return self._Raise(node)
        if test is not True:
            self.run.flag(self.live, ~test)
        return None

    def _If(self, node):
        test = truth(self.value(node.test))
        if isinstance(test, bool):
            return self.block(node.body if test else node.orelse)
        before, waits, sure = self.live, self.waits, set(self.sure)
        taken = both(before, test)
        self.live, self.waits = taken, True
        self.block(node.body)
        after, sure_after, self.sure = self.live, self.sure, sure
        if after is taken and not node.orelse:
            self.live = before
        else:
            others = self.live = but_not(before, test)
            self.waits = waits or after is not False
            self.block(node.orelse)
            self.live = before if after is taken and self.live is others else self._joined(after, self.live)
        self.sure = self.sure if after is False else sure_after if self.live is after else (self.sure & sure_after) - self.lost
        self.waits = waits
        return None

    @staticmethod
    def _joined(x, y):
        return y if x is False else x if y is False else either(x, y)

    # ---- loops ----

    def _While(self, node):
        self._loop(node, _Loop(), lambda k: truth(self.value(node.test)), lambda k: None)

    def _For(self, node):
        items, loop = self.value(node.iter), _Loop()
        if isinstance(items, LaneRange):
            loop.items = items
            self._loop(node, loop, lambda k: loop.items.goes_on(self.run, self.live, k),
                       lambda k: self.store(node.target, loop.items.number(k)))
            return
        if not isinstance(items, range):
            items = self.parts(items)
        self._loop(node, loop, lambda k: k < len(items), lambda k: self.store(node.target, items[k]))

    def _loop(self, node, loop, test_at, begin):
        """Rounds until no lane goes on. Whether one does is looked at after several rounds, as that reads a value."""
        entry, returned, packs = self.live, self.returned, []
        loop.whole = self.is_outermost and not self.waits and not self.loops and entry is None
        self.loops.append(loop)
        every = max(1, min(_MOST_ROUNDS, _NODES_A_LOOK // sum(1 for _ in ast.walk(node))))

        def rounds():
            for _ in range(every):
                if not self._round(node, loop, test_at, begin):
                    return False
            return True
        while self._stretch(node, rounds) if loop.whole else rounds():
            if loop.left or loop.broken is not False or self.returned is not returned or self.live is not entry:
                if not self._goes_on(loop, packs):
                    break
        for packed in reversed(packs):
            packed.unpack()
        self.loops.pop()
        self._leave(node, loop, entry, returned)

    def _round(self, node, loop, test_at, begin):
        """One round: is there another one, as far as is known without reading values?"""
        if self.live is False:
            return False
        test = test_at(loop.k)
        if test is not True:
            loop.sure = set(self.sure) if loop.sure is None else loop.sure & self.sure
        if test is False:
            return False
        if test is not True:
            loop.left, self.live = True, both(self.live, test)
        begin(loop.k)
        self.block(node.body)
        self._continue(loop)
        loop.k += 1
        return True

    def _goes_on(self, loop, packs):
        """Is a lane alive? Where few are left of many, they go on alone."""
        alive = self.run.alive(self.live)
        if isinstance(alive, bool):
            return alive
        if not loop.whole or self.run.stretch is None:
            return is_any(alive)
        count = int(alive.sum())
        if count and pays(self, count):
            packs.append(Packed(self, loop, alive))
        return count > 0

    def _stretch(self, key, action):
        """A part of the function that is a graph of its own."""
        return action() if self.run.stretch is None else self.run.stretch(key, action)

    def _continue(self, loop):
        """Lanes that met `continue` go on with the others."""
        if loop.continued is not False:
            self.sure = loop.sure_continued if self.live is False else self.sure & loop.sure_continued
            self.live = self._joined(self.live, loop.continued)
            loop.continued = False

    def _leave(self, node, loop, entry, returned):
        """Behind a loop, all lanes go on that have not returned."""
        sure = loop.sure
        if sure is None and loop.broken is False:
            self.live = False
            return
        left = entry if self.returned is returned else but_not(entry, self.returned)
        self.live, self.sure = left, loop.sure_broken if sure is None else sure
        if node.orelse and sure is not None:
            waits, self.waits = self.waits, self.waits or loop.broken is not False
            self.live = but_not(left, loop.broken)
            self.block(node.orelse)
            self.live, self.waits = self._joined(self.live, loop.broken), waits
        if loop.broken is not False:
            self.sure = (self.sure & loop.sure_broken) - self.lost

    def _Break(self, node):
        loop = self.loops[-1]
        loop.sure_broken = set(self.sure) if loop.broken is False else loop.sure_broken & self.sure
        loop.broken = self._joined(loop.broken, self.live)
        self.live = False

    def _Continue(self, node):
        loop = self.loops[-1]
        loop.sure_continued = set(self.sure) if loop.continued is False else loop.sure_continued & self.sure
        loop.continued = self._joined(loop.continued, self.live)
        self.live = False
