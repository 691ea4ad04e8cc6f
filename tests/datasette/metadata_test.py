#!/usr/bin/env python3
"""Opens a results database with the real datasette and reports/datasette/metadata.json.

    metadata_test.py PROGRAM SOURCE FOLDER

Every table and view with metadata must answer, every canned query must run and be the one of docs/queries.md.
"""

import asyncio
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

from datasette.app import Datasette

PROGRAM, SOURCE, FOLDER = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])


def documented_queries():
    text = (SOURCE / "docs" / "queries.md").read_text(encoding="utf-8")
    found = re.findall(r"### (\w+)\n\n(.*?)\n\n```sql\n(.*?)```", text, re.DOTALL)
    return {name: {"title": title, "sql": sql.strip().rstrip(";")} for name, title, sql in found}


class MetadataTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        FOLDER.mkdir(parents=True, exist_ok=True)
        database = FOLDER / "results.db"
        database.unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, "run", "--suite", "tiny", "--db", database, "--no-expectations"],
                              capture_output=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        cls.metadata = json.loads((SOURCE / "reports" / "datasette" / "metadata.json").read_text(encoding="utf-8"))
        cls.datasette = Datasette([], immutables=[str(database)], metadata=cls.metadata,
                                  settings={"sql_time_limit_ms": 10_000, "facet_time_limit_ms": 10_000})

    def get(self, path):
        response = asyncio.run(self.datasette.client.get(path))
        self.assertEqual(response.status_code, 200, f"{path}: {response.text[:500]}")
        return response

    def test_canned_queries_are_those_of_the_document(self):
        self.assertEqual(self.metadata["databases"]["results"]["queries"], documented_queries())

    def test_every_query_runs(self):
        for name in documented_queries():
            answer = self.get(f"/results/{name}.json?_shape=objects").json()
            self.assertFalse(answer.get("error"), name)

    def test_every_table_opens_with_its_facets(self):
        for name, table in self.metadata["databases"]["results"]["tables"].items():
            self.assertIn(table["title"], self.get(f"/results/{name}").text.replace("&#39;", "'"))
            facets = self.get(f"/results/{name}.json").json().get("facet_results", {})
            self.assertLessEqual(set(table.get("facets", [])), set(facets), name)

    def test_described_columns_exist(self):
        for name, table in self.metadata["databases"]["results"]["tables"].items():
            columns = self.get(f"/results/{name}.json?_size=1").json()["columns"]
            named = {*table.get("columns", {}), *table.get("units", {}), *table.get("facets", [])}
            named |= {table[key] for key in ("sort", "sort_desc", "label_column") if key in table}
            self.assertLessEqual(named, set(columns), name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
