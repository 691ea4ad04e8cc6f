"""Keeps checkout code to computing: no network, no other program, no file but to read; what it prints is capped.

A net under well-meant code, on top of what the worker's process is denied (its own network namespace where that is
permitted, limits on memory, time and file size, a scratch home). It is no sandbox against an attacker.
"""

import io
import logging
import os
import sys
import warnings

from session import SESSION

_DENIED = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.kill", "ctypes.",
           "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown",
           "os.truncate", "os.utime", "os.setxattr", "shutil.", "sqlite3.connect",
           "signal.pthread_kill", "ftplib.", "smtplib.", "urllib.", "http.")
_MOST_PRINTED = 64 * 1024


class CappedText(io.TextIOBase):
    """Standard output of checkout code: a log, of which the beginning is kept."""

    def __init__(self, into):
        self.into = into
        self.left = _MOST_PRINTED

    def writable(self):
        return True

    def write(self, text):
        text = str(text)
        if self.left > 0:
            self.into.write(text[: self.left])
            self.into.flush()
            self.left -= len(text)
        return len(text)


def check(event, args):
    if event.startswith(_DENIED):
        deny("checkout code may not do %s" % event)
    if event == "open" and writes(*args[1:3]):
        deny("checkout code may not write files")


def writes(mode, flags):
    """True if open() with this mode, or os.open() with these flags, can change a file."""
    if isinstance(mode, str):
        return any(c in mode for c in "wax+")
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def deny(why):
    """Fails the call, and whatever the code makes of that: its plan is void."""
    SESSION.denied = SESSION.denied or why
    raise PermissionError(why)


def confine():
    sys.stdout = CappedText(sys.__stdout__)
    sys.stderr = CappedText(sys.__stderr__)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sys.addaudithook(check)
