# The pytest plugin of `flashgate watch`, loaded through PYTEST_ADDOPTS. It says which tests there are, which one runs
# and how each phase of it ended, one JSON object a line, and leaves out those that earlier passes are done with.
import json
import os

import pytest

_LONGEST_TEXT = 2000  # a line must fit into one atomic write to a pipe, 4096 bytes

_events = -1


def _say(event, **fields):
    fields["event"] = event
    line = (json.dumps(fields) + "\n").encode()
    try:
        os.write(_events, line)
    except OSError:
        pass  # the watcher is gone; tests go on


def _done_tests():
    try:
        with open(os.environ["FLASHGATE_WATCH_DONE"]) as file:
            return set(json.load(file))
    except (KeyError, OSError, ValueError):
        return set()


def pytest_configure(config):
    global _events
    # Workers of xdist report to their controller, which has this plugin too.
    if not hasattr(config, "workerinput") and "FLASHGATE_WATCH_EVENTS" in os.environ:
        _events = os.open(os.environ["FLASHGATE_WATCH_EVENTS"], os.O_WRONLY | os.O_CLOEXEC)


def pytest_collection_modifyitems(config, items):
    done = _done_tests()
    left_out = [item for item in items if item.nodeid in done]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in done]


def pytest_collectstart(collector):
    _say("collect", test=collector.nodeid)


def pytest_collection_finish(session):
    _say("collect", test="")
    for item in session.items:
        _say("test", test=item.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node, ids):
    """The controller of xdist collects nothing itself: its workers tell it, each all of them."""
    for test in ids:
        _say("test", test=test)


def pytest_runtest_logstart(nodeid, location):
    _say("start", test=nodeid)


def pytest_runtest_logreport(report):
    text = "" if report.passed else str(report.longrepr)
    _say("report", test=report.nodeid, when=report.when, outcome=report.outcome, seconds=report.duration,
         text=text.encode("ascii", "backslashreplace").decode()[-_LONGEST_TEXT:])


def pytest_runtest_logfinish(nodeid, location):
    _say("finish", test=nodeid)
