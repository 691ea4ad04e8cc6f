-- The results database. docs/store_schema.md explains it, with example queries; matrix/store.cpp creates it.
-- Two markers, written as comments below, are replaced from the table of axes (matrix/axes.cpp), so that an axis is
-- declared nowhere else:
--   axis definitions   the columns of table cell:   , path TEXT NOT NULL, flag_version TEXT NOT NULL, ...
--   axis columns       the same columns of a view:  , cell.path, cell.flag_version, ...
-- NULL means that there is nothing: no launch, no error, no detail. Names of verdicts and outcomes are stored as text.

-- Lookups, filled from the program when the file is created -----------------------------------------------------------

-- The verdicts from best (level 0) to worst.
CREATE TABLE verdict_level (
  verdict    TEXT PRIMARY KEY,
  level      INTEGER NOT NULL,
  is_failure INTEGER NOT NULL
) WITHOUT ROWID;

-- The checks of dispatch plans. Bit `bit` of plan.passed_checks says that this check applied and passed.
CREATE TABLE check_rule (
  bit      INTEGER PRIMARY KEY,
  check_id TEXT NOT NULL UNIQUE,
  title    TEXT NOT NULL
);

-- What was run --------------------------------------------------------------------------------------------------------

-- One invocation of `flashgate run`. finished and exit_code are NULL until it has ended.
CREATE TABLE run (
  id                INTEGER PRIMARY KEY,
  name              TEXT NOT NULL UNIQUE,
  suite             TEXT NOT NULL,
  suite_digest      TEXT,
  options           TEXT,
  seed              INTEGER NOT NULL,
  with_expectations INTEGER NOT NULL,
  flashgate_commit  TEXT,
  dirty             INTEGER NOT NULL,
  compiler          TEXT,
  build_type        TEXT,
  machine           TEXT,
  started           TEXT,
  finished          TEXT,
  exit_code         INTEGER,
  selected          INTEGER NOT NULL
);

-- A dispatcher under test.
CREATE TABLE subject (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  description TEXT
);

-- What a subject was in a run: a branch is another commit from run to run, and subject.description is the newest one's.
CREATE TABLE run_subject (
  run         INTEGER NOT NULL REFERENCES run(id),
  subject     INTEGER NOT NULL REFERENCES subject(id),
  description TEXT,
  PRIMARY KEY (run, subject)
) WITHOUT ROWID;

-- A combination of axis values. A cell is shared by all runs and subjects.
CREATE TABLE cell (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
  /* axis definitions */
);

-- What a run is a part of: one made with --shard has one row, its own part; one that merge put together has one per part,
-- with where it came from. whole_digest is the hash of the selection that the parts part.
CREATE TABLE run_part (
  run          INTEGER NOT NULL REFERENCES run(id),
  shard        TEXT NOT NULL,
  whole_digest TEXT NOT NULL,
  selected     INTEGER NOT NULL,
  options      TEXT,
  machine      TEXT,
  started      TEXT,
  finished     TEXT,
  exit_code    INTEGER,
  PRIMARY KEY (run, shard)
) WITHOUT ROWID;

-- Combinations that a constraint excluded from a run, counted by its reason.
CREATE TABLE excluded (
  run    INTEGER NOT NULL REFERENCES run(id),
  reason TEXT NOT NULL,
  cells  INTEGER NOT NULL,
  PRIMARY KEY (run, reason)
) WITHOUT ROWID;

-- What the dispatchers decided ----------------------------------------------------------------------------------------

-- A subject's plan for a cell, one row per rank. passed_checks is a bit set and judges all ranks together: rank 0 has
-- it, the others have 0. verdict is the cell's, the same on every rank.
CREATE TABLE plan (
  run              INTEGER NOT NULL REFERENCES run(id),
  subject          INTEGER NOT NULL REFERENCES subject(id),
  cell             INTEGER NOT NULL REFERENCES cell(id),
  rank             INTEGER NOT NULL,
  forward_version  INTEGER,
  forward_kernel   TEXT,
  forward_arity    INTEGER,
  second_version   INTEGER,
  handed_version   INTEGER,
  backward_version INTEGER,
  backward_kernel  TEXT,
  backward_arity   INTEGER,
  lse_version      INTEGER,
  lse_layout       TEXT,
  error_phase      TEXT,
  error_kind       TEXT,
  error_message    TEXT,
  trace            INTEGER,
  passed_checks    INTEGER NOT NULL,
  verdict          TEXT NOT NULL,
  PRIMARY KEY (run, subject, cell, rank)
) WITHOUT ROWID;

-- The decisions behind a plan, once per distinct trace. `trace` is a hash of the steps' texts, so it is the same in
-- every database.
CREATE TABLE trace_step (
  trace    INTEGER NOT NULL,
  step     INTEGER NOT NULL,
  phase    TEXT,
  decision TEXT,
  outcome  TEXT,
  PRIMARY KEY (trace, step)
) WITHOUT ROWID;

-- What the kernels did ------------------------------------------------------------------------------------------------

-- One kernel configuration, run once on one backend. `digest` covers everything that can change the result, so cells
-- and later runs share an execution; `run` is the one that executed it.
CREATE TABLE execution (
  id            INTEGER PRIMARY KEY,
  run           INTEGER NOT NULL REFERENCES run(id),
  digest        TEXT NOT NULL,
  name          TEXT NOT NULL,
  backend       TEXT NOT NULL,
  kernel        TEXT NOT NULL,
  kernel_hash   TEXT,
  evidence      TEXT NOT NULL CHECK (evidence IN ('none', 'L0', 'L1', 'L2', 'L3')),
  dtype         TEXT NOT NULL,
  direction     TEXT NOT NULL,
  head_dim      INTEGER NOT NULL,
  head_dim_v    INTEGER NOT NULL,
  mask_family   TEXT NOT NULL,
  causal        TEXT NOT NULL,
  seqlen_q      INTEGER NOT NULL,
  seqlen_k      INTEGER NOT NULL,
  num_heads     INTEGER NOT NULL,
  num_heads_kv  INTEGER NOT NULL,
  mask_heads    INTEGER NOT NULL,
  batch         INTEGER NOT NULL,
  deterministic INTEGER NOT NULL,
  cp_size       INTEGER NOT NULL,
  seed          INTEGER NOT NULL,
  verdict       TEXT NOT NULL,
  check_id      TEXT,
  detail        TEXT,
  runs          INTEGER NOT NULL,
  seconds       REAL,
  UNIQUE (run, digest)
);

-- What the checks found on an execution, in their order; a pass has no row. outcome `flake`: run again alone, it gave
-- another answer.
CREATE TABLE execution_finding (
  execution INTEGER NOT NULL REFERENCES execution(id),
  position  INTEGER NOT NULL,
  check_id  TEXT NOT NULL,
  verdict   TEXT NOT NULL,
  outcome   TEXT NOT NULL,
  detail    TEXT,
  PRIMARY KEY (execution, position)
) WITHOUT ROWID;

-- How far one tensor of an execution is from the oracle. bound_ratio: worst error / derived bound, at most 1 to pass.
-- field_rule_ratio: worst error / (2 x that of a plain low-precision run + rounding floor). results: how many different
-- results, bit for bit, the execution's runs gave; promises_bits: it has to be one.
CREATE TABLE metric (
  execution        INTEGER NOT NULL REFERENCES execution(id),
  tensor           TEXT NOT NULL,
  max_abs          REAL,
  max_rel          REAL,
  bound_ratio      REAL,
  field_rule_ratio REAL,
  ulp_histogram    TEXT,
  worst_index      TEXT,
  nonfinite_count  INTEGER NOT NULL,
  zero_share       REAL,
  promises_bits    INTEGER NOT NULL,
  results          INTEGER NOT NULL,
  PRIMARY KEY (execution, tensor)
) WITHOUT ROWID;

-- Which executions answer for which cell.
CREATE TABLE cell_execution (
  run       INTEGER NOT NULL REFERENCES run(id),
  subject   INTEGER NOT NULL REFERENCES subject(id),
  cell      INTEGER NOT NULL REFERENCES cell(id),
  execution INTEGER NOT NULL REFERENCES execution(id),
  PRIMARY KEY (run, subject, cell, execution)
) WITHOUT ROWID;

-- What the checks found -----------------------------------------------------------------------------------------------

-- Every verdict but a plain pass. Plain passes are bits of plan.passed_checks; view verdicts shows both.
CREATE TABLE verdict (
  run      INTEGER NOT NULL REFERENCES run(id),
  subject  INTEGER NOT NULL REFERENCES subject(id),
  cell     INTEGER NOT NULL REFERENCES cell(id),
  check_id TEXT NOT NULL,
  verdict  TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  detail   TEXT,
  PRIMARY KEY (run, subject, cell, check_id)
) WITHOUT ROWID;

-- The evidence of a hang, crash, race or divergence: of a subject's plan for a cell, or of an execution.
CREATE TABLE incident (
  id        INTEGER PRIMARY KEY,
  run       INTEGER NOT NULL REFERENCES run(id),
  subject   INTEGER REFERENCES subject(id),
  cell      INTEGER REFERENCES cell(id),
  execution INTEGER REFERENCES execution(id),
  check_id  TEXT NOT NULL,
  kind      TEXT NOT NULL,
  detail    TEXT
);

-- How each line of the suite's expectation files was used. status: used, unexpected, not_applicable, expired.
CREATE TABLE expectation_use (
  run     INTEGER NOT NULL REFERENCES run(id),
  file    TEXT NOT NULL,
  line    INTEGER NOT NULL,
  text    TEXT,
  reason  TEXT,
  status  TEXT NOT NULL,
  matched INTEGER NOT NULL,
  failing INTEGER NOT NULL,
  PRIMARY KEY (run, file, line)
) WITHOUT ROWID;

-- How often each executable line of a real subject's source ran, and a cell that ran it.
CREATE TABLE coverage_line (
  run          INTEGER NOT NULL REFERENCES run(id),
  subject      INTEGER NOT NULL REFERENCES subject(id),
  file         TEXT NOT NULL,
  line         INTEGER NOT NULL,
  hits         INTEGER NOT NULL,
  example_cell INTEGER REFERENCES cell(id),
  PRIMARY KEY (run, subject, file, line)
) WITHOUT ROWID;

-- Views: names, not numbers. The comment within a view is kept by SQLite and shown by `.schema VIEW` ------------------

CREATE VIEW failures AS
-- What makes a run fail: failing verdicts that no expectation covers. One row per check that fails on a cell.
SELECT run.name AS run, subject.name AS subject, cell.name AS cell,
       v.check_id, v.verdict, v.outcome, v.detail /* axis columns */
FROM verdict AS v
JOIN run ON run.id = v.run
JOIN subject ON subject.id = v.subject
JOIN cell ON cell.id = v.cell
WHERE v.verdict IN (SELECT verdict FROM verdict_level WHERE is_failure)
  AND v.outcome NOT IN ('expected_fail', 'known_flake');

CREATE VIEW verdicts AS
-- Every verdict of every check: the rows of table verdict, and the passes that are bits of plan.passed_checks. A check
-- that had nothing to judge on a cell has no row. Two joins rather than one over a union, so that a query about one
-- subject does not expand the plans of all.
SELECT run.name AS run, subject.name AS subject, cell.name AS cell,
       v.check_id, v.verdict, v.outcome, v.detail /* axis columns */
FROM verdict AS v
JOIN run ON run.id = v.run
JOIN subject ON subject.id = v.subject
JOIN cell ON cell.id = v.cell
UNION ALL
SELECT run.name, subject.name, cell.name, check_rule.check_id, 'pass', 'as_is', NULL /* axis columns */
FROM plan
JOIN check_rule ON plan.passed_checks >> check_rule.bit & 1
JOIN run ON run.id = plan.run
JOIN subject ON subject.id = plan.subject
JOIN cell ON cell.id = plan.cell
WHERE plan.rank = 0
  AND NOT EXISTS (SELECT 1 FROM verdict AS v
                  WHERE v.run = plan.run AND v.subject = plan.subject AND v.cell = plan.cell
                    AND v.check_id = check_rule.check_id);

CREATE VIEW matrix AS
-- One row per run, subject and cell: its verdict, its axis values, and what rank 0 would run.
SELECT run.name AS run, subject.name AS subject, cell.name AS cell, plan.verdict /* axis columns */,
       plan.forward_version, plan.handed_version, plan.backward_version,
       plan.error_phase, plan.error_kind, plan.error_message
FROM plan
JOIN run ON run.id = plan.run
JOIN subject ON subject.id = plan.subject
JOIN cell ON cell.id = plan.cell
WHERE plan.rank = 0;

CREATE VIEW changes AS
-- Cells whose verdict differs from the one in the previous finished run of the same suite.
SELECT run.name AS run, previous.name AS previous_run, subject.name AS subject, cell.name AS cell,
       before.verdict AS previous_verdict, now.verdict AS verdict,
       before.forward_version AS previous_forward_version, now.forward_version AS forward_version,
       before.backward_version AS previous_backward_version, now.backward_version AS backward_version
FROM run
JOIN run AS previous ON previous.id = (SELECT max(earlier.id) FROM run AS earlier
                                       WHERE earlier.suite = run.suite AND earlier.id < run.id
                                         AND earlier.finished IS NOT NULL)
JOIN plan AS now ON now.run = run.id AND now.rank = 0
JOIN plan AS before ON before.run = previous.id AND before.subject = now.subject AND before.cell = now.cell
                   AND before.rank = 0
JOIN subject ON subject.id = now.subject
JOIN cell ON cell.id = now.cell
WHERE before.verdict <> now.verdict;

CREATE VIEW coverage AS
-- Per run, subject and source file: executable lines, how many of them ran, and the share in percent.
SELECT run.name AS run, subject.name AS subject, c.file,
       count(*) AS lines, sum(c.hits > 0) AS covered, round(100.0 * sum(c.hits > 0) / count(*), 1) AS percent
FROM coverage_line AS c
JOIN run ON run.id = c.run
JOIN subject ON subject.id = c.subject
GROUP BY c.run, c.subject, c.file;

CREATE VIEW slowest AS
-- Executions, the slowest first. seconds is wall-clock time of the backend that ran it, never a forecast for a GPU.
SELECT run.name AS run, e.name AS execution, e.kernel, e.backend, e.evidence, e.verdict, e.seconds,
       coalesce(c.cells, 0) AS cells
FROM execution AS e
JOIN run ON run.id = e.run
LEFT JOIN (SELECT run, execution, count(*) AS cells FROM cell_execution GROUP BY run, execution) AS c
  ON c.run = e.run AND c.execution = e.id
ORDER BY e.seconds DESC;
