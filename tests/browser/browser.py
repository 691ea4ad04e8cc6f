"""A headless Chromium that remembers what a page asked for and what its console said."""

import json
import os
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

CHROMEDRIVER = "/usr/bin/chromedriver"


def open_browser(downloads, width=1400, height=1000, dark=False):
    """Starts Chromium without a cache or a profile; what it saves goes to `downloads`."""
    options = Options()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--hide-scrollbars", f"--window-size={width},{height}"]:
        options.add_argument(argument)
    if dark:
        options.add_argument("--force-dark-mode")
        options.add_argument("--blink-settings=preferredColorScheme=0")
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(CHROMEDRIVER), options=options)


class Page:
    """An open report."""

    def __init__(self, driver, path, fragment="", seconds=60):
        self.driver = driver
        self.requests = []
        driver.get("about:blank")
        driver.get(Path(path).resolve().as_uri() + fragment)
        WebDriverWait(driver, seconds).until(lambda d: self.script("return document.documentElement.dataset.ready"))

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition, what, seconds=20):
        """Waits until the expression is true in the page."""
        return WebDriverWait(self.driver, seconds).until(lambda d: self.script(f"return {condition}"), what)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def click(self, selector):
        self.script("document.querySelector(arguments[0]).click()", selector)

    def rows(self):
        """The number of rows that the filters leave."""
        return int(self.text("#row-count").split()[0].replace(",", ""))

    def console_errors(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requested(self):
        """Addresses that the page asked for, but for data that is in the page itself."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
        return [url for url in self.requests if not url.startswith(("data:", "about:", "blob:", "chrome:"))]

    def screenshot(self, name):
        folder = Path(os.environ.get("FLASHGATE_SCREENSHOTS", tempfile.gettempdir()))
        folder.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(folder / f"{name}.png"))
