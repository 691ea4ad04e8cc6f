#!/usr/bin/env python3
"""A subject of flashgate in Python: a dispatcher that runs version 3 where it can, else 2.

    flashgate run --suite smoke --subject "exec:python3 examples/subjects/always_three.py"
"""

import json
import os
import socket

PATHS = ["rr_flashmask", "rr_flash", "cp_flashmask", "rr_cp_flashmask", "paddle_functional"]


def choose(cell):
    """The version this dispatcher runs, and the decisions that led to it."""
    hopper = cell["device"] == "sm90"
    unstable = cell["deterministic"] and (cell["signature"] == "legacy" or cell["head_dim"] > 128)
    trace = [["fwd", "device is sm90", "yes" if hopper else "no"]]
    if hopper:
        trace.append(["fwd", "v3 would not be deterministic", "yes" if unstable else "no"])
    return (3 if hopper and not unstable else 2), trace


def plan(cell):
    if cell["flag_version"] not in (2, 3, 4):
        message = "version %d does not exist" % cell["flag_version"]
        return {"error": {"phase": "fwd", "kind": "ValueError", "message": message}}
    version, trace = choose(cell)
    launch = {"version": version}  # flashgate fills in the call that a correct caller makes
    return {"forward": launch, "backward": launch, "handed": version, "lse": version, "trace": trace}


stream = socket.socket(fileno=int(os.environ["FLASHGATE_PROTOCOL_FD"])).makefile("rw")
for line in stream:
    message = json.loads(line)
    if "hello" in message:
        answers = [{"hello": {"protocol": 1, "name": "always three", "revision": "1", "paths": PATHS}}]
    else:
        batch = message["batch"]
        answers = [{"batch": batch, "cell": cell["id"], "ranks": [plan(cell) for _ in cell["worlds"]]}
                   for cell in message["cells"]]
        answers.append({"batch": batch, "done": True})
    stream.writelines(json.dumps(answer) + "\n" for answer in answers)
    stream.flush()
