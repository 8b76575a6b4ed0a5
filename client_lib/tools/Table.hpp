#pragma once
#include <string>
#include <vector>

namespace gazellemq::tools {

/// Lines of columns for people: the first column to the left, the others, numbers mostly, to the right. Pure.
class Table {
  public:
    explicit Table(std::vector<std::string> heads) : rows_{std::move(heads)} {}

    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.size() == 1; }
    std::string toText() const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

/// "8.4 MB", "512 B"; 1 KB is 1024 bytes, as in options
std::string sizeText(double bytes);

/// Nothing in it steers a terminal: control characters become '?'.
std::string printable(std::string_view text);

}  // namespace gazellemq::tools
