#include "TopicName.hpp"

#include "Fuzz.hpp"

namespace {

using namespace gazellemq;
using namespace gazellemq::protocol;
using test::require;

bool naiveMatches(std::string_view pattern, std::string_view topic) {
    auto const wanted = nextLevel(pattern);
    if (wanted == ">") return true;
    auto const level = nextLevel(topic);
    if (wanted != "*" && wanted != level) return false;
    if (pattern.empty() || topic.empty()) return pattern.empty() && topic.empty();
    return naiveMatches(pattern, topic);
}

/// A pattern, a newline, a topic.
void fuzz(std::string_view input) {
    auto const cut = input.find('\n');
    auto const pattern = input.substr(0, cut);
    auto const topic = cut == std::string_view::npos ? pattern : input.substr(cut + 1);
    auto const patternError = checkPattern(pattern);
    auto const topicError = checkTopic(topic);
    require(nameOf(patternError) != "unknown" && nameOf(topicError) != "unknown");
    if (topicError == Error::ok) {
        require(!topic.empty() && topic.size() <= kMaxTopicBytes && !hasWildcard(topic) &&
                checkPattern(topic) == Error::ok);
        require(matches(topic, topic) && matches(">", topic));
    }
    auto const matched = matches(pattern, topic);  // must not crash on invalid names either
    if (patternError == Error::ok && topicError == Error::ok)
        require(matched == naiveMatches(pattern, topic));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz(asText(test::asBytes(data, size)));
    return 0;
}
