#pragma once
#include "Role.hpp"

namespace gazellemq::perf {

inline std::string pingTopic(RoleSpec const& spec) { return spec.topicPrefix + ".ping"; }
inline std::string pongTopic(RoleSpec const& spec) { return spec.topicPrefix + ".pong"; }

}  // namespace gazellemq::perf
