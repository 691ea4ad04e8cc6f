#!/usr/bin/python3
"""Measures the page of a large run: how long flashgate writes it, its size, and what it costs a headless Chromium.

    measure_page.py PROGRAM results.db FOLDER [--repeat 3]

writes the report of the database's last run into FOLDER and prints the figures of each repetition as one line. Beside
the wall clock stands CPU time (of flashgate; of the page's main thread, from Chromium's own counters), which other work
on the machine hardly changes. Nothing is judged here: seconds depend on the machine.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from browser import Page, open_browser

# What a reader does, as scripts that are called in the page: how it starts, and when it is done.
ACTIONS = {
    "sort by cell": ("document.querySelector('th.c-cell').click()", "location.hash.includes('sort=cell')"),
    "sort by route": ("document.querySelector('th.c-route').click()", "location.hash.includes('sort=route')"),
    "filter": ("const s = document.querySelector('select[data-filter=device]'); s.dispatchEvent(new Event('focus'));"
               "s.selectedIndex = 2; s.dispatchEvent(new Event('change'))", "location.hash.includes('f.device')"),
    "search": ("const i = document.querySelector('input[type=search]'); i.value = 'backward v3';"
               "i.dispatchEvent(new Event('input'))", "location.hash.includes('q=')"),
    "no filter": ("[...document.querySelectorAll('.chip')].at(-1).click()", "!location.hash.includes('f.device')"),
    "other axes": ("const s = document.querySelectorAll('.controls select')[2]; s.value = 'head_dim';"
                   "s.dispatchEvent(new Event('change'))", "location.hash.includes('head_dim')"),
    "open a cell": ("document.querySelector('#rows tbody tr').click()",
                    "!document.getElementById('cell-panel').hidden"),
}

# Runs an action and resolves with milliseconds until the frame after it is painted.
TIMED = """
const [start, done, answer] = arguments;
const from = performance.now();
new Function(start)();
const isDone = new Function("return " + done);
const look = () => isDone()
  ? requestAnimationFrame(() => setTimeout(() => answer(performance.now() - from)))
  : setTimeout(look, 1);
look();
"""


def measure_writing(program, database, folder):
    """Seconds by the clock and of CPU, its children's included."""
    shutil.rmtree(folder, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run([program, "report", database, "-o", folder], check=True, capture_output=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sizes(folder):
    """Megabytes: the page, the matrix's data in it, all files beside the database."""
    index = folder / "index.html"
    text = index.read_text(encoding="utf-8")
    data = re.search(r'id="matrix-data">([^<]*)<', text).group(1)
    whole = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.name != "results.db")
    return [size / 1e6 for size in (index.stat().st_size, len(data), whole)]


def renderer_pss(driver):
    """Megabytes of the largest renderer process of this browser: its share of what it shares with others counted."""
    driver_process = driver.service.process.pid
    largest = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"--type=renderer" not in (folder / "cmdline").read_bytes() or not is_below(folder.name, driver_process):
                continue
            rollup = (folder / "smaps_rollup").read_text()
        except OSError:
            continue
        largest = max(largest, int(re.search(r"^Pss:\s+(\d+)", rollup, re.M).group(1)) / 1000)
    return largest


def is_below(process, ancestor):
    while process not in ("0", "1"):
        if int(process) == ancestor:
            return True
        process = (Path("/proc") / process / "stat").read_text().rsplit(")", 1)[1].split()[1]
    return False


def main_thread_seconds(driver):
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def measure_page(index):
    """Milliseconds until the page says it is ready, the main thread's work, the renderer's memory, and the actions'."""
    with tempfile.TemporaryDirectory() as downloads:
        driver = open_browser(downloads)
        try:
            driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            page = Page(driver, index)
            figures = {"ready": int(page.script("return document.documentElement.dataset.ready")),
                       "ready, main thread": 1000 * main_thread_seconds(driver), "renderer MB": renderer_pss(driver)}
            for name, (start, done) in ACTIONS.items():
                figures[name] = driver.execute_async_script(TIMED, start, done)
            figures["renderer MB, at last"] = renderer_pss(driver)
            figures["rows"] = int(page.script("return document.querySelector('#row-count').textContent").split()[0]
                                  .replace(",", ""))
            return figures
        finally:
            driver.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("database")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    for _ in range(arguments.repeat):
        wall, cpu = measure_writing(arguments.program, arguments.database, arguments.folder)
        page, data, whole = sizes(arguments.folder)
        print(f"load {os.getloadavg()[0]:.1f}; written in {wall:.2f} s, {cpu:.2f} s CPU; page {page:.2f} MB, "
              f"matrix data {data:.2f} MB, all files {whole:.2f} MB")
        figures = measure_page(arguments.folder / "index.html")
        print("  ms: " + ", ".join(f"{name} {figure:,.0f}" for name, figure in figures.items()), flush=True)


if __name__ == "__main__":
    main()
