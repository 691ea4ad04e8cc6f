"""Puts texts that break what does not escape them into every free text of a results database."""

import sqlite3

SCRIPT = "window.hacked=1"
HOSTILE_TEXTS = [
    f"<script>{SCRIPT}</script>",
    f"</script><script>{SCRIPT}</script>",
    f"<img src=x onerror={SCRIPT}>",
    f"</style></title><svg onload={SCRIPT}>",
    f"</textarea></noscript><iframe srcdoc='<script>{SCRIPT}</script>'>",
    f"\" onmouseover=\"{SCRIPT}",
    f"' onfocus='{SCRIPT}' autofocus='",
    f"javascript:{SCRIPT}",
    f"<a href=\"javascript:{SCRIPT}\">x</a>",
    "<!-- comment --> ]]> <![CDATA[",
    "</body></html>",
    "<marquee>moves</marquee>",
    "<form action=http://example.org><input name=x>",
    "<link rel=stylesheet href=http://example.org/x.css>",
    "<base href=http://example.org/>",
    "&lt;script&gt; &amp; &#60; &quot;",
    "{{7*7}} ${7*7} #{7*7} {0} %s %n",
    "back\\slash \\u003cscript\\u003e \\\" \\n",
    "line\nbreak\r\ttab",
    "bell\x07 escape\x1b[31m c1\u009b31m delete\x7f",
    "right\u202eto left",
    "line\u2028separator\u2029paragraph",
    "zero\u200bwidth \ufeff bom",
    "emoji \U0001f600 \U0001f468\u200d\U0001f469",
    "combining " + "a\u0301" * 20,
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "'; DROP TABLE run; --",
    "$(reboot) `reboot` && rm -rf ~",
    "../../etc/passwd",
    "__proto__",
    "constructor",
    "|pipe| ~tilde~ #?f.subject=x",
    " ",
    "x" * 1_000_000,
    "<" * 50_000,
]
BROKEN_UTF8 = b"broken \xff\xc3( \xe2\x82 utf-8 \xed\xa0\x80 \xf0\x9f"

# Free text of the schema, by table.
PLACES = {
    "run": ["name", "suite_digest", "options", "flashgate_commit", "compiler", "build_type", "machine", "started",
            "finished"],
    "run_part": ["options", "machine", "started", "finished"],
    "subject": ["name", "description"],
    "run_subject": ["description"],
    "excluded": ["reason"],
    "plan": ["forward_kernel", "backward_kernel", "lse_layout", "error_kind", "error_message"],
    "trace_step": ["decision", "outcome"],
    "coverage_line": ["file"],
    "execution": ["name", "backend", "kernel", "kernel_hash", "dtype", "direction", "mask_family", "causal", "digest",
                  "check_id", "detail"],
    "execution_finding": ["check_id", "detail"],
    "metric": ["tensor", "ulp_histogram", "worst_index"],
    "verdict": ["check_id", "detail"],
    "incident": ["check_id", "kind", "detail"],
    "expectation_use": ["file", "text", "reason", "status"],
    "cell": ["name"],  # of watched tests; every other name parses as a cell
}
# What flashgate reads back as one of its own words, and says what is wrong if it is none; and what it only compares.
OWN_WORDS = {
    "verdict_level": ["verdict"],
    "check_rule": ["check_id", "title"],
    "run": ["suite"],
    "run_part": ["shard", "whole_digest"],
    "plan": ["error_phase", "verdict"],
    "trace_step": ["phase"],
    "execution": ["evidence", "verdict"],
    "execution_finding": ["verdict", "outcome"],
    "verdict": ["verdict", "outcome"],
}


def text_columns(db):
    """Every column of every table that holds text, but for the axes'."""
    tables = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {}
    for table in tables:
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[2] == "TEXT"]
        found[table] = {"name"} if table == "cell" else set(columns)
    return {table: columns for table, columns in found.items() if columns}


def known_columns():
    return {table: set(PLACES.get(table, [])) | set(OWN_WORDS.get(table, [])) for table in PLACES | OWN_WORDS}


def add_rows(db):
    """Rows of the tables that a plain run leaves empty, and a watched test for each text."""
    run, subject, cell = db.execute("SELECT run, subject, cell FROM plan WHERE run = 2 AND rank = 0 LIMIT 1").fetchone()
    db.execute("INSERT INTO incident (run, subject, cell, check_id, kind) VALUES (?, ?, ?, 'x', 'hang')", (run, subject, cell))
    db.execute("INSERT OR IGNORE INTO excluded VALUES (2, 'x', 1)")
    db.execute("INSERT INTO expectation_use VALUES (2, 'f', 999, 't', 'r', 'expired', 0, 0)")
    for shard in range(1, 41):
        db.execute("INSERT INTO run_part VALUES (2, ?, 'digest', 1, 'o', 'm', 's', 'f', 0)", (f"{shard}/40",))
        db.execute("INSERT OR IGNORE INTO coverage_line VALUES (2, ?, ?, ?, 0, NULL)", (subject, f"file {shard}", shard))
    axes = [row[1] for row in db.execute("PRAGMA table_info(cell)") if row[1] not in ("id", "name")]
    for number in range(len(HOSTILE_TEXTS)):
        test = db.execute(f"INSERT INTO cell (name, {', '.join(axes)}) VALUES (?{', ?' * len(axes)})",
                          (f"test:{number}", *[""] * len(axes))).lastrowid
        db.execute("INSERT INTO verdict VALUES (2, ?, ?, 'watch', 'fail', 'as_is', 'x')", (subject, test))


def make_hostile(path):
    """Overwrites the places one after the other with the texts in turn; texts that must differ get a number."""
    db = sqlite3.connect(path)
    assert text_columns(db) == known_columns(), "a text column that is neither in PLACES nor in OWN_WORDS"
    add_rows(db)
    number = 0
    for table, columns in PLACES.items():
        keys = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[5]]
        only = "WHERE name GLOB 'test:*'" if table == "cell" else ""
        for row in db.execute(f"SELECT {', '.join(keys)} FROM {table} {only}").fetchall():
            where = " AND ".join(f"{key} = ?" for key in keys)
            texts = []
            for _ in columns:
                text = HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]
                number += 1
                if len(text) > 10_000 and number > 400:  # long ones a few times only, or the file grows to gigabytes
                    text = text[:50]
                texts.append(f"{text} {number}")
            if number % 7 == 0:
                texts[0] = BROKEN_UTF8 + str(number).encode()
            if table == "cell":
                texts[0] = b"test:" + (texts[0] if isinstance(texts[0], bytes) else texts[0].encode())
            setting = ", ".join(f"{column} = CAST(? AS TEXT)" for column in columns)
            db.execute(f"UPDATE {table} SET {setting} WHERE {where}", (*texts, *row))
    db.commit()
