"""Loops that most lanes have left: those that go on are put together, and put back where the loop ends."""
import math

from . import _core as C
from ._functions import zeros
from ._lane_source import Refusal
from ._lane_values import Lane, is_number, select, where

WORTH = 4096  # lanes from which on it pays


def taken(run, v, chosen):
    """A value in the chosen lanes only."""
    if not isinstance(v, Lane):
        return v
    tag = v.tag if v.tag is None or isinstance(v.tag, bool) else _chosen(run, v.tag, chosen)
    return Lane(_chosen(run, v.a, chosen), v.kind, v.how, v.first, v.low, v.high, tag)


def _chosen(run, a, chosen):
    return C.ravel(C.broadcast_to(a, run.shape)).take(chosen)


def _spread(a, chosen, shape):
    made = zeros(math.prod(shape), a.dtype)
    made[chosen] = C.broadcast_to(a, chosen.shape)
    return C.reshape(made, shape)


def _mask(mask, chosen, shape):
    """A mask of the chosen lanes as one of all."""
    return mask if mask is False else _spread(where(True, True, False) if mask is None else mask, chosen, shape)


class Packed:
    """What a frame was before lanes of it went on alone."""

    def __init__(self, frame, loop, alive):
        run = frame.run
        self.frame, self.loop, self.shape, self.bad = frame, loop, run.shape, run.bad
        self.names, self.live, self.returned, self.result = dict(frame.names), frame.live, frame.returned, frame.result
        self.broken, self.left, self.items = loop.broken, loop.left, loop.items
        self.chosen = C.functions.flatnonzero(C.broadcast_to(alive, run.shape))
        frame.names = {name: taken(run, v, self.chosen) for name, v in frame.names.items()}
        if loop.items is not None:
            loop.items = loop.items.in_lanes(lambda v: taken(run, v, self.chosen))
        run.shape, run.bad = self.chosen.shape, None
        frame.live, frame.returned, frame.result, loop.broken, loop.left = None, False, None, False, False

    def unpack(self):
        """All lanes again, with what those that went on have become."""
        frame, loop, run = self.frame, self.loop, self.frame.run
        bad = None if run.bad is None else self.spread_mask(None if run.bad is True else run.bad)
        run.bad = bad if self.bad is None else self.bad if bad is None else self.bad | bad
        run.shape, loop.left, loop.items = self.shape, True, self.items
        broken = self.spread_mask(loop.broken)
        loop.broken = broken if self.broken is False else self.broken if broken is False else self.broken | broken
        if frame.returned is not False:
            returned, result = self.spread_mask(frame.returned), self.spread(frame.result)
            frame.result = result if self.returned is False else select(run, None, returned, result, self.result)
            frame.returned = returned if self.returned is False else self.returned | returned
        else:
            frame.returned, frame.result = self.returned, self.result
        self.unpack_names(self.spread_mask(None))

    def unpack_names(self, here):
        frame = self.frame
        names, frame.names = frame.names, self.names
        for name, v in names.items():
            given = self.spread(v)
            if name in frame.names:
                try:
                    given = select(frame.run, None, here, given, frame.names[name])
                except Refusal:
                    if name in frame.sure:
                        raise
                    frame.lost.add(name)
            frame.names[name] = given

    def spread(self, v):
        if isinstance(v, tuple):
            return tuple(self.spread(part) for part in v)
        if not isinstance(v, Lane):
            return v
        tag = v.tag if v.tag is None or isinstance(v.tag, bool) else _spread(v.tag, self.chosen, self.shape)
        return Lane(_spread(v.a, self.chosen, self.shape), v.kind, v.how, v.first, v.low, v.high, tag)

    def spread_mask(self, mask):
        return _mask(mask, self.chosen, self.shape)


def pays(frame, count):
    """Is it worth while to go on with those that are alive alone?"""
    lanes = math.prod(frame.run.shape)
    return lanes >= WORTH and 2 * count <= lanes and all(is_number(v) or v is None for v in frame.names.values())
