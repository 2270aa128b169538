"""Coroutines and generators under numjit.compile: each stretch up to the next await or yield is recorded as a call."""
import types

_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200  # flags of code objects


@types.coroutine
def _drive(step, inner):
    """Goes through a coroutine or generator, each stretch by `step`."""
    value = thrown = None
    while True:
        returned, result = step(inner, value, thrown)
        if returned:
            return result
        value = thrown = None
        try:
            value = yield result
        except GeneratorExit:
            inner.close()
            raise
        except BaseException as error:  # the body's, as that of the caller
            thrown = error


def _async_generator(fn, step):
    async def call(*args, **kwargs):
        inner = fn(*args, **kwargs)
        value = thrown = None
        while True:
            stretch = inner.asend(value) if thrown is None else inner.athrow(thrown)
            try:
                result = await _drive(step, stretch)
            except StopAsyncIteration:
                return
            value = thrown = None
            try:
                value = yield result
            except GeneratorExit:
                await inner.aclose()
                raise
            except BaseException as error:
                thrown = error
    return call


def _coroutine(fn, step):
    async def call(*args, **kwargs):
        return await _drive(step, fn(*args, **kwargs))
    return call


def _generator(fn, step):
    def call(*args, **kwargs):
        return (yield from _drive(step, fn(*args, **kwargs)))
    return call


def goes_on(fn):
    """The maker of the function that takes the place of one that goes on after it has returned; None for others."""
    flags = getattr(getattr(fn, "__code__", None), "co_flags", 0)
    if flags & _ASYNC_GENERATOR:
        return _async_generator
    if flags & _COROUTINE:
        return _coroutine
    return _generator if flags & _GENERATOR else None
