#include "Batch.hpp"

#include <vector>

#include "Fuzz.hpp"

namespace {

using namespace gazellemq::protocol;
using gazellemq::test::require;

/// Decodes and walks whatever comes; a batch that is intact survives sealing and stamping.
void fuzz(ByteView input) {
    auto const header = BatchHeader::decode(input);
    if (!header) return;
    require(header->totalBytes() <= input.size() && header->count > 0 && header->flags == 0);
    std::vector<std::byte> batch(input.begin(),
                                 input.begin() + static_cast<std::ptrdiff_t>(header->totalBytes()));
    checksumFits(batch);
    hubChecksumFits(batch);
    std::uint32_t count = 0;
    std::size_t bytes = 0;
    BatchReader reader{batch};
    while (auto const payload = reader.next()) {
        require(payload->data() + payload->size() <= batch.data() + batch.size());
        bytes += BatchHeader::kLengthBytes + payload->size();
        ++count;
    }
    require(count <= header->count && bytes <= header->bodyBytes);
    require(reader.intact() == (count == header->count && bytes == header->bodyBytes));
    sealBatch(batch.data(), header->bodyBytes, header->count, header->producerId, header->firstSequence);
    stampBatch(batch.data(), header->baseOffset, header->receiveTimeNs);
    require(checksumFits(batch) && hubChecksumFits(batch));
    require(BatchHeader::decode(batch).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz(gazellemq::test::asBytes(data, size));
    return 0;
}
