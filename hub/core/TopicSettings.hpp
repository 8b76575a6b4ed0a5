#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gazellemq/hub/Limits.hpp"

namespace gazellemq::hub {

/// Which policies for slow consumers a subscription may choose instead of the topic's own.
class PolicyChoice {
  public:
    constexpr PolicyChoice() = default;
    constexpr void allow(SlowPolicy policy) { bits_ = static_cast<std::uint8_t>(bits_ | bit(policy)); }
    constexpr bool allows(SlowPolicy policy) const { return (bits_ & bit(policy)) != 0; }
    bool operator==(PolicyChoice const&) const = default;

  private:
    static constexpr std::uint8_t bit(SlowPolicy policy) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(policy)); }
    std::uint8_t bits_ = 0;
};

/// What a topic is like. All but the number of partitions can be changed while the topic lives; subscriptions keep the policy that they
/// began with.
struct TopicSettings {
    std::uint16_t partitions = 1;                      ///< logs, each with an order of its own
    std::size_t windowBytes = Limits{}.windowBytes;    ///< batches kept for readers that are behind, over all partitions
    std::size_t retainBytes = Limits{}.retainBytes;    ///< of these, what stays for readers to come
    SlowPolicy slowConsumer = SlowPolicy::block;       ///< of subscriptions by name that choose none
    SlowPolicy slowWildcard = SlowPolicy::dropOldest;  ///< of subscriptions by wildcard that choose none; not block
    PolicyChoice choice;                               ///< what subscriptions may choose beside that
    std::uint32_t maxSubscriptions = 0;                ///< 0: no limit but the hub's
    std::uint32_t maxPublishers = 0;                   ///< connections that have it open for publishing; 0: no limit

    bool operator==(TopicSettings const&) const = default;

    /// Of topics that are made by their first use.
    static TopicSettings defaults(Limits const& limits) {
        TopicSettings settings;
        settings.windowBytes = limits.windowBytes;
        settings.retainBytes = std::min(limits.retainBytes, limits.windowBytes);
        settings.slowConsumer = limits.slowConsumer;
        settings.slowWildcard = limits.slowWildcard;
        return settings;
    }
};

}  // namespace gazellemq::hub
