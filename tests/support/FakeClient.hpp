#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "Batches.hpp"
#include "FakeHub.hpp"
#include "FrameReader.hpp"

namespace gazellemq::test {

/// A client of a FakeHub: encodes frames to a session, byte by byte through a FrameReader as a connection
/// does, and decodes what the session has to say with a parser of its own. Closes the session with its life.
class FakeClient {
  public:
    static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

    struct Delivered {
        std::uint32_t subscription;
        std::string topic;
        std::string payload;
        std::uint64_t offset;
        std::int64_t receiveTimeNs;
        std::uint16_t partition = 0;
    };
    struct Received {
        protocol::FrameType type;
        Bytes body;  // of a DELIVER only the two numbers
        std::size_t frameBytes;
    };

    /// Connects and, unless told otherwise, says HELLO and takes the WELCOME.
    explicit FakeClient(FakeHub& hub, bool hello = true);
    ~FakeClient();
    FakeClient(FakeClient const&) = delete;
    FakeClient& operator=(FakeClient const&) = delete;

    hub::Session& session() { return session_; }

    /// These settle the hub afterwards. `write` says whether the session takes more.
    bool write(protocol::ByteView bytes, std::size_t portion = kUnlimited);
    template <typename F>
    bool send(F const& frame) {
        return write(encoded(frame));
    }
    /// Opens `topic` for publishing; the reply's code.
    Error open(std::uint32_t handle, std::string_view topic);
    Error subscribe(std::uint32_t id, std::string_view pattern, std::uint64_t credit = kUnlimited);
    /// With wishes; the request id, and credit if there is none, are filled in.
    Error subscribe(protocol::Subscribe subscribe);
    Error unsubscribe(std::uint32_t id);
    /// A batch of messages with headers. `partition`: 0, or one more than its number.
    bool publishHeaded(std::uint32_t handle, std::vector<Headed> const& headed, std::uint32_t partition = 0, std::uint64_t producerId = 7);
    /// One batch of these payloads, with the next sequence of the handle. Does not look at the credit.
    bool publish(std::uint32_t handle, std::vector<std::string> const& payloads);
    bool publish(std::uint32_t handle, std::string payload) {
        return publish(handle, std::vector{std::move(payload)});
    }
    bool mayPublish(std::uint32_t handle) { return sent_[handle] < lastConfirm(handle).credit; }
    /// Batches of one message until the credit is used up, at most `most`; how many.
    std::size_t publishAll(std::uint32_t handle, std::string const& payload, std::size_t most = 1000);
    std::uint64_t sentBytes(std::uint32_t handle) { return sent_[handle]; }
    /// Sequence and credit of the last CONFIRM.
    protocol::Confirm lastConfirm(std::uint32_t handle) const;

    /// False: the socket is full: the session is asked once for what to write, and nothing of it leaves.
    bool reads = true;
    /// The session has something to write.
    void onWritable();
    /// Takes at most `bytes` of what is to be written.
    void read(std::size_t bytes = kUnlimited);

    std::vector<Received> received;
    std::vector<Delivered> messages;
    /// Messages told to be dropped, by topic.
    std::map<std::string, std::uint64_t> dropped;
    bool verifiesChecksums = true;
    bool brokenStream = false;  ///< what came was not whole frames, batches, checksums, announced topics

    std::vector<std::string> payloads() const;
    std::vector<std::uint64_t> offsets() const;
    template <typename F>
    std::vector<F> all() const {
        std::vector<F> frames;
        for (auto const& frame : received) {
            if (frame.type == F::kType) frames.push_back(protocol::decode<F>(frame.body).value());
        }
        return frames;
    }
    template <typename F>
    std::optional<F> last() const {
        auto frames = all<F>();
        return frames.empty() ? std::nullopt : std::optional{frames.back()};
    }
    /// Why the hub said goodbye; `ok` if it has not.
    Error goodbye() const;
    /// Replies are answers to the last request made here.
    std::uint32_t requests = 0;

  private:
    void parse();
    void take(protocol::FrameType type, protocol::ByteView body);
    void takeDeliver(protocol::ByteView body);
    Error lastReply() const;

    FakeHub& hub_;
    hub::Session& session_;
    protocol::FrameReader reader_;
    bool full_ = false;
    Bytes incoming_;
    std::map<std::uint32_t, std::uint64_t> sent_;
    std::map<std::uint32_t, std::uint64_t> sequence_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> topics_;
    std::map<std::uint32_t, protocol::Confirm> confirms_;
};

}  // namespace gazellemq::test
