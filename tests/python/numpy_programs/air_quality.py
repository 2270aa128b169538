"""Air quality of two cities: gaps found and counted, moving averages, indices by pieces, and a paired test."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

BREAKS = np.array([0, 12.0, 35.5, 55.5, 150.5, 250.5])
INDEX = np.array([0, 50, 100, 150, 200, 300.0])
NAMES = ["good", "moderate", "sensitive", "unhealthy", "very unhealthy"]


def inputs():
    rng = np.random.default_rng(17)
    hours = np.arange(24 * 15)
    base = 30 + 12 * np.sin(2 * np.pi * hours / 24)
    north = base + rng.gamma(2, 6, hours.size)
    south = 0.8 * base + rng.gamma(2, 5, hours.size)
    north[rng.random(hours.size) < 0.05] = np.nan
    south[100:112] = -999                    # the sensor was off
    return {"north": north, "south": south}, 24


def moving_mean(a, n):
    windows = sliding_window_view(a, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        count = np.count_nonzero(~np.isnan(windows), axis=-1)
        mean = np.nansum(windows, axis=-1) / count
    mean[count < n // 2] = np.nan
    return mean


def simple_mean(a, n):
    ret = np.cumsum(a, dtype=float)
    ret[n:] = ret[n:] - ret[:-n]
    return ret[n - 1:] / n


def aqi(x):
    slope = np.diff(INDEX) / np.diff(BREAKS)
    conditions, functions = [], []
    for k in range(len(slope)):
        conditions.append((x >= BREAKS[k]) & (x < BREAKS[k + 1]))
        functions.append(lambda v, k=k: INDEX[k] + slope[k] * (v - BREAKS[k]))
    return np.piecewise(x, conditions, functions + [np.nan])


def fill_gaps(x):
    bad = np.isnan(x)
    if not bad.any():
        return x
    filled = x.copy()
    filled[bad] = np.interp(np.flatnonzero(bad), np.flatnonzero(~bad), x[~bad])
    return filled


def run(readings, window):
    missing, daily, worst, levels = {}, {}, {}, {}
    for city, x in readings.items():
        days = x.reshape(-1, 24)
        days[days < 0] = np.nan                  # a view: the readings themselves change
        missing[city] = int(np.isnan(x).sum())
        daily[city] = np.nanmean(days, axis=1)
        worst[city] = np.nanargmax(x), np.nanmax(x), np.nanpercentile(x, [5, 50, 95])
        index = aqi(x)
        counts = np.bincount(np.digitize(index[~np.isnan(index)], INDEX[1:-1]), minlength=len(NAMES))
        levels[city] = dict(zip(NAMES, counts.tolist()))
    readings["smooth"] = np.stack([moving_mean(readings[c], window) for c in ("north", "south")])

    # A paired t test on the days that both have
    a, b = daily["north"], daily["south"]
    diff = (a - b)[~(np.isnan(a) | np.isnan(b))]
    t = diff.mean() / (diff.std(ddof=1) / np.sqrt(diff.size))
    clean = np.array([fill_gaps(readings[c]) for c in ("north", "south")])
    trend = simple_mean(clean[0], 2 * window)
    by_hour = np.nanmedian(readings["north"].reshape(-1, 24), axis=0)
    return missing, daily, worst, levels, t, np.corrcoef(clean), trend, by_hour
