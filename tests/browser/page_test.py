#!/usr/bin/python3
"""The page in a real Chromium: what a reader does with it, and what it must never do.

    page_test.py PROGRAM FOLDER

runs PROGRAM (flashgate) to make databases and reports in FOLDER; screenshots stay in FOLDER/screenshots.
"""

import csv
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path

from browser import Page, open_browser
from hostile_database import HOSTILE_TEXTS, make_hostile

PROGRAM = ""
FOLDER = Path()
PLANTED = ("", "")  # subject and cell of the failure that only the second run has


def flashgate(*arguments, expected=(0,)):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in expected:
        raise AssertionError(f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def plant_execution(db):
    """Suite tiny executes nothing: gives a cell that passes an execution that is just within its bound."""
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
                  "field_rule_ratio": 0.5, "ulp_histogram": "[90, 9, 1]", "worst_index": "[0, 1, 2, 3]"}
        for _, column, _, required, _, _ in db.execute("PRAGMA table_info(metric)").fetchall():
            if required and column not in metric:
                metric[column] = 0
        insert(db, "metric", metric)
    insert(db, "cell_execution", {"run": 2, "subject": subject, "cell": cell, "execution": execution})


def insert(db, table, values):
    columns, places = ", ".join(values), ", ".join("?" * len(values))
    return db.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(values.values())).lastrowid


def make_database(path):
    """Two runs of suite tiny; in the second, a cell that passed fails I4, and one has an execution."""
    for _ in range(2):
        flashgate("run", "--suite", "tiny", "--db", path, "--no-expectations", expected=(0, 1))
    db = sqlite3.connect(path)
    run, subject, cell = db.execute(
        "SELECT run, subject, cell FROM plan WHERE verdict = 'pass' AND rank = 0 AND run = 2 "
        "ORDER BY subject DESC, cell LIMIT 1").fetchone()
    db.execute("UPDATE plan SET verdict = 'fail', passed_checks = 0 WHERE run = ? AND subject = ? AND cell = ?",
               (run, subject, cell))
    db.execute("INSERT INTO verdict VALUES (?, ?, ?, 'I4', 'fail', 'as_is', 'planted by the test')", (run, subject, cell))
    plant_execution(db)
    db.commit()
    return db.execute("SELECT subject.name, cell.name FROM subject, cell WHERE subject.id = ? AND cell.id = ?",
                      (subject, cell)).fetchone()


def setUpModule():
    global PLANTED
    PLANTED = make_database(FOLDER / "results.db")
    flashgate("report", FOLDER / "results.db", "-o", FOLDER / "site")


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database, cls.planted = FOLDER / "results.db", PLANTED
        cls.index = FOLDER / "site" / "index.html"
        cls.downloads = FOLDER / "downloads"
        cls.driver = open_browser(cls.downloads)

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def open(self, fragment=""):
        return Page(self.driver, self.index, fragment)

    def tearDown(self):
        page = Page.__new__(Page)
        page.driver, page.requests = self.driver, []
        self.assertEqual(page.console_errors(), [], "the console is silent")
        self.assertEqual([url for url in page.requested() if not url.startswith("file:")], [], "nothing is requested")

    def test_banner_and_changes_are_read_without_scripts(self):
        text = self.index.read_text(encoding="utf-8")
        plain = text[:text.index("<script")]
        self.assertIn("FAILED", plain)
        self.assertIn("planted by the test", plain)
        self.assertIn("Since the last run", plain)
        page = self.open()
        self.assertTrue(page.text("h1").startswith("FAILED"))
        self.assertIn("1 worse", page.text("#changes + p").replace("✗ ", ""))
        page.screenshot("top")

    def test_pivot(self):
        page = self.open()
        before = page.script("return document.querySelector('canvas').width")
        page.script("const s = document.querySelectorAll('.controls select')[2];"
                    "s.value = 'head_dim'; s.dispatchEvent(new Event('change'))")
        page.wait("location.hash.includes('head_dim')", "the axis is in the address")
        self.assertNotEqual(page.script("return document.querySelector('canvas').width"), before)
        for colour in ["failing", "rows", "bound"]:
            page.script("const s = document.querySelectorAll('.controls select')[4];"
                        "s.value = arguments[0]; s.dispatchEvent(new Event('change'))", colour)
            page.wait(f"location.hash.includes('colour={colour}')", "the colour is in the address")
        page.screenshot("pivot")

    def test_click_on_an_entry_filters_and_keyboard_does_too(self):
        page = self.open("#?y=subject&x=path")
        all_rows = page.rows()
        page.script("document.querySelector('canvas').focus()")
        canvas = self.driver.switch_to.active_element
        canvas.send_keys("\ue014\ue015\ue014")  # right, down, right
        self.assertIn("path=", page.text(".spoken"))
        canvas.send_keys("\ue007")
        page.wait("location.hash.includes('f.path')", "Enter filters")
        self.assertLess(page.rows(), all_rows)
        self.driver.back()
        page.wait("!location.hash.includes('f.path')", "the back button undoes it")
        self.assertEqual(page.rows(), all_rows)

    def test_column_filter_search_and_sort(self):
        page = self.open()
        all_rows = page.rows()
        page.script("const s = document.querySelector('select[data-filter=flag_version]');"
                    "s.dispatchEvent(new Event('focus')); s.selectedIndex = 1; s.dispatchEvent(new Event('change'))")
        self.assertLess(page.rows(), all_rows)
        page.click(".chip")
        self.assertEqual(page.rows(), all_rows)
        page.script("const i = document.querySelector('input[type=search]');"
                    "i.value = 'planted'; i.dispatchEvent(new Event('input'))")
        page.wait("document.querySelector('#row-count').textContent.startsWith('1 of')", "the search finds one row")
        page.screenshot("search")
        page.script("const i = document.querySelector('input[type=search]');"
                    "i.value = ''; i.dispatchEvent(new Event('input'))")
        page.wait("!location.hash.includes('q=')", "the search ends")
        page.click("th.c-cell")
        page.wait("location.hash.includes('sort=cell')", "the heading sorts")
        names = page.script("return [...document.querySelectorAll('#rows button.open')].map((b) => b.textContent)")
        self.assertEqual(names, sorted(names))

    def test_cell_page_trace_and_graph(self):
        page = self.open("#?sort=-ratio&f.change=same")
        page.click("#rows tbody tr")
        page.wait("!document.getElementById('cell-panel').hidden", "a click opens the cell")
        text = page.text("#cell-panel")
        for part in ["repro", "explain", "Checks", "rank 0", "Trace of rank 0", "execution", "error / bound", "History"]:
            self.assertIn(part, text)
        page.screenshot("cell")
        page.click("#show-path")
        page.wait("document.querySelectorAll('.picture .on-path').length > 2", "the path stands out in the graph")
        steps = page.script("return document.querySelectorAll('ol.trace li').length")
        nodes = page.script("return document.querySelectorAll('.picture g.node.on-path').length")
        self.assertGreaterEqual(steps + 2, nodes)
        page.screenshot("graph")
        page.script("document.querySelector('#cell-panel .close').click()")
        page.wait("document.getElementById('cell-panel').hidden", "the panel closes")
        all_rows = page.rows()
        page.script("document.querySelector('.picture g.edge path').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        page.script("document.querySelectorAll('.picture g.node')[2].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        page.wait("location.hash.includes('step=')", "a decision filters the matrix")
        self.assertLessEqual(page.rows(), all_rows)
        self.assertGreater(page.rows(), 0)

    def test_csv_has_the_filtered_rows(self):
        shutil.rmtree(self.downloads, ignore_errors=True)
        page = self.open("#?f.check=~I4&q=planted")
        count = page.rows()
        page.click("#csv")
        deadline = time.monotonic() + 20
        while not (files := list(self.downloads.glob("*.csv"))) and time.monotonic() < deadline:
            time.sleep(0.1)
        with open(files[0], newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), count)
        self.assertEqual((rows[0]["subject"], rows[0]["cell"]), self.planted)
        self.assertEqual(rows[0]["detail"], "planted by the test")

    def test_permalink_shows_the_same_again(self):
        page = self.open()
        subject, cell = self.planted
        page.script("location.hash = arguments[0]",
                    f"#?f.subject={subject}&f.verdict=fail&x=deterministic&y=path,device&cell={subject} {cell}")
        page.wait("!document.getElementById('cell-panel').hidden", "the address opens the cell")
        count, address = page.rows(), page.script("return location.hash")
        again = self.open(address)
        self.assertEqual(again.rows(), count)
        self.assertIn(cell, again.text("#cell-panel"))

    def test_unknown_names_in_an_address_do_no_harm(self):
        page = self.open("#?x=nonsense,path&y=more&f.nonsense=1&f.path=other&cell=who knows&sort=what&step=a")
        self.assertEqual(page.rows(), 0)
        self.assertIn("no row", page.text("#cell-panel"))

    def test_the_same_database_gives_the_same_bytes(self):
        flashgate("report", self.database, "-o", FOLDER / "again")
        self.assertEqual(self.index.read_bytes(), (FOLDER / "again" / "index.html").read_bytes())


class OtherPagesTest(unittest.TestCase):
    def look(self, index, name, **options):
        driver = open_browser(FOLDER / "downloads", **options)
        try:
            page = Page(driver, index)
            page.screenshot(name)
            self.assertEqual(page.console_errors(), [])
            self.assertEqual([url for url in page.requested() if not url.startswith("file:")], [])
            return (page.script("return getComputedStyle(document.body).backgroundColor"),
                    page.script("return document.documentElement.scrollWidth - innerWidth"))
        finally:
            driver.quit()

    def test_dark_narrow(self):
        index = FOLDER / "site" / "index.html"
        background, _ = self.look(index, "dark", dark=True)
        self.assertNotEqual(background, "rgb(255, 255, 255)")
        _, too_wide = self.look(index, "narrow", width=500)
        self.assertLessEqual(too_wide, 0, "a narrow window needs no sideways scrolling")

    def test_hostile_texts_are_shown_as_text(self):
        database = FOLDER / "hostile.db"
        shutil.copyfile(FOLDER / "results.db", database)
        make_hostile(database)
        self.assertGreaterEqual(len(HOSTILE_TEXTS), 30)
        flashgate("report", database, "-o", FOLDER / "hostile")
        driver = open_browser(FOLDER / "downloads")
        try:
            page = Page(driver, FOLDER / "hostile" / "index.html")
            page.click("#rows tbody tr")
            page.wait("!document.getElementById('cell-panel').hidden", "the cell opens")
            page.script("for (const d of document.querySelectorAll('details')) d.open = true")
            page.wait("document.querySelectorAll('.picture svg').length > 0", "the graphs open")
            page.screenshot("hostile")
            self.assertFalse(page.script("return 'hacked' in window"))
            self.assertEqual(page.script("return document.querySelectorAll('img, iframe, object, marquee, form').length"), 0)
            self.assertEqual(page.script("return [...document.querySelectorAll('*')].filter((e) => "
                                         "[...e.attributes].some((a) => a.name.startsWith('on'))).length"), 0)
            self.assertIn("<script>", page.script("return document.body.innerText"))
            self.assertEqual(page.console_errors(), [])
            self.assertEqual([url for url in page.requested() if not url.startswith("file:")], [])
        finally:
            driver.quit()


if __name__ == "__main__":
    PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    os.environ["FLASHGATE_SCREENSHOTS"] = str(FOLDER / "screenshots")
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
