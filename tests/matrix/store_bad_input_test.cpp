#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/matrix/store_fixture.h"

namespace flashgate::matrix {
namespace {

namespace fs = std::filesystem;

void write_file(const std::string& path, const std::string& content)
{
  std::ofstream(path, std::ios::binary) << content;
}

void make_database(const std::string& path, const std::string& sql)
{
  SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
}

/// The file is none of ours: what makes it, and what the Error says after its name.
struct Foreign
{
  const char* name;
  void (*make)(const std::string& path);
  const char* line;
};

const Foreign kForeign[] = {
    {"a text", [](const std::string& path) { write_file(path, "hello\n"); },
     ": not a SQLite database, expected a flashgate results database"},
    {"a long text", [](const std::string& path) { write_file(path, std::string(100'000, 'x')); },
     ": not a SQLite database, expected a flashgate results database"},
    {"another schema",
     [](const std::string& path) { make_database(path, "CREATE TABLE t(x); PRAGMA user_version = 7"); },
     ": a SQLite database of another program, expected a flashgate results database"},
    {"a database without a version", [](const std::string& path) { make_database(path, "CREATE TABLE t(x)"); },
     ": a SQLite database of another program, expected a flashgate results database"},
    {"another program's version 6",
     [](const std::string& path) { make_database(path, "CREATE TABLE t(x); PRAGMA user_version = 6"); },
     ": a SQLite database of another program, expected a flashgate results database"},
    {"another program's, in WAL mode",
     [](const std::string& path) { make_database(path, "PRAGMA journal_mode = WAL; CREATE TABLE t(x)"); },
     ": a SQLite database of another program, expected a flashgate results database"},
    {"a newer flashgate's",
     [](const std::string& path) {
       write_sample(path);
       make_database(path, "PRAGMA user_version = 99");
     },
     ": schema version 99, this flashgate reads and writes"},
    {"other axes",
     [](const std::string& path) {
       write_sample(path);
       make_database(path, "ALTER TABLE cell ADD COLUMN dtype TEXT");
     },
     ": its cells have columns id,name,path,"},
    {"a damaged one",
     [](const std::string& path) {
       write_sample(path);
       fs::resize_file(path, 5000);
     },
     ": damaged, expected a flashgate results database"},
};

/// While it lives, the process has no more rights than user nobody.
struct AsNobody
{
  AsNobody() { REQUIRE(seteuid(65534) == 0); }
  ~AsNobody() { (void)!seteuid(0); }
};

/// While it lives, no file may grow beyond `bytes`: a disk that runs full, for who can't mount one.
struct FileSizeLimit
{
  explicit FileSizeLimit(rlim_t bytes)
  {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit()
  {
    setrlimit(RLIMIT_FSIZE, &old_);
    signal(SIGXFSZ, SIG_DFL);
  }
  rlimit old_{};
};

/// Writes a batch and commits it, then batches without end until an Error comes. Returns its line.
std::string write_until_error(const std::string& file)
{
  Store store = Store::open_or_create(file);
  RunRecord run = run_of("default");
  const auto write_batch = [&](const std::string& name) {
    store.begin();
    const std::int64_t cell = store.intern_cells({default_cell(0)})[0];
    store.insert_plan(run.id, store.intern_subject(name, std::string(10'000, 'x')), cell, full_plan(), 0,
                      Verdict::pass);
    store.commit();
  };
  store.insert_run(run);
  write_batch("model:first");
  return error_of([&] {
    for (int i = 0; i < 10'000; ++i)
      write_batch(fmt::format("model:{}", i));
  });
}

}  // namespace

TEST_CASE("a file that is not ours is refused in one line that names it, and stays as it was")
{
  for (const Foreign& foreign : kForeign) {
    CAPTURE(foreign.name);
    const TempFolder folder;
    const std::string file = folder.file("results.db");
    foreign.make(file);
    const std::string before = file_bytes(file);
    for (const auto open : {Store::open_or_create, Store::open_read_only}) {
      const std::string line = error_of([&] { (void)open(file); });
      CHECK(line.starts_with(file + foreign.line));
      CHECK(line.find('\n') == std::string::npos);
    }
    CHECK(file_bytes(file) == before);
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  }
}

TEST_CASE("a path that can't be a database is refused in one line")
{
  const TempFolder folder;
  const std::string absent = folder.file("absent.db");
  CHECK(error_of([&] { (void)Store::open_read_only(absent); }) ==
        absent + ": no such file, expected a results database");
  CHECK_FALSE(fs::exists(absent));

  write_file(folder.file("empty.db"), "");
  CHECK(error_of([&] { (void)Store::open_read_only(folder.file("empty.db")); }) ==
        folder.file("empty.db") + ": is empty, expected a results database");
  CHECK(error_of([&] { (void)Store::open_or_create(folder.file("empty.db")); }) == "");

  const std::pair<std::string, std::string> refused[] = {
      {folder.path().string(), ": is a folder, expected a results database"},
      {"/dev/null", ": is not a regular file, expected a results database"},
      {folder.file("no/such/results.db"), ": its folder " + folder.file("no/such") + " does not exist"},
      {folder.file("empty.db/results.db"), ": its folder " + folder.file("empty.db") + " does not exist"},
      {"", "no name given for the results database"}};
  for (const auto& [path, line] : refused) {
    CAPTURE(path);
    CHECK(error_of([&] { (void)Store::open_or_create(path); }) == path + line);
  }
}

TEST_CASE("names that SQLite would take for something else are names of files")
{
  const TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  for (const std::string name : {":memory:", "file:x?mode=memory", "50%20#1.db"}) {
    CAPTURE(name);
    RunRecord run = run_of("default");
    Store::open_or_create(name).insert_run(run);
    CHECK(fs::exists(folder.path() / name));
    CHECK(Store::open_read_only(name).runs().size() == 1);
  }
  fs::current_path(before);
}

TEST_CASE("files and folders without the right to write or read are refused, and readers cope" *
          doctest::skip(geteuid() != 0))
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  write_sample(file);
  const std::string before = file_bytes(file);
  fs::permissions(folder.path(), fs::perms{0755});
  const AsNobody nobody;
  const auto write_error = [](const std::string& path) { return error_of([&] { (void)Store::open_or_create(path); }); };

  CHECK(write_error(folder.file("new.db")) ==
        folder.file("new.db") + ": its folder " + folder.path().string() + " cannot be written: Permission denied");
  CHECK(write_error(file).find("cannot be written: Permission denied") != std::string::npos);
  CHECK(Store::open_read_only(file).runs().size() == 2);
  CHECK(file_bytes(file) == before);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a file that can't be written or read in a folder that can is refused" * doctest::skip(geteuid() != 0))
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  write_sample(file);
  fs::permissions(folder.path(), fs::perms{0777});
  {
    const AsNobody nobody;
    CHECK(error_of([&] { (void)Store::open_or_create(file); }) == file + ": cannot be written: Permission denied");
    CHECK(Store::open_read_only(file).runs().size() == 2);
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  }
  fs::permissions(file, fs::perms{0200});
  const AsNobody nobody;
  CHECK(error_of([&] { (void)Store::open_read_only(file); }) == file + ": cannot be read: Permission denied");
}

TEST_CASE("a database left by a crash is readable where nothing can be written, or says what to do" *
          doctest::skip(geteuid() != 0))
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  const std::string crashed = folder.file("crashed.db");
  {
    Store store = Store::open_or_create(file);
    RunRecord run = run_of("default");
    store.insert_run(run);
    fs::copy_file(file, crashed);
    fs::copy_file(file + "-wal", crashed + "-wal");
  }
  fs::permissions(folder.path(), fs::perms{0755});
  const AsNobody nobody;
  CHECK(error_of([&] { (void)Store::open_read_only(crashed); }) ==
        crashed + ": was not closed properly, and its folder cannot be written; copy it and crashed.db-wal elsewhere");
}

TEST_CASE("a disk that runs full is an Error, and what was committed is kept")
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  std::string line;
  {
    const FileSizeLimit limit(400'000);
    line = write_until_error(file);
  }
  CHECK(line.starts_with(file + ": the disk "));
  CHECK(line.find('\n') == std::string::npos);
  CHECK(query(file, "SELECT count(*) FROM subject WHERE name = 'model:first'") == std::vector<std::string>{"1"});
  CHECK(query(file, "PRAGMA integrity_check") == std::vector<std::string>{"ok"});
  CHECK(Store::open_read_only(file).runs().size() == 1);
}

TEST_CASE("a full file system is an Error, and what was committed is kept" * doctest::skip(geteuid() != 0))
{
  const TempFolder folder;
  if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) return;  // not every root may
  const std::string file = folder.file("results.db");
  const std::string line = write_until_error(file);
  CHECK(line.starts_with(file + ": the disk is full; what was committed before is kept"));
  CHECK(query(file, "SELECT count(*) FROM subject WHERE name = 'model:first'") == std::vector<std::string>{"1"});

  write_file(folder.file("rest"), std::string(2'000'000, 'x'));  // takes whatever is left
  const std::string none = error_of([&] { (void)Store::open_or_create(folder.file("new.db")); });
  CHECK(none.starts_with(folder.file("new.db") + ": the disk "));
  CHECK(umount(folder.path().c_str()) == 0);
}

}  // namespace flashgate::matrix
