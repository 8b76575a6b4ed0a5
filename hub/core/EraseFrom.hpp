#pragma once
#include <cstddef>
#include <vector>

namespace gazellemq::hub {

/// Takes an item that knows its place out of a list: with thousands of readers no search, as they may all leave together.
template <typename T>
void eraseFrom(std::vector<T*>& list, T& item, std::size_t T::*index) {
    list.back()->*index = item.*index;
    list[item.*index] = list.back();
    list.pop_back();
}

}  // namespace gazellemq::hub
