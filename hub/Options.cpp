#include "Options.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "Url.hpp"
#include "Version.hpp"

namespace gazellemq::hub {
namespace {

constexpr char const* kConfigVariable = "GAZELLE_CONFIG";

constexpr char const* kAbout =
    "gazelle-hub: a publish/subscribe hub. Publishers send messages to topics, subscribers receive them.\n"
    "It serves until SIGTERM or SIGINT, then delivers what it has accepted and exits; a second signal stops at once.\n"
    "SIGUSR1 opens the log file anew, SIGUSR2 writes statistics to the log.";

constexpr char const* kExamples =
    "Examples:\n"
    "  gazelle-hub                                          serve this machine on port 5875\n"
    "  gazelle-hub --listen tcp://127.0.0.1:0               let the system choose a port and print it\n"
    "  gazelle-hub --listen tcp://0.0.0.0:5875 --insecure   serve the network; anybody may read and write\n"
    "  gazelle-hub --config hub.toml                        options from a file: listen = [\"tcp://[::1]:5875\"]\n\n"
    "Each option is also a variable (--log-level: GAZELLE_LOG_LEVEL) and a line of the file (log_level = \"debug\").\n"
    "A flag wins over a variable, a variable over the file. Sizes take KB, MB, GB; times take ms, s, m, h.";

char const* variableThatIsSet(std::string const& name) {
    auto const* value = std::getenv(name.c_str());
    return value && *value ? value : nullptr;
}

/// Reads the file: options by their names with '_' for '-', no sections, nothing unknown. CLI11 takes the first value it is given and
/// reads the file before the variables; so what a variable says is left out here.
class ConfigFile : public CLI::ConfigTOML {
  public:
    explicit ConfigFile(CLI::App const& app) : app_(app) {}

    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
        std::vector<CLI::ConfigItem> wanted;
        for (auto& item : CLI::ConfigTOML::from_config(input)) {
            if (!item.parents.empty()) throw CLI::ConfigError("configuration file: there is no section '" + item.parents.front() + "': remove it");
            auto name = "--" + item.name;
            std::replace(name.begin(), name.end(), '_', '-');
            auto const* option = app_.get_option_no_throw(name);
            if (!option) throw CLI::ConfigError("configuration file: there is no option '" + item.name + "': see --help");
            if (variableThatIsSet(option->get_envname())) continue;
            item.name = name.substr(2);
            wanted.push_back(std::move(item));
        }
        return wanted;
    }

  private:
    CLI::App const& app_;
};

/// Declares every option with its variable in one place.
class Declaration {
  public:
    explicit Declaration(CLI::App& app) : app_(app) {}

    template <typename T>
    CLI::Option* add(std::string const& name, T& value, std::string const& text) {
        return named(app_.add_option("--" + name, value, text)->capture_default_str(), name);
    }

    CLI::Option* addFlag(std::string const& name, bool& value, std::string const& text) {
        return named(app_.add_flag("--" + name, value, text), name);
    }

    void addLevel(std::string const& name, LogLevel& value, std::string const& text) {
        static std::map<std::string, LogLevel> const levels{
            {"debug", LogLevel::debug}, {"info", LogLevel::info}, {"warning", LogLevel::warning}, {"error", LogLevel::error}};
        auto* option = app_.add_option_function<std::string>(
            "--" + name, [&value](std::string const& level) { value = levels.at(level); }, text);
        option->transform(CLI::IsMember({"debug", "info", "warning", "error"}, CLI::ignore_case).description(""));
        named(option->type_name("LEVEL")->default_str("info"), name);
    }

    void addPolicy(std::string const& name, SlowPolicy& value, std::string const& text, std::map<std::string, SlowPolicy> const& policies,
                   std::string const& preset) {
        std::vector<std::string> names;
        for (auto const& [policyName, policy] : policies) names.push_back(policyName);
        auto* option = app_.add_option_function<std::string>(
            "--" + name, [&value, policies](std::string const& policy) { value = policies.at(policy); }, text);
        option->transform(CLI::IsMember(names, CLI::ignore_case, CLI::ignore_underscore).description(""));
        named(option->type_name("POLICY")->default_str(preset), name);
    }

    void addCount(std::string const& name, std::size_t& value, std::string const& text) {
        add(name, value, text)->check(CLI::Range(1, 1'000'000'000).description(""))->type_name("COUNT");
    }

    void addSize(std::string const& name, std::size_t& value, std::string const& text) {
        CLI::Validator const notNegative{
            [](std::string& size) {
                return size.starts_with('-') ? "'" + size + "' is below 0: give a size such as 8MB" : std::string{};
            },
            ""};
        // The last one added comes first.
        add(name, value, text)->transform(CLI::AsSizeValue(false))->transform(notNegative)->type_name("SIZE");
    }

    /// Made absolute: a daemon leaves its directory.
    void addPath(std::string const& name, std::filesystem::path& value, std::string const& text) {
        named(app_.add_option_function<std::string>(
                  "--" + name, [&value](std::string const& path) { value = std::filesystem::absolute(path); }, text)
                  ->type_name("FILE"),
              name);
    }

    /// "none" leaves it empty.
    void addDirectory(std::string const& name, std::string& value, std::string const& preset, std::string const& text) {
        auto const set = [&value](std::string const& path) { value = path == "none" ? "" : std::filesystem::absolute(path).string(); };
        set(preset);
        named(app_.add_option_function<std::string>("--" + name, set, text)->type_name("DIRECTORY")->default_str(preset), name);
    }

    void addTime(std::string const& name, std::chrono::milliseconds& value, std::string const& text) {
        static std::map<std::string, std::int64_t> const units{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
        auto* option = app_.add_option_function<std::int64_t>(
            "--" + name, [&value](std::int64_t ms) { value = std::chrono::milliseconds{ms}; }, text);
        option->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_OPTIONAL, "ms"))->type_name("TIME");
        named(option->default_str(std::to_string(value.count()) + "ms"), name);
    }

  private:
    static CLI::Option* named(CLI::Option* option, std::string const& name) {
        std::string variable = "GAZELLE_";
        for (auto const c : name) variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        return option->envname(variable);
    }

    CLI::App& app_;
};

/// What systemd gives to a unit with StateDirectory=, or a directory where the hub was started.
std::string defaultDataDir() {
    auto const* state = variableThatIsSet("STATE_DIRECTORY");
    return state ? state : "gazelle-data";
}

void declare(CLI::App& app, Options& options) {
    Declaration declaration{app};
    auto& server = options.server;
    auto& limits = server.limits;

    declaration.add("listen", server.listen, "Address to serve, tcp://host:port or unix:///path?mode=0660; may be given several times; port 0: one chosen by the system")
        ->check(CLI::Validator(
            [](std::string& text) {
                return transport::Url::parse(text) ? std::string{}
                                                   : "'" + text + "' is not a URL to listen on: give " + std::string{transport::kUrlForms};
            },
            "URL"));
    declaration.addFlag("insecure", server.insecure, "Allow addresses other than loopback although there are no credentials");
    declaration.addLevel("log-level", options.log.level, "How much to log: debug, info, warning, error");
    declaration.addPath("log-file", options.log.file, "Log to this file instead of stderr; SIGUSR1 opens it anew");
    declaration.addSize("log-file-bytes", options.log.fileBytes, "A log file that is full is renamed: hub.log becomes hub.1.log and so on");
    declaration.addCount("log-files", options.log.files, "Full log files that are kept");
    declaration.addFlag("daemon", options.daemon, "Serve in the background; returns when it serves. Needs --log-file");
    declaration.addPath("pid-file", options.pidFile, "Write the process number here, and refuse to start beside another hub with the file");
    declaration.addDirectory("data-dir", server.dataDir, defaultDataDir(),
                             "Where created topics are kept, for one hub at a time; none: nowhere");
    declaration.addFlag("reset-catalog", server.resetCatalog, "Put a damaged catalog aside and begin without created topics");
    declaration.addSize("window-bytes", limits.windowBytes, "Messages kept per topic for readers that are behind");
    declaration.addSize("retain-bytes", limits.retainBytes, "Of these, kept for subscriptions to come; with 0 not even the last message");
    declaration.addSize("max-memory", limits.maxMemory, "All message buffers together; near it publishers have to wait");
    declaration.addSize("max-payload-bytes", limits.maxPayloadBytes, "Largest message");
    declaration.addCount("max-connections", limits.maxConnections, "Connections in all; more are told why and closed");
    declaration.addCount("max-connections-per-address", limits.maxConnectionsPerAddress,
                         "Connections of one IP address, or of one user over Unix sockets");
    declaration.addCount("max-topic-bytes", limits.maxTopicBytes, "Longest topic name or pattern, up to 255");
    declaration.addCount("max-topics", limits.maxTopics, "Topics that may exist");
    declaration.addCount("max-partitions", limits.maxPartitions, "Partitions that a topic may have");
    declaration.addCount("max-subscriptions", limits.maxSubscriptions, "Subscriptions of one connection");
    declaration.addCount("max-open-topics", limits.maxOpenTopics, "Topics that one connection may publish to at a time");
    declaration.addSize("max-unconfirmed-bytes", limits.maxUnconfirmedBytes, "What one connection may send ahead of the hub's confirms, over all its topics");
    declaration.addFlag("auto-create", limits.autoCreate, "Make topics at their first use; without it (--auto-create=false) only 'gazelle topic create' does");
    declaration.addPolicy("slow-consumer", limits.slowConsumer,
                          "When a subscription by name falls behind by the window: block the publishers, dropOldest, disconnect it, or conflate: "
                          "only the newest of each key",
                          {{"block", SlowPolicy::block}, {"dropOldest", SlowPolicy::dropOldest}, {"disconnect", SlowPolicy::disconnect}, {"conflate", SlowPolicy::conflate}}, "block");
    declaration.addPolicy("slow-wildcard", limits.slowWildcard, "The same of a subscription by wildcard: dropOldest, disconnect or conflate",
                          {{"dropOldest", SlowPolicy::dropOldest}, {"disconnect", SlowPolicy::disconnect}, {"conflate", SlowPolicy::conflate}}, "dropOldest");
    declaration.addSize("max-control-bytes", limits.maxControlBytes, "Replies that may wait for a connection that does not read");
    declaration.addTime("heartbeat", limits.heartbeat, "Sign of life asked of a silent client; it is cut after twice that and a second");
    declaration.addTime("handshake-timeout", limits.handshakeTimeout, "From connecting to the end of the handshake");
    declaration.addTime("stall-limit", limits.stallLimit, "A subscriber that takes nothing for so long is disconnected");
    declaration.addTime("idle-topic-ttl", limits.idleTopicTtl, "Topics nobody uses disappear after so long");
    declaration.addSize("max-log-line-bytes", server.maxLogLineBytes, "A longer line of the log is cut");
    declaration.addCount("max-log-lines-per-second", server.maxLogLinesPerSecond, "More are counted and left out");
    declaration.addTime("drain-limit", server.drainLimit, "Time for clients to receive what is left when the hub is stopped");
}

}  // namespace

ParsedOptions parseOptions(int argc, char const* const* argv) {
    ParsedOptions parsed;
    CLI::App app{kAbout, "gazelle-hub"};
    app.set_version_flag("--version", "gazelle-hub " GAZELLEMQ_VERSION);
    // CLI11 2.1 does not look at the variable of this option.
    auto const* file = variableThatIsSet(kConfigVariable);
    app.set_config("--config", file ? file : "", "Read options from a TOML file", file != nullptr)->envname(kConfigVariable);
    app.config_formatter(std::make_shared<ConfigFile>(app));
    app.footer(kExamples);
    app.get_formatter()->column_width(34);
    declare(app, parsed.options);
    app.add_flag("--check-config", parsed.options.checkConfig, "Say whether the options and the file are good, and exit");
    try {
        app.parse(argc, argv);
        if (parsed.options.daemon && parsed.options.log.file.empty()) {
            throw CLI::ValidationError("--daemon", "a daemon has no stderr: give --log-file as well");
        }
        parsed.run = true;
    } catch (CLI::ParseError const& error) {
        parsed.exitCode = app.exit(error) == 0 ? 0 : 2;
    }
    return parsed;
}

}  // namespace gazellemq::hub
