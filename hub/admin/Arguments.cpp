#include "Arguments.hpp"

#include <algorithm>

#include "BadArgument.hpp"

namespace gazellemq::hub {
namespace {

nlohmann::json parse(std::string_view text) {
    if (text.empty()) return nlohmann::json::object();
    return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace

Arguments::Arguments(std::string_view text, std::initializer_list<std::string_view> allowed) : object_(parse(text)) {
    check("the arguments", allowed);
}

Arguments::Arguments(nlohmann::json const& object, std::string what, std::initializer_list<std::string_view> allowed) : object_(object) {
    check(what, allowed);
}

void Arguments::check(std::string const& what, std::initializer_list<std::string_view> allowed) const {
    if (!object_.is_object()) throw BadArgument{what + " are not a JSON object such as {\"name\": \"orders\"}"};
    for (auto const& [name, value] : object_.items()) {
        if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
        std::string names;
        for (auto const known : allowed) names += (names.empty() ? "" : ", ") + std::string{known};
        throw BadArgument{"there is no '" + name + "' in " + what + (names.empty() ? ": leave it out" : ": there are " + names)};
    }
}

void Arguments::require(std::string const& name) const {
    if (!has(name)) throw BadArgument{"'" + name + "' is missing"};
}

std::string Arguments::text(std::string const& name) const {
    require(name);
    if (!at(name).is_string()) throw BadArgument{"'" + name + "' is not a text"};
    return at(name).get<std::string>();
}

std::optional<std::string> Arguments::optionalText(std::string const& name) const {
    if (!has(name)) return std::nullopt;
    return text(name);
}

std::uint64_t Arguments::number(std::string const& name, std::uint64_t least, std::uint64_t most) const {
    require(name);
    auto const& value = at(name);
    if (value.is_number_unsigned() && value.get<std::uint64_t>() >= least && value.get<std::uint64_t>() <= most) {
        return value.get<std::uint64_t>();
    }
    throw BadArgument{"'" + name + "' is " + value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                      ": it must be a whole number from " + std::to_string(least) + " to " + std::to_string(most)};
}

}  // namespace gazellemq::hub
