#!/usr/bin/python3
"""The page in a real Chromium: what a reader does with it, and what it must never do.

    page_test.py PROGRAM FOLDER

runs PROGRAM (flashgate) to make databases and reports in FOLDER; screenshots stay in FOLDER/screenshots.
"""

import csv
import os
import shutil
import sqlite3
import sys
import time
import unittest
from pathlib import Path

import example_site
from browser import Page, console_errors, open_browser, requested
from example_site import FLAKE, STACK, flashgate, make_database
from hostile_database import HOSTILE_TEXTS, make_hostile

FOLDER = Path()
ENTER, RIGHT, DOWN = "\ue007", "\ue014", "\ue015"
PLANTED = EXECUTED = ("", "")  # subject and cell: of the failure that only the second run has; of the executions


def setUpModule():
    global PLANTED, EXECUTED
    PLANTED, EXECUTED = make_database(FOLDER / "results.db")
    flashgate("report", FOLDER / "results.db", "-o", FOLDER / "site")


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = FOLDER / "results.db"
        cls.index = FOLDER / "site" / "index.html"
        cls.downloads = FOLDER / "downloads"
        cls.driver = open_browser(cls.downloads)

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def open(self, fragment=""):
        return Page(self.driver, self.index, fragment)

    def tearDown(self):
        self.assertEqual(console_errors(self.driver), [], "the console is silent")
        self.assertLessEqual(requested(self.driver), {self.index.resolve().as_uri()}, "nothing but the page is requested")

    def matrix_rows(self, where):
        """Subject, cell and verdict of the last run's rows, from the database."""
        with sqlite3.connect(self.database) as db:
            return db.execute(f"SELECT subject, cell, verdict FROM matrix WHERE run = 'tiny-2' AND {where}").fetchall()

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
        page.script("document.getElementById('matrix').scrollIntoView()")
        page.screenshot("pivot")

    def test_a_pointer_on_the_heatmap_says_what_is_there_and_a_click_filters(self):
        page = self.open()
        canvas = page.find(".heatmap canvas")
        width, height = canvas.size["width"], canvas.size["height"]
        right, bottom = width - 4 - 23, height - 2 - 13  # the middle of the last entry
        page.point(canvas, right, bottom)
        says = page.text(".heatmap .tip")
        subject, version, device = (part.split("=")[1] for part in says.split(":  ")[0].split(": ")[0].split(", "))
        rows = self.matrix_rows(f"subject = '{subject}' AND flag_version = '{version}' AND device = '{device}'")
        self.assertIn(f": {len(rows)} row", says)
        page.click_at(canvas, right, bottom)
        page.wait("location.hash.includes('f.subject')", "a click filters")
        self.assertEqual(page.rows(), len(rows))
        page.click_at(canvas, 2, 2)
        self.assertEqual(page.rows(), len(rows), "a click beside the entries does nothing")

    def test_keyboard_on_the_heatmap_filters_too(self):
        page = self.open("#?y=subject&x=path")
        all_rows = page.rows()
        page.script("document.querySelector('canvas').focus()")
        page.press(RIGHT + DOWN + RIGHT)
        self.assertIn("path=", page.text(".spoken"))
        for key in (ENTER, " "):
            page.press(key)
            page.wait("location.hash.includes('f.path')", "Enter and Space filter")
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
        page.script("document.querySelector('input[type=search]').scrollIntoView()")
        page.screenshot("search")
        page.script("const i = document.querySelector('input[type=search]');"
                    "i.value = ''; i.dispatchEvent(new Event('input'))")
        page.wait("!location.hash.includes('q=')", "the search ends")
        page.click("th.c-cell")
        page.wait("location.hash.includes('sort=cell')", "the heading sorts")
        names = page.script("return [...document.querySelectorAll('#rows button.open')].map((b) => b.textContent)")
        self.assertEqual(names, sorted(names))

    def open_executed(self):
        page = self.open("#?sort=-ratio&f.change=same")
        page.click_on("#rows tbody tr td:nth-child(2)")
        page.wait("!document.getElementById('cell-panel').hidden", "a click opens the cell")
        return page

    def test_cell_page(self):
        page = self.open_executed()
        subject, cell = EXECUTED
        page.click_on("details.execution:nth-of-type(2) summary")
        text = page.text("#cell-panel")
        for part in [subject, cell, "repro", "explain", "Checks", "rank 0", "Trace of rank 0", "2 executions",
                     "error / bound", "History"]:
            self.assertIn(part, text)
        self.assertEqual(page.script("return document.querySelectorAll('#cell-panel .ulp rect').length"), 20)
        self.assertEqual(page.script("return document.querySelector('#cell-panel .ulp').ariaLabel"),
                         "0 ulp: 90, 1 ulp: 9, 3 to 4 ulp: 1, more than 4,096 ulp: 2")
        page.screenshot("cell")
        page.press("\ue00c")
        page.wait("document.getElementById('cell-panel').hidden", "Escape closes the panel")
        self.assertEqual(page.script("return document.activeElement.textContent"), cell, "the focus is back on the row")

    def test_a_flake_is_excused_and_its_incident_is_shown(self):
        page = self.open("#?f.state=excused failure")
        self.assertEqual(page.rows(), 1)
        page.click_on("#rows tbody tr td:nth-child(2)")
        page.wait("!document.getElementById('cell-panel').hidden", "a click opens the cell")
        text = page.text("#cell-panel")
        for part in ["1 incident", "✗ crash", STACK.splitlines()[-1].strip(), "crash (flake)", FLAKE]:
            self.assertIn(part, text)
        page.screenshot("incident")

    def test_path_of_a_cell_in_the_graph(self):
        page = self.open_executed()
        page.click_on("#show-path")
        page.wait("document.querySelectorAll('.picture .on-path').length > 2", "the path stands out in the graph")
        steps = page.script("return document.querySelectorAll('ol.trace li').length")
        nodes = page.script("return document.querySelectorAll('.picture g.node.on-path').length")
        self.assertGreaterEqual(steps + 2, nodes)
        page.screenshot("graph")
        page.click_on("#cell-panel .close")
        page.wait("document.getElementById('cell-panel').hidden", "the panel closes")

    def test_a_decision_or_an_edge_of_the_graph_filters(self):
        page = self.open()
        page.script("document.querySelector('details[data-graph]').open = true")
        page.wait("document.querySelectorAll('.picture svg g.node').length > 3", "the graph opens")
        all_rows = page.rows()
        page.click_on(".picture #e5 text")
        page.wait("location.hash.includes('step=')", "an edge filters the matrix")
        with_outcome = page.rows()
        self.assertTrue(0 < with_outcome < all_rows)
        self.assertEqual(page.script("return JSON.parse(new URLSearchParams(location.hash.slice(2)).get('step')).length"), 3)
        page.click_on(".picture #n2 text")
        page.wait("JSON.parse(new URLSearchParams(location.hash.slice(2)).get('step')).length === 2", "a decision, too")
        self.assertTrue(0 < page.rows() < all_rows)

    def test_csv_has_the_filtered_rows(self):
        shutil.rmtree(self.downloads, ignore_errors=True)
        page = self.open("#?f.device=sm100&f.path=cp_flashmask&sort=cell")
        page.click_on("#csv")
        deadline = time.monotonic() + 20
        while not (files := list(self.downloads.glob("*.csv"))) and time.monotonic() < deadline:
            time.sleep(0.1)
        with open(files[0], newline="", encoding="utf-8") as file:
            saved = list(csv.DictReader(file))
        self.assertEqual(len(saved), page.rows())
        self.assertEqual(sorted((row["subject"], row["cell"]) for row in saved),
                         sorted(row[:2] for row in self.matrix_rows("device = 'sm100' AND path = 'cp_flashmask'")))
        self.assertEqual([row["cell"] for row in saved], sorted(row["cell"] for row in saved), "in the table's order")

    def test_csv_says_what_was_found(self):
        page = self.open("#?f.check=~I4&q=planted")
        page.script("window.saved = []; const make = URL.createObjectURL;"
                    "URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return make(blob); }")
        page.click_on("#csv")
        page.wait("saved.length === 1", "the file is made")
        rows = list(csv.DictReader(page.script("return saved[0]").splitlines()))
        self.assertEqual([(row["subject"], row["cell"], row["detail"]) for row in rows],
                         [(*PLANTED, "planted by the test")])

    def test_permalink_shows_the_same_again(self):
        subject, cell = PLANTED
        page = self.open(f"#?f.subject={subject}&f.verdict=fail&x=deterministic&y=path,device&colour=rows&sort=-cell"
                         f"&q=planted&cell={subject} {cell}")
        look = """return {chosen: [...document.querySelectorAll('.controls select')].map((s) => s.value),
            rows: document.querySelector('#row-count').textContent, canvas: document.querySelector('canvas').width,
            search: document.querySelector('input[type=search]').value, panel: document.querySelector('#cell-panel').innerText,
            chips: [...document.querySelectorAll('.chip')].map((chip) => chip.textContent),
            sorted: document.querySelector('th.sorting_desc').textContent}"""
        before = page.script(look)
        self.assertEqual(before["chosen"], ["path", "device", "deterministic", "", "rows"])
        self.assertEqual((before["search"], before["sorted"]), ("planted", "cell"))
        self.assertIn(cell, before["panel"])
        self.driver.refresh()
        page.wait_until_ready()
        self.assertEqual(page.script(look), before)

    def test_unknown_names_in_an_address_do_no_harm(self):
        page = self.open("#?x=nonsense,path&y=more&f.nonsense=1&f.path=other&cell=who knows&sort=what&step=a")
        self.assertEqual(page.rows(), 0)
        self.assertIn("no row", page.text("#cell-panel"))

    def test_the_same_database_gives_the_same_bytes(self):
        flashgate("report", self.database, "-o", FOLDER / "again")
        self.assertEqual(self.index.read_bytes(), (FOLDER / "again" / "index.html").read_bytes())


class HostilePageTest(unittest.TestCase):
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
            self.assertEqual(console_errors(driver), [])
            self.assertEqual({url for url in requested(driver) if not url.startswith("file:")}, set())
        finally:
            driver.quit()


if __name__ == "__main__":
    example_site.PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2]).resolve()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    os.environ["FLASHGATE_SCREENSHOTS"] = str(FOLDER / "screenshots")
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
