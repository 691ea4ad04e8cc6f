"""source_package.py PROJECT VERSION SHA256 FILE: takes a project's source package from the package index that pip is
configured for, and writes it to FILE if its digest begins as given."""
import hashlib
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request


def index_url() -> str:
    configured = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"],
                                capture_output=True, text=True, check=False).stdout.strip()
    return (os.environ.get("PIP_INDEX_URL") or configured or "https://pypi.org/simple").rstrip("/") + "/"


def main() -> int:
    project, version, digest, file = sys.argv[1:]
    page_url = urllib.parse.urljoin(index_url(), project + "/")
    page = urllib.request.urlopen(page_url, timeout=60).read().decode()
    links = re.findall(r'href="([^"#]*/' + re.escape(f"{project.replace('-', '_')}-{version}") + r'\.tar\.gz)[^"]*"', page)
    if not links:
        print(f"{project} {version}: the index has no source package", file=sys.stderr)
        return 1
    data = urllib.request.urlopen(urllib.parse.urljoin(page_url, links[-1]), timeout=300).read()
    seen = hashlib.sha256(data).hexdigest()
    if not seen.startswith(digest):
        print(f"{project} {version}: sha256 is {seen}, expected {digest}", file=sys.stderr)
        return 1
    with open(file, "wb") as out:
        out.write(data)
    return 0


sys.exit(main())
