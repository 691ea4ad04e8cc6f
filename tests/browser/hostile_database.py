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

# Free text of the schema, but for the names of cells, axis values and verdicts, which flashgate checks itself.
PLACES = {
    "run": ["options", "flashgate_commit", "compiler", "build_type", "machine", "started"],
    "subject": ["name", "description"],
    "run_subject": ["description"],
    "excluded": ["reason"],
    "plan": ["forward_kernel", "backward_kernel", "lse_layout", "error_kind", "error_message"],
    "trace_step": ["decision", "outcome"],
    "execution": ["name", "backend", "kernel", "dtype", "digest", "check_id", "detail"],
    "metric": ["tensor", "ulp_histogram", "worst_index"],
    "verdict": ["check_id", "detail"],
    "incident": ["check_id", "kind", "detail"],
    "expectation_use": ["file", "text", "reason", "status"],
}


def make_hostile(path):
    """Overwrites the places one after the other with the texts in turn; texts that must differ get a number."""
    db = sqlite3.connect(path)
    run, subject, cell = db.execute("SELECT run, subject, cell FROM plan WHERE run = 2 AND rank = 0 LIMIT 1").fetchone()
    db.execute("INSERT INTO incident (run, subject, cell, check_id, kind) VALUES (?, ?, ?, 'x', 'hang')", (run, subject, cell))
    db.execute("INSERT OR IGNORE INTO excluded VALUES (2, 'x', 1)")
    db.execute("INSERT INTO expectation_use VALUES (2, 'f', 999, 't', 'r', 'expired', 0, 0)")
    number = 0
    for table, columns in PLACES.items():
        keys = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[5]]
        for row in db.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall():
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
            setting = ", ".join(f"{column} = CAST(? AS TEXT)" for column in columns)
            db.execute(f"UPDATE {table} SET {setting} WHERE {where}", (*texts, *row))
    db.commit()
