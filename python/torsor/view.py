"""A page to play with a robot, as `torsor view` opens it."""
from __future__ import annotations

import atexit
import webbrowser
from html import escape
from typing import Any, Optional, Sequence, Set

from . import _torsor
from ._torsor import Error, Robot
from .results import Array

_open: "Set[View]" = set()  # a page stays though nobody holds its View


class View:
    """The page of Robot.show: its address is `url`, and it is served until close() or the end of Python.

    `q` is where the robot stands; it may be set. Pages are on this machine alone, for whoever has the
    address. A view is a context manager, too.

    >>> with torsor.Robot("puma560").show(browser=False) as view:
    ...     view.q = [0.1, -0.5, 0.5, 0, 0.3, 0]
    ...     round(float(view.q[1]), 3)
    -0.5
    """

    def __init__(self, robot: Robot, q: Any, port: int, package_folders: Optional[Sequence[str]]) -> None:
        self.robot = robot
        html, script, style = _torsor._view_page()
        if not script:
            raise Error("show: this torsor was built without its pages (npm ci in viewer/)")
        try:
            from . import _view
        except ImportError as error:
            raise Error("show: this torsor was built without its server (libcpp-httplib-dev): "
                        f"{error}") from None
        self._session = _torsor._view_session(robot, q, package_folders)
        self._server = _view.Server(self._session, html, script, style, port)
        _open.add(self)

    @property
    def url(self) -> str:
        """With its token: whoever has it may move the robot on the page."""
        return str(self._server.url)

    @property
    def q(self) -> Array:
        """Where the robot stands; setting it moves the robot on all open pages."""
        return self._session.q

    @q.setter
    def q(self, q: Any) -> None:
        self._session.move(q)

    @property
    def is_open(self) -> bool:
        """Until close()."""
        return bool(self._server.is_open)

    def close(self) -> None:
        """Ends the server; pages say so.

        >>> view = torsor.Robot("puma560").show(browser=False)
        >>> view.close()
        >>> view.is_open
        False
        """
        self._server.close()
        _open.discard(self)

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a torsor.View serves a page and is neither copied nor pickled: pickle its robot and q")

    def __repr__(self) -> str:
        return f"<torsor.View of {self.robot.name!r}: {self.url if self.is_open else 'closed'}>"

    def _repr_html_(self) -> str:
        name = escape(self.robot.name)
        if not self.is_open:
            return f"torsor view of {name}, closed"
        return f'<a href="{self.url}" target="_blank" rel="noopener">torsor view of {name}</a>'


def show(robot: Robot, q: Any = None, *, browser: bool = True, port: int = 0,
         package_folders: Optional[Sequence[str]] = None) -> View:
    """Opens a page to play with the robot: sliders, a tool to drag, matrices, laws (docs/view.md).

    Returns a View, which serves it until it is closed or Python ends. q: to begin with, else neutral.
    port 0: any that is free. package_folders: where the robot's meshes are looked for, too.

    >>> view = torsor.Robot("puma560").show(browser=False)
    >>> view.url.startswith("http://127.0.0.1:")
    True
    >>> view.close()
    """
    view = View(robot, q, port, package_folders)
    if browser:
        webbrowser.open(view.url)
    return view


@atexit.register
def _close_all() -> None:
    for view in list(_open):
        view.close()
