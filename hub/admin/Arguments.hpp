#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace gazellemq::hub {

/// The arguments of an operation: a JSON object of which nothing is ignored. Everything throws BadArgument.
class Arguments {
  public:
    /// `text` is an object with no names but `allowed`; empty text is an empty object.
    Arguments(std::string_view text, std::initializer_list<std::string_view> allowed);
    Arguments(nlohmann::json const& object, std::string what, std::initializer_list<std::string_view> allowed);

    bool has(std::string const& name) const { return object_.contains(name); }
    nlohmann::json const& at(std::string const& name) const { return object_.at(name); }
    std::string text(std::string const& name) const;
    std::optional<std::string> optionalText(std::string const& name) const;
    std::uint64_t number(std::string const& name, std::uint64_t least, std::uint64_t most) const;
    std::uint64_t numberOr(std::string const& name, std::uint64_t preset, std::uint64_t least, std::uint64_t most) const {
        return has(name) ? number(name, least, most) : preset;
    }

  private:
    void check(std::string const& what, std::initializer_list<std::string_view> allowed) const;
    void require(std::string const& name) const;

    nlohmann::json object_;
};

}  // namespace gazellemq::hub
