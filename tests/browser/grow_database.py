#!/usr/bin/env python3
"""Copies the subjects of a results database until its last run has a given number of rows, to measure the page.

    grow_database.py results.db large.db --rows 1000000

The copies are named synthetic:1, synthetic:2 ...; every axis value, plan, trace and finding is one that flashgate wrote.
"""

import argparse
import shutil
import sqlite3

TABLES = ["plan", "verdict", "cell_execution"]


def copy_subject(db, run, subject, number):
    """Adds a subject that decides as `subject` does."""
    new = db.execute(
        "INSERT INTO subject (name, description) VALUES (?, 'copy')", (f"synthetic:{number}",)
    ).lastrowid
    for table in TABLES:
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        values = ", ".join("?1" if column == "subject" else column for column in columns)
        db.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table} WHERE run = ?2 AND subject = ?3",
            (new, run, subject),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--rows", type=int, required=True)
    arguments = parser.parse_args()
    shutil.copyfile(arguments.source, arguments.target)
    db = sqlite3.connect(arguments.target)
    run = db.execute("SELECT max(id) FROM run").fetchone()[0]
    subjects = [row[0] for row in db.execute("SELECT DISTINCT subject FROM plan WHERE run = ?", (run,))]
    count = "SELECT count(*) FROM plan WHERE run = ? AND rank = 0"
    number = 0
    while db.execute(count, (run,)).fetchone()[0] < arguments.rows:
        copy_subject(db, run, subjects[number % len(subjects)], number + 1)
        number += 1
    rows = db.execute(count, (run,)).fetchone()[0]
    db.execute("UPDATE run SET selected = ? WHERE id = ?", (rows, run))
    db.commit()
    print(f"{arguments.target}: {rows} rows")


if __name__ == "__main__":
    main()
