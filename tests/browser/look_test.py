#!/usr/bin/python3
"""How the page looks, and whether everybody can use it: contrast, colour-blind readers, keyboard, windows, paper.

    look_test.py PROGRAM FOLDER

runs PROGRAM (flashgate) to make databases and reports in FOLDER; screenshots stay in FOLDER/screenshots.
"""

import base64
import itertools
import os
import re
import shutil
import sys
import unittest
from pathlib import Path

import contrast
import example_site
from browser import Page, console_errors, open_browser, requested
from example_site import flashgate, make_database

FOLDER = Path()
TAB, ESCAPE, ENTER = "\ue004", "\ue00c", "\ue007"
TONES = ["good", "neutral", "warning", "expected", "bad"]
OPEN_ALL = "for (const details of document.querySelectorAll('details')) details.open = true"

# What a click does something to.
CLICKABLE = ("a[href], button, select, input, summary, #rows_wrapper th.sorting, .heatmap canvas, .picture g.node, .picture g.edge, "
             "pre[tabindex]")


def setUpModule():
    make_database(FOLDER / "results.db")
    flashgate("report", FOLDER / "results.db", "-o", FOLDER / "site")
    flashgate("gate", "--base", "model:fleet-c", "--head", "model:fleet-d", "--suite", "tiny", "--no-expectations",
              "--output", FOLDER / "gate", expected=(1,))


class LookTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.index = FOLDER / "site" / "index.html"
        cls.driver = open_browser(FOLDER / "downloads")

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def setUp(self):
        self.look()

    def look(self, width=1280, height=900, scheme="light", media="screen"):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, fragment=""):
        return Page(self.driver, self.index, fragment)

    def open_everything(self):
        """All that is folded unfolded, and a cell with executions and an incident beside it."""
        page = self.open("#?f.state=excused failure")
        page.click_on("#rows tbody tr td:nth-child(2)")
        page.wait("!document.getElementById('cell-panel').hidden", "the cell opens")
        page.script(OPEN_ALL)
        page.wait("document.querySelectorAll('.picture svg').length === document.querySelectorAll('[data-graph]').length",
                  "the graphs open")
        return page

    # Colours

    def check_texts(self, page):
        """Every visible text has the contrast that its size needs."""
        texts = page.script(contrast.VISIBLE_TEXTS)
        bad = {(text, round(contrast.ratio(ink, behind), 2)) for text, ink, behind, pixels, weight in texts
               if contrast.ratio(ink, behind) < contrast.needed(pixels, weight)}
        self.assertEqual(bad, set())
        return len(texts)

    def test_every_text_can_be_read(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                self.look(scheme=scheme)
                page = self.open_everything()
                page.script("for (const svg of document.querySelectorAll('.picture svg')) svg.classList.remove('with-path')")
                self.assertGreater(self.check_texts(page), 500)
                page.script("document.querySelector('h1').style.color = '#888'")
                with self.assertRaises(AssertionError):
                    self.check_texts(page)

    def test_every_text_of_the_gates_page_can_be_read(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                self.look(scheme=scheme)
                self.driver.get((FOLDER / "gate" / "gate.html").resolve().as_uri())
                self.driver.execute_script(OPEN_ALL)
                page = Page.__new__(Page)
                page.driver = self.driver
                self.assertGreater(self.check_texts(page), 50)
                page.screenshot(f"gate-{scheme}")

    def palette(self, page):
        names = set(re.findall(r"--([\w-]+):", self.index.read_text(encoding="utf-8").split("</style>")[0])) - {"room", "beside"}
        return {name: contrast.channels(page.script(
            "return getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[0]).trim()", name))
            for name in names}

    def hexadecimal(self, colour):
        return "#%02x%02x%02x" % tuple(colour)

    def test_the_palette_is_told_apart(self):
        for scheme in ("light", "dark"):
            self.look(scheme=scheme)
            page = self.open()
            colours = self.palette(page)
            texts = [(f"{tone}-ink", f"{tone}-cell") for tone in TONES] + [(tone, f"{tone}-fill") for tone in TONES]
            texts += [("good-ink", "neutral-cell")]  # some rows pass, the others are refused
            texts += list(itertools.product(["text", "soft", "link", *TONES], ["page", "panel"]))
            shapes = list(itertools.product(["good", "bad-line", "warning-line", "edge", "link"], ["page", "panel"]))
            for pairs, least in ((texts, 4.5), (shapes, 3)):
                for ink, behind in pairs:
                    with self.subTest(f"{scheme}: {ink} on {behind}"):
                        self.assertGreaterEqual(contrast.ratio(colours[ink], colours[behind]), least)
            for one, other in itertools.combinations(TONES, 2):
                for sight in contrast.COLOUR_BLIND:
                    with self.subTest(f"{scheme}: {one} and {other}, {sight}"):
                        self.assertGreater(contrast.distance(colours[f"{one}-cell"], colours[f"{other}-cell"], sight), 15)

    def test_numbers_on_the_heatmaps_shades_can_be_read(self):
        for scheme in ("light", "dark"):
            self.look(scheme=scheme)
            page = self.open()
            colours = self.palette(page)
            shades = list(itertools.product(["good-cell", "bad-cell", "neutral-cell", "expected-cell"], range(0, 101, 4)))
            inks = self.driver.execute_async_script(
                "const [shades, page, answer] = arguments; import('page/heatmap_drawing.js').then(({ inkOn }) =>"
                "answer(shades.map(([fill, share]) => inkOn(fill, share / 100, page))))",
                [(self.hexadecimal(colours[fill]), share) for fill, share in shades], self.hexadecimal(colours["page"]))
            for (fill, share), ink in zip(shades, inks):
                behind = [top * share / 100 + below * (100 - share) / 100
                          for top, below in zip(colours[fill], colours["page"])]
                with self.subTest(f"{scheme}: {fill} at {share} %"):
                    self.assertGreaterEqual(contrast.ratio(contrast.channels(ink), behind), 4.5)

    def test_a_sign_stands_beside_every_colour(self):
        page = self.open_everything()
        without = page.script("""return [...document.querySelectorAll(`.tag.bad, .tag.expected, td.bad, td.warning,
            .legend b, .checks td:nth-child(3), .execution b, .incident b, .history b, h1`)]
            .map((e) => e.closest('.banner') ? document.querySelector('.top strong').textContent : e.textContent)
            .filter((text) => !/[✓–!✗×]|not in this run/.test(text))""")
        self.assertEqual(without, [])

    # Keyboard

    def test_everything_that_can_be_clicked_is_reached_by_tab_and_shows_the_focus(self):
        page = self.open_everything()
        page.script("document.querySelectorAll(arguments[0]).forEach((e, i) => e.dataset.stop = i)", CLICKABLE)
        wanted = page.script("""return [...document.querySelectorAll('[data-stop]')].filter((e) =>
            e.checkVisibility({ visibilityProperty: true }) && !e.disabled).map((e) => Number(e.dataset.stop))""")
        self.assertGreater(len(wanted), 100)
        page.script("""window.stops = []; window.hidden = [];
            document.addEventListener('focusin', ({ target }) => {
              const style = getComputedStyle(target);
              if (target.dataset.stop) stops.push(Number(target.dataset.stop));
              if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) hidden.push(target.outerHTML.slice(0, 90));
            });
            document.activeElement.blur(); document.body.tabIndex = -1; document.body.focus();""")
        for _ in range(len(wanted) // 50 + 2):
            page.press(TAB * 50)
        left = page.script("return arguments[0].filter((stop) => !stops.includes(stop)).map((stop) => "
                           "document.querySelector(`[data-stop='${stop}']`).outerHTML.slice(0, 90))", wanted)
        self.assertEqual(left, [])
        self.assertEqual(page.script("return hidden.filter((html) => !html.startsWith('<body'))"), [])

    def test_the_first_tab_stop_skips_the_navigation(self):
        page = self.open()
        page.press(TAB)
        self.assertEqual(page.script("return document.activeElement.className"), "skip")
        self.assertGreaterEqual(page.script("return document.activeElement.getBoundingClientRect().left"), 0)
        page.press(ENTER)
        page.press(TAB)
        self.assertTrue(page.script("return document.activeElement.closest('main') !== null"))

    def test_enter_and_space_work_and_the_focus_stays(self):
        page = self.open()
        focused = "document.activeElement"
        page.script("document.querySelector('th.c-cell').focus()")
        page.press(" ")
        page.wait("location.hash.includes('sort=cell')", "Space sorts")
        page.press(ENTER)
        page.wait("location.hash.includes('sort=-cell')", "Enter sorts the other way")
        page.script("document.querySelectorAll('.controls select')[2].focus()")
        page.press("mask")
        page.wait("location.hash.includes('x=mask_columns')", "typing chooses")
        self.assertEqual(page.script(f"return {focused}.value"), "mask_columns", "the choice keeps the focus")
        page.script("document.querySelector('#rows button.open').focus()")
        page.press(ENTER)
        page.wait("!document.getElementById('cell-panel').hidden", "Enter opens a cell")
        page.press(ESCAPE)
        page.wait("document.getElementById('cell-panel').hidden", "Escape closes it")
        page.script("document.querySelector('details[data-graph] summary').focus()")
        page.press(" ")
        page.wait("document.querySelectorAll('.picture svg g.node').length > 3", "Space opens the graph")
        page.script("document.querySelector('.picture #n2').focus()")
        page.press(" ")
        page.wait("location.hash.includes('step=')", "Space on a decision filters")
        page.script("document.querySelector('.chip').focus()")
        page.press(" ")
        page.wait("!location.hash.includes('f.subject')", "Space removes a filter")
        self.assertIn("chip", page.script(f"return {focused}.className"), "the next filter has the focus")

    def test_structure_is_said(self):
        page = self.open_everything()
        levels = page.script("return [...document.querySelectorAll('h1, h2, h3, h4')].map((e) => Number(e.localName[1]))")
        self.assertEqual(levels.count(1), 1)
        self.assertEqual([pair for pair in itertools.pairwise(levels) if pair[1] > pair[0] + 1], [])
        self.assertEqual(page.script("return [...document.querySelectorAll('th')].filter((e) => !e.scope && "
                                     "e.checkVisibility({ visibilityProperty: true })).map((e) => e.outerHTML)"), [])
        self.assertEqual(page.script("""return [...document.querySelectorAll('button, select, input, [role=img], canvas')]
            .filter((e) => !(e.ariaLabel || e.labels?.length || e.textContent.trim())).map((e) => e.outerHTML)"""), [])
        self.assertIn("subject by flag_version", page.script("return document.querySelector('canvas').ariaLabel"))

    # Windows and paper

    def test_no_window_needs_sideways_scrolling(self):
        wide = """const fits = (e) => { for (let at = e; at; at = at.parentElement)
                if (at !== e && getComputedStyle(at).overflowX !== 'visible') return true;
              return e.getBoundingClientRect().right <= innerWidth + 1 || getComputedStyle(e).position === 'fixed'; };
            return [document.documentElement.scrollWidth - innerWidth,
              [...document.body.querySelectorAll('*')].filter((e) => e.checkVisibility() && !fits(e))
                .slice(0, 5).map((e) => e.outerHTML.slice(0, 120))]"""
        for open_page in (self.open, self.open_everything):
            page = open_page()
            for width, height in ((360, 740), (768, 1024), (1280, 900), (2560, 1440)):
                with self.subTest(f"{open_page.__name__}, {width}"):
                    self.look(width, height)
                    self.assertEqual(page.script(wide), [0, []])
                    page.screenshot(f"{open_page.__name__}-{width}")

    def test_paper(self):
        page = self.open_everything()
        page.script("for (const details of document.querySelectorAll('details')) details.open = false")
        self.look(scheme="dark", media="print")
        self.assertEqual(page.script("""return [...document.querySelectorAll('button, select, input, nav, canvas, .picture,'
            + '#cell-panel, #matrix')].filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 90))"""), [])
        self.assertEqual(page.script("""return [...document.querySelectorAll('main details:not([data-graph]) > *')].filter((e) =>
            !e.closest('#matrix, #cell-panel') && !(e.checkVisibility() && e.getBoundingClientRect().height > 0))
            .map((e) => e.outerHTML.slice(0, 90))"""), [])
        self.assertEqual(page.script("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.check_texts(page)
        pdf = base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
        self.assertTrue(pdf.startswith(b"%PDF-"))
        (FOLDER / "screenshots" / "paper.pdf").write_bytes(pdf)

    # What the other tests rely on

    def test_a_request_and_a_complaint_would_be_noticed(self):
        page = FOLDER / "loads.html"
        page.write_text(self.index.read_text(encoding="utf-8").replace(
            "<main", '<img src="http://127.0.0.1:9/x.png"><img src="beside.png"><main'), encoding="utf-8")
        requested(self.driver)
        Page(self.driver, page)
        names = {url.rsplit("/", 1)[1] for url in requested(self.driver)}
        self.assertEqual(names, {"loads.html", "x.png", "beside.png"})
        self.assertEqual(len(console_errors(self.driver)), 2)


if __name__ == "__main__":
    example_site.PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2]).resolve()
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "screenshots").mkdir(parents=True)
    os.environ["FLASHGATE_SCREENSHOTS"] = str(FOLDER / "screenshots")
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
