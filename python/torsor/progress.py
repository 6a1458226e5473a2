"""Progress in a terminal or a notebook, and what Ctrl-C leaves."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Union

ProgressOption = Union[bool, None, Callable[[float], Any]]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped long work; `result` holds what was done by then.

    >>> issubclass(torsor.Interrupted, KeyboardInterrupt)
    True
    """

    def __init__(self, result: Any = None) -> None:
        super().__init__("interrupted; what was done is in .result of this exception")
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (self.result,)


class Bar:
    """A line that shows how far work is; it appears when the work takes longer than a second."""

    width = 30

    def __init__(self, what: str) -> None:
        self.what = what
        self.begin = time.monotonic()
        self.shown = False

    def __call__(self, share: float) -> None:
        seconds = time.monotonic() - self.begin
        if seconds < 1 and not self.shown:
            return
        share = min(max(share, 0.0), 1.0)
        filled = int(self.width * share)
        left = f", {seconds * (1 - share) / share:.0f} s left" if share > 0 else ""
        text = f"\r{self.what} [{'#' * filled}{'.' * (self.width - filled)}] {100 * share:3.0f} %{left}"
        sys.stderr.write(text.ljust(78))
        sys.stderr.flush()
        self.shown = True

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * 78 + "\r")
            sys.stderr.flush()


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    kernel = shell.get_ipython()
    return kernel is not None and hasattr(kernel, "kernel")


class Shown:
    """with Shown(progress, "simulate") as told: the function that work tells how far it is, or None."""

    def __init__(self, progress: ProgressOption, what: str) -> None:
        self.bar: Optional[Bar] = None
        self.function: Optional[Callable[[float], Any]] = None
        if callable(progress):
            self.function = progress
        elif progress or (progress is None and (sys.stderr.isatty() or in_notebook())):
            self.bar = Bar(what)
            self.function = self.bar

    def __enter__(self) -> Optional[Callable[[float], Any]]:
        return self.function

    def __exit__(self, *error: Any) -> None:
        if self.bar:
            self.bar.end()
