"""numjit.random: NumPy's generators and streams. default_rng(seed).normal(size=3) are NumPy's numbers."""
import builtins
import collections.abc
import operator
import threading
import warnings

from . import _core as C
from ._creation import asarray

_R = C.random


def _words(seed):
    """uint32 words of a non-negative integer of any size."""
    if seed < 0:
        raise ValueError("expected non-negative integer")
    words = []
    while True:
        words.append(seed & 0xFFFFFFFF)
        seed >>= 32
        if not seed:
            return words


def _entropy(seed):
    """Words of a seed: an integer, or a sequence of integers."""
    if isinstance(seed, (str, builtins.bytes, float)):
        raise TypeError("SeedSequence expects int or sequence of ints for entropy not " + str(seed))
    try:
        return _words(operator.index(seed))
    except TypeError:
        if any(isinstance(s, float) for s in seed):
            raise TypeError("seed must be integer") from None
        return [w for s in seed for w in _words(operator.index(s))]


class SeedSequence:
    """Mixes entropy into states that have nothing to do with each other."""

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        if entropy is None:
            import secrets
            entropy = secrets.randbits(32 * pool_size)
        self.entropy, self.pool_size = entropy, pool_size
        self.spawn_key = tuple(spawn_key)
        self._own = _R.SeedSequence(_entropy(entropy), list(self.spawn_key), pool_size, n_children_spawned)

    def generate_state(self, n_words, dtype=C.uint32):
        """n words of uint32 or uint64."""
        return self._own.generate_state(n_words, dtype)

    @property
    def n_children_spawned(self):
        """How many children there are."""
        return self._own.n_children_spawned

    @property
    def pool(self):
        """The mixed entropy."""
        return C.array(self._own.pool, C.uint32, True)

    @property
    def state(self):
        """What makes the same sequence again."""
        given = {"entropy": self.entropy, "spawn_key": self.spawn_key, "pool_size": self.pool_size, "n_children_spawned": self.n_children_spawned}
        return {k: v for k, v in given.items() if v is not None}

    def __reduce__(self):
        return _rebuilt_sequence, (self.state,)

    def __repr__(self):
        lines = [f"{type(self).__name__}(", f"    entropy={self.entropy!r},"]
        lines += [f"    spawn_key={self.spawn_key!r},"] if self.spawn_key else []
        lines += [f"    pool_size={self.pool_size!r},"] if self.pool_size != 4 else []
        lines += [f"    n_children_spawned={self.n_children_spawned!r},"] if self.n_children_spawned else []
        return "\n".join([*lines, ")"])

    def spawn(self, n_children):
        """Sequences that depend on this one's entropy and their number."""
        first = self.n_children_spawned
        self._own.spawn(n_children)
        return [SeedSequence(self.entropy, spawn_key=self.spawn_key + (i,), pool_size=self.pool_size) for i in range(first, first + n_children)]


def _rebuilt_sequence(state):
    return SeedSequence(state.get("entropy"), spawn_key=state["spawn_key"], pool_size=state["pool_size"],
                        n_children_spawned=state["n_children_spawned"])


class BitGenerator:
    """A source of random bits."""

    def __init__(self, seed=None):
        if type(self) is BitGenerator:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantized")
        self.lock = threading.Lock()
        self.seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        self._own = _R.BitGenerator(type(self).__name__, self.seed_seq._own)

    @classmethod
    def _of(cls, own):
        kind = globals()[own.name]
        made = kind.__new__(kind)
        made._own, made.seed_seq, made.lock = own, None, threading.Lock()
        return made

    def random_raw(self, size=None, output=True):
        """Raw values."""
        made = self._own.random_raw(size)
        return made if output else None

    def _advance(self, delta):
        self._own.advance(operator.index(delta))
        return self

    def _jumped(self, jumps=1):
        return self._of(self._own.jumped(jumps))

    def spawn(self, n_children):
        """Sources with spawned seeds."""
        if not isinstance(self.seed_seq, SeedSequence):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(s) for s in self.seed_seq.spawn(n_children)]

    @property
    def state(self):
        """The state, as NumPy's dictionaries."""
        name, state, key, buffer, pos, has_uint32, uinteger, _, _ = self._own.state()
        extra = {"has_uint32": int(has_uint32), "uinteger": uinteger}
        if name.startswith("PCG64"):
            return {"bit_generator": name, "state": {"state": state[0] << 64 | state[1], "inc": state[2] << 64 | state[3]}, **extra}
        if name == "MT19937":
            return {"bit_generator": name, "state": {"key": C.array(state, C.uint32, True), "pos": pos}}
        if name == "Philox":
            return {"bit_generator": name, "state": {"counter": C.array(state, C.uint64, True), "key": C.array(key, C.uint64, True)},
                    "buffer": C.array(buffer, C.uint64, True), "buffer_pos": pos, **extra}
        return {"bit_generator": name, "state": {"state": C.array(state, C.uint64, True)}, **extra}

    @state.setter
    def state(self, value):
        if isinstance(value, tuple) and type(self).__name__ == "MT19937":  # of RandomState.get_state()
            if value[0] != "MT19937" or len(value) not in (3, 5):
                raise ValueError("state is not a legacy MT19937 state")
            value = {"bit_generator": value[0], "state": {"key": value[1], "pos": value[2]}}
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")

        def words(v):  # lists of small and of large integers are no array of uint64 by themselves
            return asarray(v, C.uint64).tolist()

        name, inner = value.get("bit_generator"), value.get("state")
        if name != type(self).__name__:
            kind = "RNG" if type(self).__name__ in ("PCG64", "PCG64DXSM", "SFC64") else "PRNG"
            raise ValueError(f"state must be for a {type(self).__name__} {kind}")
        key, buffer, pos = [], [], 0
        if name.startswith("PCG64"):
            low = (1 << 64) - 1
            state = [inner["state"] >> 64, inner["state"] & low, inner["inc"] >> 64, inner["inc"] & low]
        elif name == "MT19937":
            state, pos = asarray(inner["key"]).tolist(), inner["pos"]
        elif name == "Philox":
            state, key, buffer, pos = words(inner["counter"]), words(inner["key"]), words(value["buffer"]), value["buffer_pos"]
        else:
            state = words(inner["state"])
        self._own.set_state(name, state, key, buffer, int(pos), bool(value.get("has_uint32", 0)), int(value.get("uinteger", 0)), False, 0.0)

    def __getstate__(self):
        return self.state, self.seed_seq

    def __setstate__(self, state):
        if isinstance(state, dict):
            self.state = state
        else:
            self.state, self.seed_seq = state

    def __reduce__(self):
        return _rebuilt_source, (type(self).__name__,), self.__getstate__()


def _rebuilt_source(name):
    return globals()[name](0)


class _Congruential(BitGenerator):
    def advance(self, delta):
        """Moves on as if delta values had been drawn."""
        delta = operator.index(delta) % (1 << 128)
        state = self.state
        value, step, plus, factor = state["state"]["state"], self._multiplier, state["state"]["inc"], delta
        times, offset, mask = 1, 0, (1 << 128) - 1
        while factor:  # x -> times * x + offset is as many steps as the bits so far say
            if factor & 1:
                times, offset = times * step & mask, (offset * step + plus) & mask
            plus, step, factor = (step + 1) * plus & mask, step * step & mask, factor >> 1
        state["state"]["state"] = (times * value + offset) & mask
        state["has_uint32"] = state["uinteger"] = 0
        self.state = state
        return self

    def jumped(self, jumps=1):
        """A source far ahead on the same stream."""
        return self._jumped(jumps)


class PCG64(_Congruential):
    """NumPy's default: a 128-bit permuted congruential generator."""

    _multiplier = 0x2360ED051FC65DA44385DF649FCCF645


class PCG64DXSM(_Congruential):
    """PCG64 with another output function."""

    _multiplier = 0xDA942042E4DD58B5


class MT19937(BitGenerator):
    """The Mersenne Twister."""

    def jumped(self, jumps=1):
        """A source far ahead on the same stream."""
        return self._jumped(jumps)


class Philox(BitGenerator):
    """A counter-based generator."""

    def __init__(self, seed=None, counter=None, key=None):
        if seed is not None and key is not None:
            raise ValueError("seed and key cannot be both used")
        super().__init__(0 if key is not None else seed)
        if key is None and counter is None:
            return
        state = self.state
        if key is not None:
            state["state"]["key"] = self._as_words(key, 2, "key")
        state["state"]["counter"] = self._as_words(0 if counter is None else counter, 4, "counter")
        self.state = state

    @staticmethod
    def _as_words(value, count, name):
        if hasattr(value, "__len__"):
            words = [operator.index(v) for v in value]
            if len(words) != count or not all(0 <= w < 1 << 64 for w in words):
                raise ValueError(f"{name} must be a {count}-element uint64 array")
            return words
        value = operator.index(value)
        if not 0 <= value < 1 << (64 * count):
            raise ValueError(f"{name} must be positive and less than 2**{64 * count}.")
        return [value >> (64 * i) & ((1 << 64) - 1) for i in range(count)]

    def advance(self, delta):
        """Moves on as if delta values had been drawn."""
        state = self.state
        counter = sum(int(w) << (64 * i) for i, w in enumerate(asarray(state["state"]["counter"]).tolist()))
        state["state"]["counter"] = self._as_words((counter + operator.index(delta)) % (1 << 256), 4, "counter")
        state.update(has_uint32=0, uinteger=0, buffer_pos=4)
        self.state = state
        return self

    def jumped(self, jumps=1):
        """A source far ahead on the same stream."""
        return self._jumped(jumps)


class SFC64(BitGenerator):
    """A small fast chaotic generator."""


def _draw(name, parameters):
    """A method that draws from one distribution. Its text is made, so that its arguments are taken as Python takes them."""
    names = [p for p, _ in parameters]
    arguments = ", ".join(["self", *(p if default is None else f"{p}={default!r}" for p, default in parameters), "size=None"])
    home = {}
    text = f"def {name}({arguments}):\n    return self._own.draw({', '.join([repr(name), 'size', *names])})"
    exec(compile(text, __file__, "exec"), home)  # of our own names; its frames are the package's
    method = home[name]
    method.__module__ = __name__
    method.__doc__ = f"Draws from the distribution {name}({', '.join([*names, 'size=None'])})."
    return method


def _python_ints(x):
    """The integers of Python in a number or nested list."""
    if isinstance(x, (list, tuple)):
        for v in x:
            yield from _python_ints(v)
    elif isinstance(x, int):
        yield x


def _less_one(x):
    return [_less_one(v) for v in x] if isinstance(x, (list, tuple)) else x - 1


_FOREIGN_ORDER = ("Providing a dtype with a non-native byteorder is not supported. If you require platform-independent byteorder, "
                  "call byteswap when required.")


def _integer_bounds(low, high, dtype, endpoint, name="integers"):
    """Bounds given as Python's integers checked against a dtype; those beyond 64 bits become inclusive ones."""
    t = C.dtype(dtype)
    if t.kind not in "biu":
        raise TypeError(f"Unsupported dtype {t!r} for {name}")
    first, last = (0, 1) if t.kind == "b" else (-(1 << (8 * t.itemsize - 1)) * (t.kind == "i"), (1 << (8 * t.itemsize - (t.kind == "i"))) - 1)
    top = low if high is None else high
    largest = max(_python_ints(top), default=0)
    if high is not None and min(_python_ints(low), default=0) < first:
        raise ValueError(f"low is out of bounds for {t.name}")
    if largest - (not endpoint) > last:
        raise ValueError(f"high is out of bounds for {t.name}")
    if high is not None and max(_python_ints(low), default=0) > last:
        raise ValueError("low > high" if endpoint else "low >= high")
    if largest < 1 << 64 or endpoint:
        return low, high, endpoint
    return 0 if high is None else low, _less_one(top), True


def _population(a):
    """What choice() chooses from: an array, or an integer for arange."""
    return a if isinstance(a, int) else asarray(a)


_MOST_COLOURS = (2 ** 63 - 1) // 8  # of which a list of 64-bit numbers can be made


def _shuffle(shuffle, x):
    """In place; lists too, by the order of their indices."""
    if isinstance(x, C.array_base):
        shuffle(x)
        return
    if hasattr(x, "__array_interface__"):
        shuffle(asarray(x))
        return
    if isinstance(x, memoryview) and x.ndim == 1:
        shuffle(asarray(x))
        return
    if not isinstance(x, collections.abc.Sequence):
        warnings.warn(f"you are shuffling a '{type(x).__name__}' object which is not a subclass of 'Sequence'; `shuffle` is not guaranteed "
                      "to behave correctly. E.g., non-numpy array/tensor objects with view semantics may contain duplicates after "
                      "shuffling.", UserWarning, stacklevel=3)
    order = C.arange(0, len(x), 1, None)
    shuffle(order)
    for i, value in enumerate([x[i] for i in order.tolist()]):
        x[i] = value


class _Draws:
    """What Generator and RandomState have in common."""

    def bytes(self, length):
        """Random bytes."""
        return self._own.bytes(length)


for _name, _parameters in _R.signatures.items():
    setattr(_Draws, _name, _draw(_name, _parameters))


def _given(out, made):
    return made if out is None else out


class Generator(_Draws):
    """Draws numbers of many distributions from a source of bits."""

    _poisson_lam_max = 9.223372006484771e18

    def __init__(self, bit_generator):
        if not isinstance(bit_generator, BitGenerator):
            if isinstance(bit_generator, type):
                raise ValueError("Invalid bit generator. The bit generator must be instantiated.")
            raise TypeError(f"expected a bit generator, got {type(bit_generator).__name__}")
        self._bit_generator = bit_generator
        self._own = _R.Generator(bit_generator._own)

    @property
    def bit_generator(self):
        """The source of bits."""
        return self._bit_generator

    def random(self, size=None, dtype=C.float64, out=None):
        """Numbers in [0, 1)."""
        return _given(out, self._own.random(size, dtype, out))

    def standard_normal(self, size=None, dtype=C.float64, out=None):
        """Numbers of the normal distribution."""
        return _given(out, self._own.standard_normal(size, dtype, out))

    def standard_exponential(self, size=None, dtype=C.float64, method="zig", out=None):
        """Numbers of the exponential distribution."""
        return _given(out, self._own.standard_exponential(size, dtype, method, out))

    def standard_gamma(self, shape, size=None, dtype=C.float64, out=None):
        """Numbers of the gamma distribution."""
        return _given(out, self._own.standard_gamma(shape, size, dtype, out))

    def integers(self, low, high=None, size=None, dtype=C.int64, endpoint=False):
        """Integers in [low, high)."""
        if not C.dtype(dtype).isnative:
            raise ValueError(_FOREIGN_ORDER)
        low, high, endpoint = _integer_bounds(low, high, dtype, bool(endpoint))
        made = self._own.integers(low, high, size, dtype, endpoint)
        return dtype(made.item()) if size is None and dtype in (int, bool) and made._is_scalar else made

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of a, or of arange(a)."""
        return self._own.choice(_population(a), size, bool(replace), p, axis, bool(shuffle))

    def permutation(self, x, axis=0):
        """A copy in random order."""
        return self._own.permutation(_population(x), axis)

    def shuffle(self, x, axis=0):
        """Random order, in place."""
        if axis != 0 and not isinstance(x, C.array_base) and not hasattr(x, "__array_interface__"):
            raise NotImplementedError("Axis argument is only supported on ndarray objects")
        _shuffle(lambda a: self._own.shuffle(a, axis), x)

    def permuted(self, x, *, axis=None, out=None):
        """A copy in which each slice has an order of its own."""
        if out is not None and not isinstance(out, C.array_base):
            raise TypeError("out must be a numpy array")
        made = self._own.permuted(asarray(x), axis, out)
        return made if out is None else out

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """Vectors of a normal distribution."""
        return self._own.multivariate_normal(mean, cov, size, check_valid, tol, method)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """Counts of colours in a sample."""
        if method == "count" and sum(C.ravel(asarray(colors)).tolist()) > _MOST_COLOURS:
            raise ValueError(f"When method is 'count', sum(colors) must not exceed {_MOST_COLOURS}")
        return self._own.multivariate_hypergeometric(colors, nsample, size, method)

    def spawn(self, n_children):
        """Generators with spawned seeds."""
        return [Generator(b) for b in self.bit_generator.spawn(n_children)]

    def __reduce__(self):
        return Generator, (self.bit_generator,)

    def __str__(self):
        return f"Generator({type(self.bit_generator).__name__})"

    def __repr__(self):
        return f"{self} at 0x{id(self):X}"


class RandomState(_Draws):
    """The streams of NumPy 1.16 and before."""

    _poisson_lam_max = 9.223372006484771e18

    def __init__(self, seed=None):
        if isinstance(seed, BitGenerator):
            self._bit_generator, self._own = seed, _R.RandomState(seed._own)
            return
        self._own = _R.RandomState()
        self._bit_generator = BitGenerator._of(self._own.bit_generator())
        if seed is not None:
            self.seed(seed)

    def get_state(self, legacy=True):
        """The state, as a tuple (of MT19937) or a dictionary."""
        *_, has_gauss, gauss = self._own.bit_generator().state()
        state = {**self._bit_generator.state, "has_gauss": int(has_gauss), "gauss": gauss}
        if legacy and state["bit_generator"] != "MT19937":
            warnings.warn("get_state and legacy can only be used with the MT19937 BitGenerator. To silence this warning, set "
                          "`legacy` to False.", RuntimeWarning, stacklevel=2)
            return state
        if not legacy:
            return state
        return "MT19937", state["state"]["key"], state["state"]["pos"], int(has_gauss), gauss

    def set_state(self, state):
        """Goes on from what get_state() gave."""
        if isinstance(state, dict):
            if "bit_generator" not in state or "state" not in state:
                raise ValueError("state dictionary is not valid.")
            whole = state
        else:
            if not isinstance(state, (tuple, list)):
                raise TypeError("state must be a dict or a tuple.")
            if state[0] != "MT19937":
                raise ValueError("set_state can only be used with legacy MT19937 state instances.")
            whole = {"bit_generator": "MT19937", "state": {"key": state[1], "pos": state[2]}}
            if len(state) > 3:
                whole.update(has_gauss=state[3], gauss=state[4])
        self._bit_generator.state = whole
        if whole.get("has_gauss"):
            raw = list(self._own.bit_generator().state())
            raw[-2:] = [True, float(whole["gauss"])]
            self._own.bit_generator().set_state(*raw)

    def __getstate__(self):
        return self.get_state(legacy=False)

    def __setstate__(self, state):
        self.set_state(state)

    def __reduce__(self):
        return _rebuilt_random_state, (type(self._bit_generator).__name__,), self.get_state(legacy=False)

    def __str__(self):
        return f"RandomState({type(self._bit_generator).__name__})"

    def __repr__(self):
        return f"{self} at 0x{id(self):X}"

    def seed(self, seed=None):
        """Begins anew."""
        if seed is None:
            self._own.seed(None, False)
            return
        try:
            value = operator.index(seed)
        except TypeError:
            seed = asarray(seed)
            if seed.ndim == 0:
                raise TypeError(f"Cannot cast scalar from {seed.dtype!r} to dtype('int64') according to the rule 'safe'") from None
            if seed.size == 0:
                raise ValueError("Seed must be non-empty") from None
            if seed.ndim != 1:
                raise ValueError("Seed array must be 1-d") from None
            if seed.dtype.kind not in "iu":
                raise TypeError(f"Cannot cast array data from {seed.dtype!r} to dtype('int64') according to the rule 'safe'") from None
            words = seed.tolist()
            if any(not 0 <= w < 2 ** 32 for w in words):
                raise ValueError("Seed must be between 0 and 2**32 - 1") from None
            self._own.seed(words, True)
            return
        if not 0 <= value < 2 ** 32:
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        self._own.seed([value], False)

    def random_sample(self, size=None):
        """Numbers in [0, 1)."""
        return self._own.random(size)

    random = random_sample

    def rand(self, *args):
        """Numbers in [0, 1), the shape as arguments."""
        return self._own.random(args if args else None)

    def randn(self, *args):
        """Numbers of the normal distribution, the shape as arguments."""
        return self._own.standard_normal(args if args else None)

    def standard_normal(self, size=None):
        """Numbers of the normal distribution."""
        return self._own.standard_normal(size)

    def standard_exponential(self, size=None):
        """Numbers of the exponential distribution."""
        return self._own.standard_exponential(size)

    def standard_gamma(self, shape, size=None):
        """Numbers of the gamma distribution."""
        return self._own.standard_gamma(shape, size)

    def random_integers(self, low, high=None, size=None):
        """Integers in [low, high], both ends included (NumPy's old name)."""
        instead = f"randint(1, {low} + 1)" if high is None else f"randint({low}, {high} + 1)"
        warnings.warn(f"This function is deprecated. Please call {instead} instead", DeprecationWarning, stacklevel=2)
        low, high = (1, low) if high is None else (low, high)
        if low > high:
            raise ValueError(f"low >= high: {low} >= {high}")
        return self.randint(low, int(high) + 1, size=size, dtype=C.int64)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers in [low, high)."""
        _integer_bounds(low, high, dtype, False, "randint")
        if not C.dtype(dtype).isnative:
            warnings.warn(f"{_FOREIGN_ORDER}\nIn future version, providing byteorder will raise a ValueError", DeprecationWarning,
                          stacklevel=2)
            dtype = C.dtype(dtype).newbyteorder("=")
        made = self._own.randint(low, high, size, dtype)
        return dtype(made.item()) if size is None and dtype in (int, bool) and made._is_scalar else made

    def tomaxint(self, size=None):
        """Integers up to the largest."""
        return self._own.tomaxint(size)

    def multinomial(self, n, pvals, size=None):
        """Counts of the outcomes of n throws; one table of probabilities."""
        if asarray(pvals).ndim > 1:
            raise ValueError("setting an array element with a sequence. The requested array would exceed the maximum number of "
                             "dimension of 1.")
        if asarray(pvals).size == 0:
            shape = () if size is None else size if hasattr(size, "__len__") else (size,)
            return C.full((*shape, 0), 0, C.int64)
        return super().multinomial(n, pvals, size)

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a, or of arange(a)."""
        return self._own.choice(_population(a), size, bool(replace), p, 0, True)

    def permutation(self, x):
        """A copy in random order."""
        x = _population(x)
        if not isinstance(x, int) and x.ndim < 1:
            raise IndexError("x must be an integer or at least 1-dimensional")
        return self._own.permutation(x)

    def shuffle(self, x):
        """Random order, in place."""
        _shuffle(self._own.shuffle, x)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        """Vectors of a normal distribution."""
        return self._own.multivariate_normal(mean, cov, size, check_valid, tol, "svd")


def _rebuilt_random_state(name):
    return RandomState(globals()[name](0))


def default_rng(seed=None):
    """A Generator over PCG64 with this seed, or over the source given."""
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, BitGenerator):
        return Generator(seed)
    if isinstance(seed, RandomState):
        return Generator(seed._bit_generator)
    return Generator(PCG64(seed))


def get_bit_generator():
    """The source of the functions of this module."""
    return _global._bit_generator


def set_bit_generator(bitgen):
    """Another source for the functions of this module."""
    if not isinstance(bitgen, BitGenerator):
        raise TypeError(f"expected a bit generator, got {type(bitgen).__name__}")
    _global._bit_generator, _global._own = bitgen, _R.RandomState(bitgen._own)


# The functions of numjit.random: one RandomState of the process.
_global = RandomState()
for _name in [n for n in dir(RandomState) if not n.startswith("_")]:
    globals()[_name] = getattr(_global, _name)


def seed(seed=None):
    """The functions of this module begin anew from a seed, whatever source they have."""
    if isinstance(_global._bit_generator, MT19937):
        _global.seed(seed)
    else:
        _global._bit_generator.state = type(_global._bit_generator)(seed).state


ranf = sample = random_sample = _global.random_sample

__all__ = ["BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64", "SeedSequence", "default_rng",
           "get_bit_generator", "set_bit_generator",
           "ranf", "sample", *(n for n in dir(RandomState) if not n.startswith("_"))]
