// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/step.h"

#include <cstring>
#include <type_traits>

namespace fl::runtime {

namespace {

// A batch never has more; a larger claim is a torn message.
constexpr std::uint32_t kMostElements = 1U << 24;

class Writer {
public:
    template <class T>
    void value(T& number) {
        static_assert(std::is_arithmetic_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
    }
    template <class T>
    void list(std::vector<T>& numbers) {
        auto count = static_cast<std::uint32_t>(numbers.size());
        value(count);
        bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
    }
    template <class T, class Fields>
    void records(std::vector<T>& all, Fields fields) {
        auto count = static_cast<std::uint32_t>(all.size());
        value(count);
        for (T& one : all)
            fields(*this, one);
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    template <class T>
    void value(T& number) {
        if (!has(sizeof(number)))
            return;
        std::memcpy(&number, bytes_.data(), sizeof(number));
        bytes_.remove_prefix(sizeof(number));
    }
    template <class T>
    void list(std::vector<T>& numbers) {
        const std::uint32_t count = readCount();
        if (!has(count * sizeof(T)))
            return;
        numbers.resize(count);
        if (count == 0)
            return;  // memcpy wants an address also for nothing
        std::memcpy(numbers.data(), bytes_.data(), count * sizeof(T));
        bytes_.remove_prefix(count * sizeof(T));
    }
    template <class T, class Fields>
    void records(std::vector<T>& all, Fields fields) {
        const std::uint32_t count = readCount();
        for (std::uint32_t i = 0; i < count && good_; ++i)
            fields(*this, all.emplace_back());
    }
    Status finish(const char* what) const {
        if (good_ && bytes_.empty())
            return Done{};
        return Error{ErrorCode::Corrupt, std::string(what) + " message is torn"};
    }

private:
    std::uint32_t readCount() {
        std::uint32_t count = 0;
        value(count);
        good_ = good_ && count <= kMostElements;
        return good_ ? count : 0;
    }
    bool has(std::size_t bytes) {
        good_ = good_ && bytes_.size() >= bytes;
        return good_;
    }
    std::string_view bytes_;
    bool good_ = true;
};

// Each struct's fields once, for writing and reading.
template <class Stream>
void sampleRequestFields(Stream& stream, SampleRequest& sample) {
    stream.value(sample.temperature);
    stream.value(sample.topK);
    stream.value(sample.topP);
    stream.value(sample.minP);
    stream.value(sample.seed);
    stream.value(sample.draw);
    stream.value(sample.alternatives);
}

template <class Stream>
void replicaFields(Stream& stream, ReplicaStep& replica) {
    stream.list(replica.ids);
    stream.list(replica.positions);
    stream.list(replica.rowSequences);
    stream.list(replica.pageTables);
    stream.value(replica.pageTableStride);
    stream.list(replica.logitRows);
    stream.records(replica.samples, sampleRequestFields<Stream>);
}

template <class Stream>
void stepFields(Stream& stream, Step& step) {
    stream.value(step.number);
    stream.records(step.replicas, replicaFields<Stream>);
}

template <class Stream>
void sampledFields(Stream& stream, Sampled& sampled) {
    stream.value(sampled.id);
    stream.value(sampled.logprob);
    stream.value(sampled.finite);
    stream.list(sampled.alternatives);
    stream.list(sampled.alternativeLogprobs);
}

}  // namespace

std::string encode(const Step& step) {
    Writer writer;
    Step copy = step;
    stepFields(writer, copy);
    return writer.take();
}

Result<Step> decodeStep(std::string_view bytes) {
    Reader reader(bytes);
    Step step;
    stepFields(reader, step);
    FL_DO(reader.finish("step"));
    return step;
}

std::string encode(const std::vector<Sampled>& samples) {
    Writer writer;
    std::vector<Sampled> copy = samples;
    writer.records(copy, sampledFields<Writer>);
    return writer.take();
}

Result<std::vector<Sampled>> decodeSamples(std::string_view bytes) {
    Reader reader(bytes);
    std::vector<Sampled> samples;
    reader.records(samples, sampledFields<Reader>);
    FL_DO(reader.finish("samples"));
    return samples;
}

}  // namespace fl::runtime
