#include "gpu/runtime/program_file.h"

#include <cstdlib>
#include <memory>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include "reference/error.h"

namespace flashgate::gpu::runtime {
namespace {

namespace fs = std::filesystem;

/// What an ELF file says about itself, as far as it matters here.
struct ElfFacts
{
  std::vector<std::string> needed;  ///< shared libraries
  bool has_fat_binary = false;
};

class ElfFile
{
 public:
  explicit ElfFile(const fs::path& path) : path_(path.string())
  {
    elf_version(EV_CURRENT);
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw Error(path_ + ": can't be read");
    elf_ = elf_begin(descriptor_, ELF_C_READ, nullptr);
    GElf_Ehdr header;
    if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF || gelf_getehdr(elf_, &header) == nullptr ||
        header.e_machine != EM_X86_64) {
      close_all();
      throw Error(path_ + ": expected a program for x86-64 Linux (scripts: give the interpreter as the program)");
    }
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile() { close_all(); }

  ElfFacts facts() const
  {
    ElfFacts found;
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0) return found;
    for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr; section = elf_nextscn(elf_, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      const char* name = elf_strptr(elf_, names, header.sh_name);
      if (name != nullptr && std::string(name) == ".nv_fatbin") found.has_fat_binary = true;
      if (header.sh_type == SHT_DYNAMIC) add_needed(section, header, found);
    }
    return found;
  }

 private:
  void add_needed(Elf_Scn* section, const GElf_Shdr& header, ElfFacts& found) const
  {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) return;
    for (int i = 0; static_cast<std::uint64_t>(i) < header.sh_size / header.sh_entsize; ++i) {
      GElf_Dyn entry;
      if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag != DT_NEEDED) continue;
      const char* name = elf_strptr(elf_, header.sh_link, entry.d_un.d_val);
      if (name != nullptr) found.needed.emplace_back(name);
    }
  }

  void close_all()
  {
    if (elf_ != nullptr) elf_end(elf_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  std::string path_;
  int descriptor_ = -1;
  Elf* elf_ = nullptr;
};

/// Libraries of the CUDA toolkit that hold kernels or drive the GPU themselves.
bool is_cuda_library(const std::string& name)
{
  for (const char* prefix : {"libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver", "libcusparse", "libnccl",
                             "libnvrtc", "libnvJitLink", "libnpp", "libcufile", "libcuda.so"})
    if (name.starts_with(prefix)) return true;
  return false;
}

/// By its permission bits: to root, access() calls some files executable that are not.
bool is_executable(const fs::path& file)
{
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  constexpr fs::perms kAny = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  return fs::is_regular_file(status) && (status.permissions() & kAny) != fs::perms::none &&
         access(file.c_str(), X_OK) == 0;
}

}  // namespace

void check_program(const fs::path& program, const std::string& runtime_library)
{
  const ElfFacts facts = ElfFile(program).facts();
  bool shared_runtime = false;
  for (const std::string& library : facts.needed) {
    if (is_cuda_library(library))
      throw Error(program.string() + ": needs " + library + ", and CUDA's libraries are not emulated");
    if (!library.starts_with("libcudart.so")) continue;
    if (library != runtime_library)
      throw Error(program.string() + ": needs " + library + ", and the stand-in was built for " + runtime_library);
    shared_runtime = true;
  }
  if (facts.has_fat_binary && !shared_runtime)
    throw Error(program.string() + ": holds CUDA code but is linked with the static CUDA runtime; build it with " +
                "`nvcc -cudart shared -gencode arch=compute_80,code=compute_80`");
}

fs::path find_program(const std::string& command)
{
  if (command.find('/') != std::string::npos) {
    if (!is_executable(command)) throw Error(command + ": no such program, or it is not executable");
    return command;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / command;
    if (is_executable(candidate)) return candidate;
  }
  throw Error(command + ": no such program on PATH");
}

}  // namespace flashgate::gpu::runtime
