#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/installation.h"
#include "matrix/build_info.h"
#include "matrix/runner.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "reports/repro_line.h"

namespace flashgate::app {
namespace {

constexpr int kUsageError = static_cast<int>(matrix::ExitCode::cannot_run);

void add_filters(CLI::App& verb, CommandLine& line)
{
  verb.add_option("--include", line.run.include, "only cells whose name matches this regular expression");
  verb.add_option("--exclude", line.run.exclude, "no cells whose name matches this regular expression");
}

void add_selection(CLI::App& verb, CommandLine& line)
{
  verb.add_option("--suite", line.run.suite, "suite to select cells from: a name, or a TOML file")
      ->capture_default_str();
  add_filters(verb, line);
  verb.add_option("--shard", line.run.shard, "only part I of N of the cells, as I/N");
}

void add_subjects(CLI::App& verb, CommandLine& line)
{
  verb.add_option("--subject", line.run.subjects,
                  "subject to ask: a built-in one, fleet:PATH@GITREF, fleet:PATH or exec:COMMAND; may be repeated "
                  "(default: every built-in one)")
      ->allow_extra_args(false);
}

void add_suites_folder(CLI::App& verb, CommandLine& line)
{
  verb.add_option("--suites", line.run.suites_folder, "folder of the suites' TOML and expectation files")
      ->capture_default_str();
}

void add_backend(CLI::App& verb, CommandLine& line)
{
  verb.add_option("--backend", line.run.backend,
                  "where kernels run, see list backends (default: the suite's, or the best there is)");
  verb.add_option("--evidence", line.run.evidence,
                  "L1: emulated once; L2: every check, several schedules (default: the suite's)")
      ->check(CLI::IsMember({"L1", "L2"}));
}

void add_run(CLI::App& verb, CommandLine& line)
{
  add_selection(verb, line);
  verb.add_option("--durations", line.run.durations, "database of an earlier run, whose times balance the shards");
  add_subjects(verb, line);
  add_suites_folder(verb, line);
  verb.add_option("--output", line.output, "folder for results.db and the reports (default: out/SUITE)");
  verb.add_option("--db", line.run.database, "database to write (default: results.db in the output folder)");
  add_backend(verb, line);
  verb.add_option("--jobs", line.run.jobs,
                  "threads that judge cells, and worker processes (default: one per processor)")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--seed", line.run.seed, "seed for inputs drawn at random")->capture_default_str();
  verb.add_option("--max-failures", line.run.max_failures, "stop after so many unexpected failures")
      ->check(CLI::Range(0, 1000000000));
  verb.add_option("--timeout", line.run.timeout_seconds,
                  "seconds without progress after which an execution hangs (default: as the suite says)")
      ->check(CLI::Range(0.001, 1e6));
  verb.add_option("--deadline", line.run.deadline_seconds, "stop after so many seconds; resumable")
      ->check(CLI::Range(0.0, 1e6));
  verb.add_flag("--resume", line.run.resume, "continue the suite's last run in the database");
  verb.add_flag("!--no-expectations", line.run.with_expectations, "count expected failures like any others");
}

void add_list(CLI::App& verb, CommandLine& line)
{
  verb.add_option("what", line.what,
                  "axes, numerics, suites, subjects, checks, kernels, backends, constraints or cells")
      ->required();
  add_selection(verb, line);
  add_suites_folder(verb, line);
  verb.add_flag("--count", line.count, "cells: how many, and what the constraints exclude");
  verb.add_flag("--json", line.json, "as JSON");
}

void add_cell(CLI::App& verb, CommandLine& line)
{
  verb.add_option("cell", line.cell, "a cell's name as reports print it, or CELL//NUMERICS")->required();
  add_subjects(verb, line);
  add_backend(verb, line);
}

void add_graph(CLI::App& verb, CommandLine& line)
{
  verb.add_option("database", line.database, "results.db, or results.db#RUN")->required();
  verb.add_option("--subject", line.subject, "subject to draw")->required();
  verb.add_option("--against", line.against, "another subject of the run: draw what differs");
  verb.add_option("-o,--output", line.output, "file to write, .dot or .svg")->required();
}

void add_report(CLI::App& verb, CommandLine& line)
{
  verb.add_option(
          "database", line.databases,
          "results.db, or results.db#RUN; of several the newest run is reported, and the others are its history")
      ->required();
  verb.add_option("-o,--output", line.output, "folder to write")->required();
}

void add_gate(CLI::App& verb, CommandLine& line)
{
  const char* side = "FILE.db, FILE.db#RUN, last, a subject, or PATH@GITREF";
  verb.add_option("--base", line.gate.base, std::string("what was good: ") + side)->required();
  verb.add_option("--head", line.gate.head, std::string("what is to be judged: ") + side)->required();
  verb.add_option("--dev", line.gate.dev, std::string("what the pick must behave as on every cell: ") + side);
  verb.add_option("--suite", line.gate.suite, "suite to run subjects on (default: that of the databases, or dispatch)");
  verb.add_option("--min-patch-coverage", line.gate.least_coverage,
                  "fail if fewer per cent of the changed lines that can run were run")
      ->check(CLI::Range(0.0, 100.0));
  verb.add_option("--format", line.gate.format, "text, markdown, html, junit, sarif, json or annotations")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "markdown", "html", "junit", "sarif", "json", "annotations"}));
  verb.add_option("-o", line.gate.file, "file for that format (default: standard output)");
  verb.add_option("--output", line.output, "folder for results.db and a file of every format (default: out/gate)");
  verb.add_option("--db", line.run.database, "database in which 'last' is looked up (default: out/SUITE/results.db)");
  add_filters(verb, line);
  add_suites_folder(verb, line);
  verb.add_option("--jobs", line.run.jobs, "threads that judge cells (default: one per processor)")
      ->check(CLI::Range(1, 1024));
  verb.add_flag("!--no-expectations", line.run.with_expectations, "count expected failures like any others");
}

void add_bisect(CLI::App& verb, CommandLine& line)
{
  verb.add_option("--repo", line.bisect.repository, "git repository of the checkout")->required();
  verb.add_option("--good", line.bisect.good, "a ref on which the cell or the check passes")->required();
  verb.add_option("--bad", line.bisect.bad, "a later ref on which it fails")->required();
  verb.add_option("--cell", line.cell, "the cell to ask for");
  verb.add_option("--check", line.bisect.check, "the check that fails (default: any)");
  verb.add_option("--suite", line.gate.suite, "suite to find a failing cell in, without --cell (default: dispatch)");
  verb.add_flag("--json", line.json, "as JSON");
  add_filters(verb, line);
  add_suites_folder(verb, line);
}

void add_doctor(CLI::App& verb, CommandLine& line)
{
  verb.add_flag("--dispatch", line.dispatch, "what each subject would run on this machine, flag by flag");
  verb.add_option("--device", line.device, "answer --dispatch for this device instead (sm90, sm100, ...)");
}

void add_emulate(CLI::App& verb, CommandLine& line)
{
  EmulateOptions& emulate = line.emulate;
  verb.add_option("program", emulate.command, "the program and its arguments, after --")->required();
  verb.add_option(
      "--checks", emulate.checks,
      "only these, by comma: race, uninit, or a check's name (default: all; divergence, hangs, bounds, assert "
      "and trap are always on)");
  verb.add_option("--schedules", emulate.schedules,
                  "run each launch under so many orders of blocks and warps, from a snapshot of memory")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  verb.add_option("--arch", emulate.arch, "the device to be")->capture_default_str();
  verb.add_option("--sms", emulate.sms, "multiprocessors to report to the program")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb.add_option("--memory", emulate.memory_gib, "device memory in GiB")
      ->check(CLI::Range(0.001, 1024.0))
      ->capture_default_str();
  verb.add_option("--report", emulate.report, "also write the report to this file, as JSON");
  verb.add_option("--budget", emulate.budget, "warp instructions after which a launch counts as hung");
}

void add_merge(CLI::App& verb, CommandLine& line)
{
  verb.add_option("output", line.database, "database to write; made if it does not exist")->required();
  verb.add_option("inputs", line.databases, "databases of runs made with --shard")->required();
  verb.add_option("-o", line.output, "folder for the reports of the merged run (default: none)");
}

void add_migrate(CLI::App& verb, CommandLine& line)
{
  verb.add_option("database", line.database, "database of an older flashgate")->required();
}

void add_prune(CLI::App& verb, CommandLine& line)
{
  verb.add_option("database", line.database, "database to make smaller")->required();
  verb.add_option("--keep", line.keep, "runs to keep of each suite, the latest ones")
      ->required()
      ->check(CLI::Range(1, 1000000));
}

void add_expectations(CLI::App& verb, CommandLine& line)
{
  verb.add_option("what", line.what, "update or quarantine")->required();
  verb.add_option("database", line.database, "update: FILE.db or FILE.db#RUN");
  verb.add_option("--suite", line.run.suite, "quarantine: suite to run without its expectations")
      ->capture_default_str();
  add_subjects(verb, line);
  add_suites_folder(verb, line);
  verb.add_option("--output", line.output, "quarantine: folder for results.db (default: out/quarantine)");
  verb.add_flag("--dry-run", line.dry_run, "update: show the edit, change nothing");
}

void add_watch(CLI::App& verb, CommandLine& line)
{
  verb.add_option("command", line.watch.command, "the command and its arguments, after --")->required();
  verb.add_option("--timeout", line.watch.timeout_seconds,
                  "seconds without output or news of a test after which the command counts as hung")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  verb.add_option("--label", line.watch.label,
                  "what to call it in the database and the reports (default: the program)");
  verb.add_option("--output", line.output, "folder for junit.xml, watch.md, logs and results.db (default: out/watch)");
  verb.add_option("--db", line.run.database, "database to write (default: results.db in the output folder)");
}

void add_worker(CLI::App& verb, CommandLine& line)
{
  verb.add_option("supervisor", line.supervisor, "process number of the supervisor")->required();
}

void add_completion(CLI::App& verb, CommandLine& line)
{
  verb.add_option("shell", line.what, "bash or zsh")->required();
}

struct VerbRow
{
  Verb verb;
  void (*add_options)(CLI::App&, CommandLine&);
};

constexpr VerbRow kVerbs[] = {
    {{"run", "runs a suite and writes its database and reports", "flashgate run --suite smoke", run_verb}, add_run},
    {{"list", "lists axes, numerics, suites, subjects, checks, kernels, backends, constraints or cells",
      "flashgate list cells --suite dispatch --count", list_verb},
     add_list},
    {{"explain", "says why: every decision, every check, and what could serve the request",
      "flashgate explain rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192 --subject "
      "model:fleet-d",
      explain_verb},
     add_cell},
    {{"repro", "runs one cell alone, in the foreground; fails the same way",
      "flashgate repro cp_flashmask/flag_version=4,v4_import=no,deterministic=on,signature=legacy --subject "
      "model:fleet-d",
      repro_verb},
     add_cell},
    {{"graph", "draws how a subject decides, or what differs between two",
      "flashgate graph out/latest/results.db --subject model:fleet-d --against model:fleet-c -o diff.svg", graph_verb},
     add_graph},
    {{"report", "writes the reports of a run from its database", "flashgate report out/latest/results.db -o site",
      report_verb},
     add_report},
    {{"gate", "compares two runs, subjects or git refs cell by cell; fails if the head is worse",
      "flashgate gate --base model:fleet-c --head model:fleet-d", gate_verb},
     add_gate},
    {{"bisect", "finds the commit that broke a cell or a check",
      "flashgate bisect --repo ~/PaddleFleet --good v0.2 --bad HEAD --cell "
      "rr_flashmask/flag_version=4,deterministic=on",
      bisect_verb},
     add_bisect},
    {{"doctor", "what works on this machine and what to install; --dispatch: what would run here",
      "flashgate doctor --dispatch", doctor_verb},
     add_doctor},
    {{"emulate", "runs a CUDA program on the CPU: hangs, races, wild reads, by source line",
      "flashgate emulate --checks race,uninit -- ./my_program --size 512", emulate_verb},
     add_emulate},
    {{"expectations", "update: the smallest edit after which a run is as expected; quarantine: which lines can go",
      "flashgate expectations update out/latest/results.db --dry-run", expectations_verb},
     add_expectations},
    {{"merge", "puts the shards of a run together into one database",
      "flashgate merge all.db shard-1/results.db shard-2/results.db -o site", merge_verb},
     add_merge},
    {{"migrate", "brings a database of an older flashgate to this one's schema", "flashgate migrate results.db",
      migrate_verb},
     add_migrate},
    {{"prune", "removes all but the last runs of each suite from a database", "flashgate prune results.db --keep 30",
      prune_verb},
     add_prune},
    {{"watch", "runs any test command; names the test that hangs, dumps its stacks, goes on with the next",
      "flashgate watch --timeout 60 -- pytest tests", watch_verb},
     add_watch},
    {{"completion", "prints a completion script for a shell",
      "flashgate completion bash > ~/.local/share/bash-completion/completions/flashgate", completion_verb},
     add_completion},
    {{"worker", "executes what a run asks of it over a socket that it inherits", nullptr, worker_verb}, add_worker},
};

/// Builds the parser; `chosen` receives the verb whose sub-command was given.
std::unique_ptr<CLI::App> make_parser(CommandLine& line)
{
  auto parser = std::make_unique<CLI::App>(
      "flashgate: a conformance harness for FlashAttention/FlashMask dispatch and kernels", "flashgate");
  parser->set_version_flag("--version", matrix::build_info::kVersion);
  parser->require_subcommand(1);
  for (const VerbRow& row : kVerbs) {
    CLI::App* sub = parser->add_subcommand(row.verb.name, row.verb.summary);
    if (row.verb.example == nullptr)
      sub->group("");
    else
      sub->footer(std::string("Example:\n  ") + row.verb.example);
    row.add_options(*sub, line);
    sub->callback([&line, &row] { line.verb = &row.verb; });
  }
  return parser;
}

/// The command as a shell takes it.
std::string joined(int argc, const char* const* argv)
{
  std::string text = "flashgate";
  for (int i = 1; i < argc; ++i)
    text += " " + reports::shell_word(argv[i]);
  return text;
}

/// The long option names of a sub-command and of the program, without positionals.
std::string option_names(const CLI::App& app)
{
  std::string names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      names += (names.empty() ? "--" : " --") + name;
  return names;
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv)
{
  CommandLine line;
  line.run.suites_folder = default_suites_folder();
  line.run.command_line = joined(argc, argv);
  const auto parser = make_parser(line);
  try {
    parser->parse(argc, argv);
  } catch (const CLI::Success& help) {
    line.verb = nullptr;
    parser->exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "flashgate: %s (see flashgate --help)\n", matrix::printable(error.what()).c_str());
    line.verb = nullptr;
    line.exit_code = kUsageError;
  }
  return line;
}

std::string completion_script(const std::string& shell)
{
  if (shell != "bash" && shell != "zsh") throw Error("completion: expected bash or zsh");
  CommandLine unused;
  const auto parser = make_parser(unused);
  std::string verbs, cases;
  for (const CLI::App* sub : parser->get_subcommands({})) {
    if (sub->get_group().empty()) continue;
    verbs += (verbs.empty() ? "" : " ") + sub->get_name();
    cases += "    " + sub->get_name() + ") words=\"" + option_names(*sub) + "\" ;;\n";
  }
  const std::string zsh_header = shell == "zsh" ? "autoload -Uz bashcompinit && bashcompinit\n" : "";
  return zsh_header + "_flashgate() {\n  local words\n  case \"${COMP_WORDS[1]}\" in\n" + cases + "    *) words=\"" +
         verbs + " --help --version\" ;;\n  esac\n" +
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n" +
         "complete -o default -F _flashgate flashgate\n";
}

int completion_verb(const CommandLine& line)
{
  std::fputs(completion_script(line.what).c_str(), stdout);
  return 0;
}

}  // namespace flashgate::app
