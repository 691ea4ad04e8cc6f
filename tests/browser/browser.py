"""A headless Chromium that remembers what a page asked for and what its console said."""

import json
import os
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
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


def console_errors(driver):
    return [entry for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def requested(driver):
    """Addresses that were asked for since the last call, but for data that is in the page itself."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = {message["params"]["request"]["url"].split("#")[0] for message in messages
            if message["method"] == "Network.requestWillBeSent"}
    return {url for url in urls if not url.startswith(("data:", "blob:", "about:"))}


class Page:
    """An open report."""

    def __init__(self, driver, path, fragment=""):
        self.driver = driver
        driver.get("about:blank")
        driver.get(Path(path).resolve().as_uri() + fragment)
        self.wait_until_ready()

    def wait_until_ready(self, seconds=60):
        self.wait("document.documentElement.dataset.ready", "the page is ready", seconds)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition, what, seconds=20):
        """Waits until the expression is true in the page."""
        return WebDriverWait(self.driver, seconds).until(lambda d: self.script(f"return {condition}"), what)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def click(self, selector):
        self.script("document.querySelector(arguments[0]).click()", selector)

    def find(self, selector):
        """The first such element, in the window's middle."""
        self.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click_on(self, selector):
        """A click of a real pointer, which fails where something else covers the element."""
        self.find(selector).click()

    def point(self, element, x, y):
        """Moves the pointer to a place in the element, in pixels from its upper left corner."""
        half = [element.size["width"] // 2, element.size["height"] // 2]
        ActionChains(self.driver).move_to_element_with_offset(element, round(x - half[0]), round(y - half[1])).perform()

    def click_at(self, element, x, y):
        self.point(element, x, y)
        ActionChains(self.driver).click().perform()

    def press(self, keys):
        """Types into whatever has the focus."""
        ActionChains(self.driver).send_keys(keys).perform()

    def rows(self):
        """The number of rows that the filters leave."""
        return int(self.text("#row-count").split()[0].replace(",", ""))

    def screenshot(self, name):
        folder = Path(os.environ.get("FLASHGATE_SCREENSHOTS", tempfile.gettempdir()))
        folder.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(folder / f"{name}.png"))
