#include "gpu/emulator/memory/race_cells.h"

namespace flashgate::gpu {
namespace {

void make_fine(RaceCells::Segment& segment)
{
  std::vector<RaceCell> fine(RaceCells::kSegmentBytes);
  for (std::size_t byte = 0; byte < fine.size(); ++byte)
    fine[byte] = segment.cells[byte / segment.granule];
  segment.cells = std::move(fine);
  segment.granule = 1;
}

}  // namespace

RaceCells::Segment& RaceCells::segment(std::size_t offset, std::size_t bytes)
{
  const std::size_t index = offset / kSegmentBytes;
  if (index >= segments_.size()) segments_.resize(index + 1);
  std::unique_ptr<Segment>& segment = segments_[index];
  if (segment == nullptr) {
    segment = std::make_unique<Segment>();
    segment->cells.resize(kSegmentBytes / segment->granule);
  }
  if (segment->granule != 1 && (offset % 4 != 0 || bytes % 4 != 0)) make_fine(*segment);
  return *segment;
}

}  // namespace flashgate::gpu
