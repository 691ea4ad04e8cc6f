#include "sim/dispatch/checkout_subject.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "reference/error.h"
#include "sim/checkout/git_repository.h"
#include "sim/checkout/paddle_source.h"
#include "sim/dispatch/process_subject.h"
#include "sim/process/plain_line.h"
#include "sim/process/scratch_folder.h"

namespace flashgate::sim {

// The driver's files, embedded by the build.
extern const std::string_view kDriverCheckout, kDriverConfinement, kDriverEntries, kDriverInstrument, kDriverKernels,
    kDriverMain, kDriverPaddleSource, kDriverPaddleStub, kDriverPlaceholder, kDriverRunner, kDriverSession,
    kDriverTensor, kDriverWorld;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "fleet:";
constexpr std::string_view kPaddleOption = "?paddle=";
constexpr std::uintmax_t kLargestFile = 4 << 20;
constexpr std::size_t kMostFiles = 100'000;

/// A subject whose workers' files live as long as it does.
class CheckoutSubject : public ProcessSubject
{
 public:
  CheckoutSubject(std::string name, std::string description, WorkerSettings settings,
                  std::unique_ptr<ScratchFolder> scratch)
      : ProcessSubject(std::move(name), std::move(description), std::move(settings)), scratch_(std::move(scratch))
  {
  }

 private:
  std::unique_ptr<ScratchFolder> scratch_;
};

void write_driver(const ScratchFolder& scratch)
{
  const std::array<std::pair<const char*, std::string_view>, 13> files{{
      {"checkout.py", kDriverCheckout},
      {"confinement.py", kDriverConfinement},
      {"entries.py", kDriverEntries},
      {"instrument.py", kDriverInstrument},
      {"kernels.py", kDriverKernels},
      {"driver.py", kDriverMain},
      {"paddle_source.py", kDriverPaddleSource},
      {"paddle_stub.py", kDriverPaddleStub},
      {"placeholder.py", kDriverPlaceholder},
      {"runner.py", kDriverRunner},
      {"session.py", kDriverSession},
      {"tensor.py", kDriverTensor},
      {"world.py", kDriverWorld},
  }};
  for (const auto& [name, text] : files)
    scratch.write(name, text);
}

/// Python files of a folder, as they are on disk now. Hidden folders and links are left out.
std::vector<SourceFile> files_in(const fs::path& folder)
{
  std::vector<SourceFile> files;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(folder, options); entry != fs::recursive_directory_iterator();
       ++entry) {
    if (entry->is_symlink()) continue;
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && name.starts_with('.')) entry.disable_recursion_pending();
    if (!entry->is_regular_file() || entry->path().extension() != ".py" || entry->file_size() > kLargestFile) continue;
    std::ifstream in(entry->path(), std::ios::binary);
    files.push_back({entry->path().lexically_relative(folder).generic_string(),
                     std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())});
    if (files.size() > kMostFiles) throw Error(plain_line(folder.string(), 200) + ": has too many Python files");
  }
  return files;
}

/// The checkout's files and what commit they are of.
struct CheckoutFiles
{
  std::vector<SourceFile> files;
  std::string revision = "working tree";
};

CheckoutFiles read_files(const CheckoutPlace& place)
{
  if (place.ref.empty()) return {files_in(place.folder)};
  const GitRepository repository(place.folder);
  const Commit commit = repository.commit(place.ref);
  return {repository.files_at(commit.id, ".py"), commit.id.substr(0, 12) + " " + commit.subject};
}

/// What the driver reads: a line of JSON with the files' names and sizes, then their bytes.
std::string bundle_of(const std::string& name, const CheckoutFiles& checkout, const std::optional<PaddleSource>& paddle)
{
  nlohmann::json index{{"name", name}, {"revision", checkout.revision}, {"files", nlohmann::json::array()}};
  std::string bytes;
  for (const SourceFile& file : checkout.files) {
    index["files"].push_back({file.path, file.text.size()});
    bytes += file.text;
  }
  if (paddle) {
    index["paddle"] = {paddle->file.path, paddle->file.text.size()};
    bytes += paddle->file.text;
  }
  return index.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n" + bytes;
}

bool is_rule(const std::string& rule)
{
  for (const std::string_view known : {"legacy", "block_mask", "group", "accepting"})
    if (rule == known) return true;
  return false;
}

void check_folder(const std::string& name, const std::string& folder, const char* otherwise)
{
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  throw Error(plain_line(name, 300) + ": there is no folder " + plain_line(folder, 200) + otherwise);
}

}  // namespace

std::optional<CheckoutName> parse_checkout_name(const std::string& subject)
{
  if (!subject.starts_with(kPrefix)) return std::nullopt;
  std::string place = subject.substr(kPrefix.size());
  CheckoutName name;
  if (const std::size_t option = place.rfind(kPaddleOption); option != std::string::npos) {
    const std::string paddle = place.substr(option + kPaddleOption.size());
    place.resize(option);
    if (is_rule(paddle))
      name.paddle_rule = paddle;
    else
      name.paddle = parse_place(paddle);
  }
  name.place = parse_place(place);
  return name;
}

std::shared_ptr<const Subject> open_checkout(const std::string& name, const CheckoutName& checkout)
{
  check_folder(name, checkout.place.folder, "");
  if (checkout.paddle)
    check_folder(name, checkout.paddle->folder, ", and Paddle has no such rule: legacy, block_mask, group, accepting");
  const CheckoutFiles files = read_files(checkout.place);
  std::optional<PaddleSource> paddle;
  if (checkout.paddle) paddle = find_paddle_source(*checkout.paddle);
  auto scratch = std::make_unique<ScratchFolder>();
  write_driver(*scratch);
  scratch->write("bundle", bundle_of(name, files, paddle));
  WorkerSettings settings;
  settings.argv = {"python3", "-I", "-S", "-B", (scratch->path() / "driver.py").string()};
  settings.environment = {"FLASHGATE_BUNDLE=" + (scratch->path() / "bundle").string(),
                          "FLASHGATE_PADDLE_RULE=" + checkout.paddle_rule, "PYTHONHASHSEED=0"};
  settings.folder = scratch->path().string();
  std::string description = "dispatch code of a checkout, " + files.revision;
  if (paddle) description += "; Paddle's function of " + paddle->revision;
  if (!network_can_be_taken_away()) description += "; network denied by the driver only";
  return std::make_shared<const CheckoutSubject>(name, std::move(description), std::move(settings), std::move(scratch));
}

std::shared_ptr<const Subject> open_program(const std::string& name, const std::string& command)
{
  auto scratch = std::make_unique<ScratchFolder>();
  WorkerSettings settings;
  settings.argv = {"/bin/sh", "-c", "cd \"$FLASHGATE_FOLDER\" && exec /bin/sh -c \"$FLASHGATE_COMMAND\""};
  settings.environment = {"FLASHGATE_FOLDER=" + fs::current_path().string(), "FLASHGATE_COMMAND=" + command};
  settings.folder = scratch->path().string();
  return std::make_shared<const CheckoutSubject>(name, "a program that speaks the subject protocol",
                                                 std::move(settings), std::move(scratch));
}

}  // namespace flashgate::sim
