// Every public header in a second file: a definition that is not inline would now exist twice.
#include "second.hpp"

#include <string_view>

#include <gazellemq/Error.hpp>
#include <gazellemq/Message.hpp>
#include <gazellemq/Options.hpp>
#include <gazellemq/hub/Limits.hpp>
#include <gazellemq/hub/Server.hpp>

#include <PublisherClient.hpp>
#include <SubscriberClient.hpp>

bool freeFunctionsWork() {
    using namespace gazellemq;
    boost::system::error_code const error = Error::closed;
    return std::string_view{error.category().name()} == "gazellemq" && nameOf(Error::bufferFull) == "bufferFull" &&
           !describe(Error::closed).empty() && client::nameOf(client::State::ready) == "ready" &&
           client::getPublisherClient().state() != client::State::ready &&
           client::getSubscriberClient().subscribe("").error() == Error::nameEmpty;
}
