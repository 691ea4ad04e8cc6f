"""Databases and pages that the browser tests look at."""

import sqlite3
import subprocess

PROGRAM = ""  # flashgate; set by the test
FLAKE = "the worker died of signal 11; run again alone: pass"
STACK = "the worker died of signal 11\n\nstack of thread 7\n  attention_rounded(Problem const&)"


def flashgate(*arguments, expected=(0,)):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in expected:
        raise AssertionError(f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def plant_execution(db):
    """Suite tiny executes nothing: gives a cell that passes an execution just within its bound, and one that crashed,
    but not when it was run again alone. Returns the cell's subject and name."""
    subject, cell = db.execute("SELECT subject, cell FROM plan WHERE verdict = 'pass' AND rank = 0 AND run = 2 "
                               "AND forward_version IS NOT NULL ORDER BY subject DESC, cell DESC").fetchone()
    values = {"run": 2, "digest": "0123", "name": "v2/family=causal", "backend": "emulated", "kernel": "v2",
              "evidence": "L1", "verdict": "pass", "seconds": 0.5}
    for _, column, kind, required, _, _ in db.execute("PRAGMA table_info(execution)").fetchall():
        if required and column not in values:
            values[column] = "x" if kind == "TEXT" else 1
    execution = insert(db, "execution", values)
    for tensor, ratio in [("O", 0.97), ("LSE", 0.1)]:
        metric = {"execution": execution, "tensor": tensor, "max_abs": 1e-3, "max_rel": 1e-2, "bound_ratio": ratio,
                  "field_rule_ratio": 0.5, "ulp_histogram": "[90, 9, 0, 1, 0, 0, 0, 0, 0, 2]", "worst_index": "[0, 1, 2, 3]"}
        for _, column, _, required, _, _ in db.execute("PRAGMA table_info(metric)").fetchall():
            if required and column not in metric:
                metric[column] = 0
        insert(db, "metric", metric)
    values |= {"digest": "4567", "name": "v2/family=document", "verdict": "crash", "check_id": "crash", "detail": FLAKE}
    crashed = insert(db, "execution", values)
    insert(db, "incident", {"run": 2, "execution": crashed, "check_id": "crash", "kind": "crash", "detail": STACK})
    for number in (execution, crashed):
        insert(db, "cell_execution", {"run": 2, "subject": subject, "cell": cell, "execution": number})
    for run in (1, 2):  # in both, or it would be a change
        insert(db, "verdict", {"run": run, "subject": subject, "cell": cell, "check_id": "crash", "verdict": "crash",
                               "outcome": "flake", "detail": FLAKE})
    db.execute("UPDATE plan SET verdict = 'crash' WHERE subject = ? AND cell = ?", (subject, cell))
    return names_of(db, subject, cell)


def names_of(db, subject, cell):
    return db.execute("SELECT subject.name, cell.name FROM subject, cell WHERE subject.id = ? AND cell.id = ?",
                      (subject, cell)).fetchone()


def insert(db, table, values):
    columns, places = ", ".join(values), ", ".join("?" * len(values))
    return db.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(values.values())).lastrowid


def make_database(path):
    """Two runs of suite tiny; in the second, a cell that passed fails I4, and one has executions. Returns both cells."""
    for _ in range(2):
        flashgate("run", "--suite", "tiny", "--db", path, "--no-expectations", expected=(0, 1))
    db = sqlite3.connect(path)
    run, subject, cell = db.execute(
        "SELECT run, subject, cell FROM plan WHERE verdict = 'pass' AND rank = 0 AND run = 2 "
        "ORDER BY subject DESC, cell LIMIT 1").fetchone()
    db.execute("UPDATE plan SET verdict = 'fail', passed_checks = 0 WHERE run = ? AND subject = ? AND cell = ?",
               (run, subject, cell))
    db.execute("INSERT INTO verdict VALUES (?, ?, ?, 'I4', 'fail', 'as_is', 'planted by the test')", (run, subject, cell))
    executed = plant_execution(db)
    db.commit()
    return names_of(db, subject, cell), executed
