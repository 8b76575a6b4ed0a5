#include <filesystem>
#include <fstream>
#include <string>

#include "Batches.hpp"

/// Writes the seeds of the fuzz targets: FuzzCorpus tests/fuzz/corpus
namespace {

using namespace gazellemq;
using namespace gazellemq::protocol;
using test::Bytes;

class Corpus {
  public:
    explicit Corpus(std::filesystem::path root) : root_(std::move(root)) {}

    void write(std::string const& target, std::string const& name, ByteView bytes) const {
        std::filesystem::create_directories(root_ / target);
        std::ofstream file{root_ / target / name, std::ios::binary};
        file.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    void write(std::string const& target, std::string const& name, std::string_view text) const {
        write(target, name, asBytes(text));
    }

  private:
    std::filesystem::path root_;
};

/// A frame as the session target takes it.
void record(Bytes& to, std::uint8_t type, ByteView body) {
    ByteWriter{to}.put(type).put(static_cast<std::uint16_t>(body.size()));
    test::append(to, body);
}
template <typename F>
void record(Bytes& to, F const& frame) {
    auto const bytes = test::encoded(frame);
    record(to, static_cast<std::uint8_t>(F::kType), ByteView{bytes}.subspan(kFrameHeaderBytes));
}
void publish(Bytes& to, std::uint32_t handle, std::uint64_t sequence, std::size_t size) {
    auto const frame = test::publishFrame(handle, test::makeBatch({std::string(size, 'x')}, sequence));
    record(to, static_cast<std::uint8_t>(FrameType::publish), ByteView{frame}.subspan(kFrameHeaderBytes));
}

void writeSessions(Corpus const& corpus) {
    Bytes talk;
    record(talk, OpenTopic{1, 1, "t"});
    record(talk, Subscribe{2, 1, 100, "t"});
    for (std::uint64_t i = 1; i <= 3; ++i) publish(talk, 1, i, 10 * i);
    record(talk, Credit{1, 1000});
    record(talk, Flush{});
    record(talk, Ping{5});
    record(talk, Unsubscribe{3, 1});
    record(talk, CloseTopic{1});
    record(talk, 240, Bytes(100));
    record(talk, Goodbye{Error::ok, "bye"});
    corpus.write("Session", "talk", talk);

    Bytes starved;
    record(starved, OpenTopic{1, 1, "a.b"});
    record(starved, Subscribe{2, 1, 0, "a.b"});
    record(starved, Subscribe{3, 2, 0, "a.*"});
    for (int i = 0; i < 3; ++i) record(starved, 245, Bytes(300));
    record(starved, 241, {});
    for (std::uint64_t i = 1; i <= 20; ++i) record(starved, Ping{i});
    record(starved, 244, {});
    corpus.write("Session", "starved", starved);

    Bytes drain;
    record(drain, OpenTopic{1, 1, "t"});
    record(drain, Subscribe{2, 1, 0, ">"});
    publish(drain, 1, 1, 0);
    record(drain, 243, {});
    record(drain, Drain{});
    record(drain, DrainAck{});
    record(drain, 240, Bytes(240));
    corpus.write("Session", "drain", drain);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 1;
    Corpus const corpus{argv[1]};

    auto batch = test::makeBatch({"one", "", "three"}, 7);
    corpus.write("Batch", "three_messages", batch);
    stampBatch(batch.data(), 100, 200);
    corpus.write("Batch", "stamped", batch);
    store(&batch[56], std::uint32_t{0xFFFFFFFF});
    corpus.write("Batch", "a_length_too_large", batch);
    corpus.write("Batch", "one_empty_message", test::makeBatch({""}));

    Bytes stream{std::byte{2}, std::byte{6}};
    for (std::size_t const size : {0U, 1U, 56U, 57U, 200U}) {
        test::append(stream, test::makeFrame(FrameType::publish, asBytes(test::patternText(size))));
    }
    corpus.write("FrameReader", "small_slabs", stream);
    stream[0] = std::byte{133};
    stream[1] = std::byte{255};
    corpus.write("FrameReader", "rests", stream);
    Bytes large{std::byte{0}, std::byte{0}};
    large.resize(10, std::byte{0xFF});
    corpus.write("FrameReader", "too_large", large);

    auto const control = [&](auto const& frame, std::string const& name) {
        auto bytes = test::encoded(frame);
        bytes[kFrameHeaderBytes - 1] = bytes[4];
        corpus.write("ControlFrames", name, ByteView{bytes}.subspan(kFrameHeaderBytes - 1));
    };
    control(Hello{{}, "name", "user", "password", 5000, 1}, "hello");
    control(Welcome{{}, "hub", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "welcome");
    control(Notice{1, Error::hubMemoryFull, "full"}, "notice");
    control(OpenTopic{1, 2, "topic"}, "open_topic");
    control(Subscribe{1, 2, 3, "a.*"}, "subscribe");
    control(Confirm{1, 2, 3}, "confirm");
    control(Goodbye{Error::stalled, "slow"}, "goodbye");

    corpus.write("TopicName", "wildcards", "a.*.>\na.b.c.d");
    corpus.write("TopicName", "utf8", "caf\xC3\xA9.\xF0\x9F\xA6\x8C\n\xE0\xA0\x80");
    corpus.write("TopicName", "reserved", "*\n_inbox.1");
    corpus.write("TopicName", "path", "../../evil\na/../../b");

    writeSessions(corpus);
    return 0;
}
