#include "Ask.hpp"

#include <iostream>

namespace gazellemq::tools {

Hub::Hub(Global const& global) : global_(global) {
    client::ConnectionOptions options;
    options.connectTimeout = global.timeout;
    auto const error = client_.connectToHub("gazelle", global.hub, options);
    if (error != Error::ok) throw Failure{error, "'" + global.hub + "': " + std::string{describe(error)}};
}

Json Hub::ask(std::string_view operation, Json const& arguments) {
    auto answer = client_.request(operation, arguments.dump(), global_.timeout);
    if (answer.error == Error::linkLost || answer.error == Error::timeout) {
        answer.sentence = global_.hub + ": " + answer.sentence + "; is gazelle-hub running there? (--hub URL, or GAZELLE_HUB)";
    }
    if (answer.error != Error::ok) throw Failure{answer.error, answer.sentence};
    return Json::parse(answer.result);
}

Json Hub::askAll(std::string_view operation, Json arguments, std::string const& entries) {
    auto all = Json::array();
    arguments["limit"] = 1000;
    for (;;) {
        auto page = ask(operation, arguments);
        for (auto& entry : page.at(entries)) all.push_back(std::move(entry));
        if (!page.contains("next")) return all;
        arguments["after"] = page.at("next");
    }
}

int tell(Global const& global, Failure const& failure) {
    if (global.json) {
        std::cout << Json{{"error", nameOf(failure.error)}, {"message", failure.sentence}}.dump(2) << "\n";
    } else {
        std::cerr << "gazelle: " << failure.sentence << "\n";
    }
    return failure.exitCode();
}

}  // namespace gazellemq::tools
