"""Robot.show: the page of torsor view, served by the module itself."""
import http.client
import json
import subprocess
import sys
import textwrap
from urllib.parse import urlparse

import numpy as np
import pytest

import torsor

pytestmark = pytest.mark.skipif(not torsor._torsor._view_page()[1], reason="built without its pages")


@pytest.fixture
def view():
    with torsor.Robot("puma560").show([0.2, -0.6, 0.4, 0.3, 0.8, 0.1], browser=False) as view:
        yield view


def ask(url, place="", body=None, **headers):
    """(status, text) of one request."""
    where = urlparse(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=20)
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request("POST" if body is not None else "GET", where.path + place,
                       None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_the_page_shows_what_the_library_computes(view):
    status, html = ask(view.url)
    assert status == 200 and "view.js" in html
    assert ask(view.url, "view.js")[0] == ask(view.url, "view.css")[0] == 200
    robot = view.robot
    for q in (view.q, robot.random_configuration(5)):
        view.q = q
        np.testing.assert_allclose(view.q, q)
        state = json.loads(ask(view.url, "api/state")[1])
        np.testing.assert_allclose(state["q"], q, rtol=1e-15)
        T = np.array(state["tool"]["T"]).reshape(4, 4)
        np.testing.assert_allclose(T, robot.frame_pose("tool", q), atol=1e-12)
        np.testing.assert_allclose(state["matrices"]["M"], robot.mass_matrix(q), rtol=1e-12)


def test_who_drags_on_the_page_moves_the_view(view):
    to = [0.1, -0.3, 0.2, 0.4, 0.5, -0.6]
    assert ask(view.url, "api/move", {"q": to})[0] == 200
    np.testing.assert_array_equal(view.q, to)
    status, text = ask(view.url, "api/move", {"q": [1, 2]})
    assert status == 400 and "6 numbers" in json.loads(text)["error"]
    np.testing.assert_array_equal(view.q, to)


def test_nobody_else_is_answered(view):
    where = urlparse(view.url)
    wrong = f"http://127.0.0.1:{where.port}/{'0' * 32}/"
    assert ask(wrong)[0] in (403, 404)
    assert ask(view.url, "api/state", Origin="http://evil.example")[0] == 403
    assert ask(view.url, "api/state", Host="evil.example")[0] in (403, 421)
    assert ask(view.url, "../../etc/passwd")[0] >= 400


def test_what_is_wrong_is_one_line():
    robot = torsor.Robot("puma560")
    with pytest.raises(torsor.Error, match="q has 2 numbers, expected 6"):
        robot.show([0, 0], browser=False)
    with robot.show(browser=False) as view:
        port = urlparse(view.url).port
        with pytest.raises(torsor.Error, match=f"port {port} .* is not free"):
            robot.show(browser=False, port=port)
        with pytest.raises(torsor.Error, match="q"):
            view.q = [0, 0]


def test_closed_is_closed(view):
    assert view.is_open and view.url in repr(view) and view.url in view._repr_html_()
    url = view.url
    view.close()
    view.close()
    assert not view.is_open and "closed" in repr(view)
    with pytest.raises(OSError):
        ask(url)


def test_robots_made_in_python_are_shown(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    robot = torsor.Robot("panda").attach_payload("link_7", 1.5)
    view = robot.show()
    assert opened == [view.url]
    state = json.loads(ask(view.url, "api/state")[1])
    np.testing.assert_allclose(state["matrices"]["M"], robot.mass_matrix(view.q), rtol=1e-12)
    view.close()


def test_python_ends_though_a_page_is_open():
    program = textwrap.dedent("""
        import torsor
        a, b = torsor.Robot("puma560").show(browser=False), torsor.Robot("panda").show(browser=False)
        assert a.url != b.url
        print("shown")
        """)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and run.stdout == "shown\n", run.stderr
