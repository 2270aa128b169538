"""What people look at: pictures and tables of arrays, pages of reports."""
import base64
import html
import os
import tempfile
import webbrowser

from . import _core as C
from ._compile import Report
from ._core import array_base
from ._creation import asarray
from ._methods import method
from ._text import array2string

MOST = 12  # rows and columns of a table
SMALLEST_PICTURE = 16  # pixels of a side, below which numbers tell more


def show(what, path=None):
    """Writes an array as a picture (.png, .jpg, .bmp), or a report as a page (.html), and gives the path.

    Without a path it is written to a temporary file and opened in the browser.
    """
    page = what.html(code=True) if isinstance(what, Report) else None
    if page == "":
        raise TypeError("show: got a report without a page, expected one of explain or report_scope.")
    opened = path is None
    if opened:
        handle, path = tempfile.mkstemp(".png" if page is None else ".html", "numjit-")
        os.close(handle)
    path = os.fspath(path)
    if page is None:
        C.imsave(path, C.picture(asarray(what)))
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    if opened:
        webbrowser.open("file://" + path)
    return path


def _is_picture(a):
    return (a.dtype.name == "uint8" and (a.ndim == 2 or a.ndim == 3 and a.shape[2] in (3, 4)) and
            min(a.shape[:2]) >= SMALLEST_PICTURE)


def _shown(n):
    """Places of a long axis that are shown; None stands for those left out."""
    return list(range(n)) if n <= MOST else [*range(MOST // 2), None, *range(n - MOST // 2, n)]


def _table(a):
    rows = a if a.ndim == 2 else a.reshape(1, -1)
    text = ""
    for i in _shown(rows.shape[0]):
        cells = ["…" if i is None or j is None else html.escape(array2string(rows[i, j])) for j in _shown(rows.shape[1])]
        text += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    return f"<table>{text}</table>"


@method
def _repr_html_(self):
    """What a notebook shows: a picture of what has an image's shape, a table of one or two axes, else the text."""
    said = f"<div>{self.dtype.name} {html.escape(str(self.shape))}</div>"
    if _is_picture(self):
        data = base64.b64encode(C.png(self)).decode()
        return f'{said}<img alt="{self.dtype.name} {self.shape}" src="data:image/png;base64,{data}">'
    if self.ndim in (1, 2) and self.size:
        return said + _table(self)
    return f"{said}<pre>{html.escape(str(self))}</pre>"
