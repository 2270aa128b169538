"""Copies of others' test files in which `numpy` is numjit: where their imports are rewritten, and what these then give.

`make_copies` writes them; a copy begins with `import swapped`, and each import of NumPy asks `module` or `name` here. Public
modules are numjit's own and nothing else, so that what numjit lacks is missing. Judges stay NumPy's: `numpy.testing` comes by
way of `numjit.testing`, which shows it the same memory. What files need to be read at all, as the types of arrays that
numjit leaves out, or NumPy's C test modules, are NumPy's objects too: left_out.txt says of which tests that matters.
"""
import ast
import functools
import importlib
import shutil
import types

COPIES = "outside_copies"

# Modules that judge or help and hold no arrays' semantics.
HELPERS = ("numpy.testing._private", "numpy.testing.overrides", "numpy._utils", "numpy._typing", "numpy.version",
           "numpy._core._multiarray_tests", "numpy._core._rational_tests", "numpy._core._umath_tests",
           "numpy._core._struct_ufunc_tests", "numpy._core._operand_flag_tests", "numpy._core._simd", "numpy.ma", "numpy.f2py",
           "numpy.ctypeslib", "numpy.dtypes", "numpy.matlib", "numpy.lib.recfunctions", "numpy._core._internal")
# Types, and modules of their functions, that numjit leaves out, and constants that files look at while they are read.
NOT_OURS = {"object_", "str_", "bytes_", "void", "datetime64", "timedelta64", "character", "flexible", "longdouble", "clongdouble",
            "float96", "float128", "complex192", "complex256", "record", "recarray", "rec", "char", "strings", "ma", "matrix",
            "dtypes", "ctypeslib", "matlib", "chararray", "f2py", "_core", "core", "_globals", "busdaycalendar",
            "asmatrix", "bmat", "_typing", "_utils", "version", "__config__"}


MAKERS = {"dtype", "array", "zeros", "ones", "empty", "full", "arange", "asarray", "finfo", "iinfo", "can_cast", "promote_types", "spacing"}
# Whether files are being read, and no test runs yet.
reading = True


class Missing:
    """What numjit has not, or what could not be made while a file was read: used, it is the error that says so."""

    def __init__(self, name, error=None):
        self.__dict__.update(_name=name, _error=error or AttributeError(f"numjit has no {name}"))

    def _fail(self, *args, **kwargs):
        raise self._error

    def __getattr__(self, attribute):
        if attribute.startswith("__") or attribute == "pytestmark":
            raise AttributeError(attribute)
        self._fail()

    __call__ = __iter__ = __getitem__ = __len__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __or__ = __index__ = _fail
    __array__ = __mro_entries__ = _fail

    def __repr__(self):
        return f"<missing: {self._error}>"


class WhileRead:
    """A function that makes arrays or dtypes, as files get it while they are read: what numjit leaves out becomes NumPy's."""

    def __init__(self, name, ours):
        self.__dict__.update(_name=name, _ours=ours, __name__=name, __doc__=ours.__doc__, __wrapped__=ours)

    def __call__(self, *args, **kwargs):
        try:
            return self._ours(*args, **kwargs)
        except TypeError:
            if not reading:
                raise
            return getattr(importlib.import_module("numpy"), self._name)(*args, **kwargs)

    def __getattr__(self, attribute):
        return getattr(self._ours, attribute)

    def __instancecheck__(self, instance):
        return isinstance(instance, self._ours)


class Judging(types.ModuleType):
    """A module of functions that judge: they get arrays in NumPy's terms."""

    def __getattr__(self, attribute):
        import numjit.testing
        found = _numpys(f"{self.__name__}.{attribute}")
        return numjit.testing._wrapped(found) if attribute.startswith("assert") else found


class Swapped(types.ModuleType):
    """A module of NumPy whose names are numjit's. Changes to it are undone by monkeypatch like those to any module."""

    def __init__(self, name, sources, rest):
        super().__init__(name)
        self.__dict__["_sources"], self.__dict__["_rest"] = sources, rest

    def __getattr__(self, attribute):
        if attribute == "__version__":  # that of NumPy, whose ways are asked for
            return importlib.import_module("numpy").__version__
        if attribute in NOT_OURS and self.__name__ == "numpy":
            return self._rest(f"numpy.{attribute}")
        for source in self._sources:
            found = getattr(source, attribute, self)
            if found is not self:
                return WhileRead(attribute, found) if reading and attribute in MAKERS else found
        return self._rest(f"{self.__name__}.{attribute}")

    def __dir__(self):
        return sorted({name for source in self._sources for name in dir(source)})


def _numpys(path):
    module, _, attribute = path.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _of_numpy(path):
    """A name of numpy itself that numjit has not."""
    attribute = path.rpartition(".")[2]
    if attribute in NOT_OURS:
        try:
            return module(path)
        except ImportError:
            return _numpys(path)
    raise AttributeError(f"module 'numjit' has no attribute {attribute!r}")


def _of_private(path):
    """A name of a module that is no public one of numjit's: for imports to succeed."""
    if path.startswith(HELPERS):
        return module(path) if path in HELPERS else _numpys(path)
    try:
        found = _numpys(path)
        if found is None or isinstance(found, (bool, int, float, str, bytes)):  # a constant
            return found
        if isinstance(found, types.ModuleType):
            return module(path)
    except (ImportError, AttributeError):
        pass
    if path.endswith(".sctypes"):
        import numjit
        return {kind: [t for t in dict.fromkeys(numjit.sctypeDict.values()) if numjit.dtype(t).kind == letter and t.__name__ in numjit.__all__]
                for kind, letter in (("int", "i"), ("uint", "u"), ("float", "f"), ("complex", "c"))} | {"others": [numjit.bool_]}
    return Missing(path)


_made = {}


def module(path):
    """What stands for a module of NumPy."""
    if path not in _made:
        _made[path] = _make(path)
    return _made[path]


def _make(path):
    import numjit
    import numjit.testing
    if path == "numpy.testing":
        return numjit.testing
    if path == "numpy.ma.testutils":  # it judges, too
        return Judging(path)
    if ".tests" in path:
        return importlib.import_module(f"{COPIES}.{path}")
    if path.startswith(HELPERS):
        return importlib.import_module(path)
    if path == "numpy":
        return Swapped(path, [numjit], _of_numpy)
    ours = numjit
    for part in path.split(".")[1:]:
        ours = getattr(ours, part, None) if ours and part[0] != "_" else None
    if isinstance(ours, types.ModuleType):
        return ours
    importlib.import_module(path)
    if path.split(".")[1].startswith("_") or path.split(".")[-1].startswith("_") or path.startswith("numpy.core"):
        sources = [numjit, numjit.lib.array_utils, numjit.lib.stride_tricks]
        for part in ("linalg", "fft", "random", "polynomial"):
            if f".{part}" in path:
                sources.insert(0, getattr(numjit, part))
        made = Swapped(path, sources, _of_private)
        if path.endswith("umath"):  # files look through its ufuncs
            vars(made).update((key, value) for key, value in vars(numjit).items() if isinstance(value, numjit.ufunc))
        return made
    return Swapped(path, [], _of_private)


def name(path, attribute):
    """What `from path import attribute` gives."""
    found = getattr(module(path), attribute, None)
    if found is not None:
        return found
    try:
        return module(f"{path}.{attribute}")
    except ImportError:
        return Missing(f"{path}.{attribute}")


def failing(error, names=""):
    """A decorator in place of one that could not be made, a parametrize of these names: the test fails with what stood in its way."""
    def decorate(function):
        import pytest
        if not getattr(function, "__name__", "").startswith("test"):
            return Missing("decorated", error)

        @functools.wraps(function)
        def test(*args, **kwargs):
            raise error
        count = len(names.split(",")) if names else 0
        return pytest.mark.parametrize(names, [None if count == 1 else (None,) * count])(test) if count else test
    return decorate


def _ours(value):
    """A parameter, with functions in the place of what stands for them while a file is read."""
    if isinstance(value, WhileRead):
        return value._ours
    return type(value)(map(_ours, value)) if type(value) in (list, tuple) else value


def listed(values):
    """The values of a parameter; one that a generator can't make is the last of them, and fails."""
    if isinstance(values, (list, tuple)):
        return [_ours(v) for v in values]
    made = []
    try:
        for value in values:
            made.append(_ours(value))
    except Exception as error:
        if not made:
            raise
        import pytest
        last = made[-1]
        count = len(last.values) if hasattr(last, "marks") else len(last) if isinstance(last, tuple) else 1
        made.append(pytest.param(*[Missing("value", error)] * count, id="what-could-not-be-made"))
    return made


def _parse(text):
    return ast.parse(text).body


class Rewriter(ast.NodeTransformer):
    """Imports of NumPy become questions to this module; what fails while a file is read fails where it is used."""

    def __init__(self, own):
        self.count, self.own = 0, own

    def visit_Import(self, node):
        made = []
        for a in node.names:
            top = a.name.split(".")[0]
            if self.own and top == self.own:
                made += _parse(f"import {COPIES}.{a.name} as {a.asname}" if a.asname else f"from {COPIES} import {a.name}")
            elif top != "numpy":
                made.append(ast.Import([a]))
            elif a.asname:
                made += _parse(f"{a.asname} = swapped.module({a.name!r})")
            else:
                made += _parse(f"numpy = swapped.module('numpy')")
        return made

    def visit_Constant(self, node):
        """Programs in texts, as tests give them to exec()."""
        if self.own and isinstance(node.value, str) and self.own in node.value:
            node.value = node.value.replace(f"import {self.own}\n", f"import {COPIES}.{self.own} as {self.own}\n").replace(
                f"from {self.own} import", f"from {COPIES}.{self.own} import")
        return node

    def visit_ImportFrom(self, node):
        if self.own and not node.level and node.module.split(".")[0] == self.own:
            node.module = f"{COPIES}.{node.module}"
            return node
        if node.level or (node.module or "").split(".")[0] != "numpy":
            return node
        return [part for a in node.names for part in _parse(f"{a.asname or a.name} = swapped.name({node.module!r}, {a.name!r})")]

    def body(self, statements):
        """The statements of a file or class, each of which may fail alone."""
        made = []
        for node in statements:
            made += self.one(node) if not isinstance(node, (ast.Import, ast.ImportFrom)) else self._listed(self.visit(node))
        return made

    @staticmethod
    def _listed(node):
        return node if isinstance(node, list) else [node]

    def one(self, node):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) or isinstance(node, ast.Pass):
            return [node]
        before = []
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            for i, decorator in enumerate(node.decorator_list):
                if isinstance(decorator, ast.Call):
                    if isinstance(decorator.func, ast.Attribute) and decorator.func.attr == "parametrize" and len(decorator.args) > 1:
                        decorator.args[1] = ast.Call(ast.parse("swapped.listed", mode="eval").body, [decorator.args[1]], [])
                    self.count += 1
                    first = ast.literal_eval(decorator.args[0]) if decorator.args and isinstance(decorator.args[0], (ast.Constant, ast.Tuple, ast.List)) else ""
                    first = (first if isinstance(first, str) else ",".join(first)) if getattr(decorator.func, "attr", "") == "parametrize" else ""
                    name = f"_decorator_{self.count}"
                    before.append(self.tried([ast.Assign([ast.Name(name, ast.Store())], decorator)], [f"{name} = swapped.failing(_error, {first!r})"]))
                    node.decorator_list[i] = ast.Name(name, ast.Load())
        if isinstance(node, ast.FunctionDef):
            return [*before, self.generic_visit(node)]
        if isinstance(node, ast.ClassDef):
            node.body = self.body(node.body)
            return [*before, self.tried([node], [f"{node.name} = swapped.Missing({node.name!r}, _error)"])]
        if isinstance(node, ast.If):
            self.generic_visit(node)
            return [node]
        names = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})
        return [self.tried([self.generic_visit(node)], [f"{n} = swapped.Missing({n!r}, _error)" for n in names] or ["pass"])]

    @staticmethod
    def tried(body, otherwise):
        keep = _parse("_error = _caught")
        handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), "_caught", [*keep, *_parse("\n".join(otherwise))])
        return ast.Try(body, [handler], [], [])


def rewritten(text, own="", tests=True):
    """The text of a file that asks this module for NumPy; `own` is a package whose copies import each other. Where `tests`, each
    statement may fail alone."""
    tree = ast.parse(text)
    start = 0
    while start < len(tree.body) and (isinstance(tree.body[start], ast.Expr) or getattr(tree.body[start], "module", "") == "__future__"):
        start += 1
    rewriter, rest = Rewriter(own), tree.body[start:]
    rest = rewriter.body(rest) if tests else [part for node in rest for part in rewriter._listed(rewriter.visit(node))]
    tree.body = tree.body[:start] + _parse("import swapped") + rest
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def make_copies(package, folder, whole=False):
    """Copies of the tests folders of a package, or of all of it, under folder/outside_copies; gives the test files' paths from there."""
    target = folder / COPIES
    shutil.rmtree(target / package.name, ignore_errors=True)
    made = []
    for source in sorted(package.rglob("*")):
        relative = source.relative_to(package.parent)
        in_tests = "tests" in relative.parts
        if source.is_dir() or "__pycache__" in relative.parts or not (in_tests or whole):
            continue
        copy = target / relative
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".py":
            copy.write_text(rewritten(source.read_text(), package.name if whole else "", in_tests))
            if in_tests and source.name.startswith("test_"):
                made.append(relative.as_posix())
        else:
            shutil.copy(source, copy)
    for inner in [target, *(p for p in (target / package.name).rglob("*") if p.is_dir()), target / package.name]:
        (inner / "__init__.py").touch()
    return made
