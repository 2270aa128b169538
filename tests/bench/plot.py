"""Horizontal bars on a logarithmic scale as SVG, readable on light and dark pages."""
import math
from html import escape

ROW, LABEL, WIDTH, RIGHT, TOP = 18, 380, 420, 130, 44
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.faint { fill: #6e7781 }
.grid { stroke: #d0d7de }
.one { stroke: #24292f }
.more { fill: #1a7f5a }
.less { fill: #cf4a3c }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .faint { fill: #8b949e }
  .grid { stroke: #30363d }
  .one { stroke: #e6edf3 }
  .more { fill: #3fb98a }
  .less { fill: #f0776a }
}
"""


def ticks(low: float, high: float) -> list:
    """1, 2, 5 times powers of ten within the bounds."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return [m * 10.0**e for e in range(first, last + 1) for m in (1, 2, 5) if low <= m * 10.0**e <= high]


def plot(bars, title: str) -> str:
    """bars: (label, value, note). A bar starts at 1 and goes right if its value is larger, left if smaller."""
    low = min([0.5] + [0.9 * value for _, value, _ in bars])
    high = max([2.0] + [1.1 * value for _, value, _ in bars])
    scale = WIDTH / math.log(high / low)
    x = lambda value: LABEL + scale * math.log(value / low)
    bottom = TOP + ROW * len(bars)
    parts = [f'<text class="title" x="8" y="18">{escape(title)}</text>']
    for tick in ticks(low, high):
        kind = "one" if tick == 1 else "grid"
        parts.append(f'<line class="{kind}" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP - 4}" y2="{bottom}"/>')
        parts.append(f'<text class="faint" x="{x(tick):.1f}" y="{TOP - 8}" text-anchor="middle">{tick:g}</text>')
    for i, (label, value, note) in enumerate(bars):
        y, left, right = TOP + ROW * i, min(x(1), x(value)), max(x(1), x(value))
        parts.append(f'<text x="{LABEL - 8}" y="{y + 13}" text-anchor="end">{escape(label)}</text>')
        parts.append(f'<rect class="{"more" if value >= 1 else "less"}" x="{left:.1f}" y="{y + 3}" '
                     f'width="{max(1.0, right - left):.1f}" height="{ROW - 6}" rx="2"/>')
        parts.append(f'<text class="faint" x="{right + 5:.1f}" y="{y + 13}">{value:.2g} {escape(note)}</text>')
    size = f'width="{LABEL + WIDTH + RIGHT}" height="{bottom + 12}"'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {LABEL + WIDTH + RIGHT} {bottom + 12}" '
            f'role="img"><title>{escape(title)}</title><style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n")
