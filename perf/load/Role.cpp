#include "Role.hpp"

#include <map>

#include "Failure.hpp"

namespace gazellemq::perf {

int playRole(std::string_view name, std::string const& spec) {
    static std::map<std::string_view, Role> const roles{{role::kPublisher, runPublisher},
                                                        {role::kSubscriber, runSubscriber},
                                                        {role::kRawPublisher, runRawPublisher},
                                                        {role::kRawSubscriber, runRawSubscriber},
                                                        {role::kRelay, runRelay},
                                                        {role::kTimedPublisher, runTimedPublisher},
                                                        {role::kTimedSubscriber, runTimedSubscriber},
                                                        {role::kRawTimedPublisher, runRawTimedPublisher},
                                                        {role::kRawTimedSubscriber, runRawTimedSubscriber},
                                                        {role::kPinger, runPinger},
                                                        {role::kPonger, runPonger},
                                                        {role::kRawPinger, runRawPinger},
                                                        {role::kRawPonger, runRawPonger},
                                                        {role::kSteadyPublisher, runSteadyPublisher},
                                                        {role::kSlowSubscriber, runSlowSubscriber},
                                                        {role::kChurner, runChurner},
                                                        {role::kIdleClients, runIdleClients},
                                                        {role::kReconnectingClients, runReconnectingClients},
                                                        {role::kStalledSubscribers, runStalledSubscribers}};
    ParentLink parent;
    try {
        roles.at(name)(nlohmann::json::parse(spec).get<RoleSpec>(), parent);
        parent.waitForEnd();
        return 0;
    } catch (std::exception const& error) {
        parent.send("error", {{"reason", error.what()}});
        return 1;
    }
}

}  // namespace gazellemq::perf
