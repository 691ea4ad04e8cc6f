#include "matrix/isolation/stage_page.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>

#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {

struct StagePage::Layout
{
  std::atomic<std::uint64_t> begun;  ///< 1 + the id of the latest request
  std::atomic<std::uint64_t> changes;
  char text[160];  ///< ends with a zero byte, if it is honest
};

StagePage::StagePage()
{
  // Sealed, because a page that a worker cut off would kill the supervisor that reads it.
  file_ = sim::UniqueFd(memfd_create("flashgate-stage", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file_ || ftruncate(file_.get(), sizeof(Layout)) != 0 ||
      fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw Error(std::string("can't make a page to share with a worker: ") + std::strerror(errno));
  map(file_.get());
}

StagePage::StagePage(int descriptor) { map(descriptor); }

StagePage::~StagePage() { munmap(page_, sizeof(Layout)); }

void StagePage::map(int descriptor)
{
  void* page = mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) throw Error(std::string("can't map the page of a worker's stages: ") + std::strerror(errno));
  page_ = static_cast<Layout*>(page);
}

void StagePage::begin(std::uint64_t id) noexcept
{
  page_->begun.store(id + 1, std::memory_order_release);
  enter("reading its request");
}

bool StagePage::has_begun(std::uint64_t id) const { return page_->begun.load(std::memory_order_acquire) > id; }

void StagePage::enter(std::string_view stage) noexcept
{
  const std::size_t length = std::min(stage.size(), sizeof(page_->text) - 1);
  std::memcpy(page_->text, stage.data(), length);
  page_->text[length] = '\0';
  page_->changes.fetch_add(1, std::memory_order_release);
}

std::uint64_t StagePage::changes() const { return page_->changes.load(std::memory_order_acquire); }

std::string StagePage::stage() const
{
  return printable(std::string_view(page_->text, strnlen(page_->text, sizeof(page_->text))));
}

}  // namespace flashgate::matrix
