#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "gazellemq/Error.hpp"
#include "gazellemq/Options.hpp"

namespace gazellemq::client {

/// What the hub answered to a request.
struct AdminAnswer {
    Error error = Error::ok;
    std::string sentence;  ///< what was wrong and how to put it right; empty without an error
    std::string result;    ///< a JSON object; empty with an error
};

/// Asks a hub to create, change and show topics and connections: what the program `gazelle` does. Operations, arguments and results
/// are in PROTOCOL.md, "Administration".
///
///     AdminClient admin;
///     admin.connectToHub("setup", "tcp://localhost");
///     auto answer = admin.request("topic.create", R"({"name": "orders", "settings": {"window_bytes": 1048576}})", 5s);
///
/// Any thread may call any function; requests of several threads go one after the other. Not movable.
class AdminClient {
  public:
    AdminClient();
    /// close().
    ~AdminClient();
    AdminClient(AdminClient const&) = delete;
    AdminClient& operator=(AdminClient const&) = delete;

    /// Starts connecting, and again after a lost link. Returns at once. Errors: alreadyConnected, invalidUrl, invalidOption, closed.
    Error connectToHub(std::string_view name, std::string_view url, ConnectionOptions const& options = {});

    /// Blocks until the hub has answered. `arguments` is a JSON object or empty, at most 65,535 bytes. Errors beside the hub's: tooLarge;
    /// linkLost if the hub cannot be reached, or is lost before it answers (then the operation may have been done); timeout; closed.
    AdminAnswer request(std::string_view operation, std::string_view arguments, std::chrono::milliseconds timeout);

    /// Ends the connection; requests that wait return.
    void close();

  private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gazellemq::client
