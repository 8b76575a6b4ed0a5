#pragma once
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "AdminClient.hpp"
#include "Command.hpp"

namespace gazellemq::tools {

using Json = nlohmann::ordered_json;

/// The hub said no, or cannot be reached.
struct Failure {
    Error error;
    std::string sentence;

    int exitCode() const {
        return error == Error::linkLost || error == Error::timeout ? kUnreachable : kRefused;
    }
};

/// A connection for the operations of administrators. Everything throws Failure.
class Hub {
  public:
    explicit Hub(Global const& global);

    Json ask(std::string_view operation, Json const& arguments = Json::object());
    /// All pages of a list, whose entries stand under `entries`, as one.
    Json askAll(std::string_view operation, Json arguments, std::string const& entries);

  private:
    Global const& global_;
    client::AdminClient client_;
};

/// Prints what went wrong: a line on stderr, or with --json an object on stdout.
int tell(Global const& global, Failure const& failure);

}  // namespace gazellemq::tools
