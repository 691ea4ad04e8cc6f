// A subject of flashgate in C++: a dispatcher that refuses every request, in forward and with one clear error.
//   flashgate run --suite smoke --subject exec:build/release/refuses_all
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include <unistd.h>

namespace {

using nlohmann::json;

json plan() { return {{"error", {{"phase", "fwd"}, {"kind", "ValueError"}, {"message", "refused on principle"}}}}; }

void answer(std::FILE* out, const json& message)
{
  if (message.contains("hello")) {
    const json paths{"rr_flashmask", "rr_flash", "cp_flashmask", "rr_cp_flashmask", "paddle_functional"};
    const json hello{{"protocol", 1}, {"name", "refuses all"}, {"revision", "1"}, {"paths", paths}};
    std::fprintf(out, "%s\n", json{{"hello", hello}}.dump().c_str());
    return;
  }
  for (const json& cell : message.at("cells")) {
    const json ranks(cell.at("worlds").size(), plan());
    std::fprintf(out, "%s\n",
                 json{{"batch", message.at("batch")}, {"cell", cell.at("id")}, {"ranks", ranks}}.dump().c_str());
  }
  std::fprintf(out, "%s\n", json{{"batch", message.at("batch")}, {"done", true}}.dump().c_str());
}

}  // namespace

int main()
{
  const char* number = std::getenv("FLASHGATE_PROTOCOL_FD");
  if (number == nullptr) return 3;
  const int fd = std::atoi(number);
  std::FILE* in = fdopen(fd, "r");
  std::FILE* out = fdopen(dup(fd), "w");
  char* line = nullptr;
  std::size_t room = 0;
  while (in != nullptr && out != nullptr && getline(&line, &room, in) > 0) {
    answer(out, json::parse(line));
    std::fflush(out);
  }
  std::free(line);
}
