#include "Table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace gazellemq::tools {
namespace {

/// Characters, not bytes, of UTF-8.
std::size_t widthOf(std::string const& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string Table::toText() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (auto const& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], widthOf(row[i]));
    }
    std::string text;
    for (auto const& row : rows_) {
        std::string line = row[0];
        if (row.size() > 1) line.append(widths[0] - widthOf(row[0]), ' ');
        for (std::size_t i = 1; i < row.size(); ++i) line += "  " + std::string(widths[i] - widthOf(row[i]), ' ') + row[i];
        text += line + "\n";
    }
    return text;
}

std::string sizeText(double bytes) {
    constexpr std::array kUnits{"B", "KB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
    return text.data();
}

std::string printable(std::string_view text) {
    std::string safe{text};
    for (std::size_t i = 0; i < safe.size(); ++i) {
        auto const c = static_cast<unsigned char>(safe[i]);
        // U+0080 to U+009F are control characters too.
        auto const c1 = c == 0xC2 && i + 1 < safe.size() && static_cast<unsigned char>(safe[i + 1]) < 0xA0;
        if (c < 0x20 || c == 0x7F) safe[i] = '?';
        if (c1) safe.replace(i, 2, "?");
    }
    return safe;
}

}  // namespace gazellemq::tools
