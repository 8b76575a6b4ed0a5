#pragma once
#include <cstdint>
#include <string_view>

namespace gazellemq::hub {

/// Where sessions bring what administrators ask for. Implemented in hub/admin, which answers by Broker::answer(), at once or later.
class AdminPort {
  public:
    virtual void request(std::uint64_t session, std::uint32_t requestId, std::string_view operation, std::string_view arguments) = 0;

  protected:
    ~AdminPort() = default;
};

}  // namespace gazellemq::hub
