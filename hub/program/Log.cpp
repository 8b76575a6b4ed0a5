#include "Log.hpp"

#include <memory>
#include <mutex>
#include <stdexcept>

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace gazellemq::hub {
namespace {

constexpr std::size_t kQueueLines = 1024;

spdlog::level::level_enum toSpdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warning: return spdlog::level::warn;
        case LogLevel::error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

/// spdlog's rotating file, which can be opened anew.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit FileSink(LogOptions const& options) : options_(options), file_(open()) {}

    void reopen() {
        std::lock_guard const lock{mutex_};
        try {
            file_ = open();
        } catch (spdlog::spdlog_ex const&) {
            // The old file goes on, and says so, better than none.
            file_->log({"hub", spdlog::level::err, "the log file cannot be opened anew: check its directory"});
        }
    }

  private:
    using File = spdlog::sinks::rotating_file_sink_st;

    std::unique_ptr<File> open() const {
        auto file = std::make_unique<File>(options_.file.string(), options_.fileBytes, options_.files);
        if (formatter_) file->set_formatter(formatter_->clone());
        return file;
    }
    void sink_it_(spdlog::details::log_msg const& message) override { file_->log(message); }
    void flush_() override { file_->flush(); }
    void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
        formatter_ = std::move(formatter);
        file_->set_formatter(formatter_->clone());
    }

    LogOptions const options_;
    std::unique_ptr<File> file_;
};

std::shared_ptr<FileSink> fileSink;

}  // namespace

Log::Log(LogOptions const& options) try {
    spdlog::init_thread_pool(kQueueLines, 1);
    spdlog::sink_ptr sink;
    if (options.file.empty()) {
        sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
        sink = fileSink = std::make_shared<FileSink>(options);
    }
    auto const logger = std::make_shared<spdlog::async_logger>("hub", std::move(sink), spdlog::thread_pool(),
                                                               spdlog::async_overflow_policy::overrun_oldest);
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(logger);
    spdlog::set_level(toSpdlog(options.level));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
} catch (spdlog::spdlog_ex const& error) {
    throw std::runtime_error("--log-file " + options.file.string() + ": " + error.what() + ": check that its directory can be written");
}

Log::~Log() {
    auto const outlivesItsThread = spdlog::default_logger();
    spdlog::shutdown();
    fileSink.reset();
}

void Log::write(LogLevel level, std::string_view line) { spdlog::log(toSpdlog(level), "{}", line); }

void Log::reopen() {
    if (fileSink) fileSink->reopen();
}

}  // namespace gazellemq::hub
