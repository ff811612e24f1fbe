// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/deep_check.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include <fmt/core.h>

#include "engine/base/file_reader.h"
#include "engine/base/text.h"
#include "engine/base/thread_pool.h"
#include "engine/checkpoint/shard_file.h"

namespace fl::checkpoint {

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t joined(std::uint64_t sum, std::uint64_t next) {
    return (sum ^ next) * 0x9e3779b97f4a7c15ULL + (sum << 6) + (sum >> 2);
}

int threadCount(int wanted) {
    constexpr int kMost = 8;
    return wanted > 0 ? wanted
                      : std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMost);
}

class DeepReader {
public:
    DeepReader(const Checkpoint& checkpoint, const DeepOptions& options)
        : checkpoint_(checkpoint),
          options_(options),
          tensors_(checkpoint.inventory.tensors()),
          order_(tensors_.size()) {
        std::iota(order_.begin(), order_.end(), 0);
        // Files in their order, and in each from front to back, as storage likes it.
        std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
            return std::pair(tensors_[a].shard, tensors_[a].offset) <
                   std::pair(tensors_[b].shard, tensors_[b].offset);
        });
        progress_.bytesTotal = checkpoint.tensorBytes();
        report_.stats.resize(tensors_.size());
    }

    Result<DeepReport> run() {
        FL_DO(read());
        judge();
        FL_DO(compareForms());
        report_.findings = findings_.take();
        return std::move(report_);
    }

private:
    Status read() {
        const int threads = threadCount(options_.threads);
        ThreadPool pool(threads - 1 > 0 ? threads - 1 : 1);
        pool.parallelFor(threads, [this](std::int64_t) { work(); });
        FL_DO(options_.cancel.check("deep inspection"));
        report_.bytes = bytesDone_;
        report_.seconds = secondsSince();
        return Done{};
    }

    // One thread: takes one tensor after the other.
    void work() {
        std::vector<std::byte> buffer;
        StatsCollector collector;
        std::unique_ptr<FileReader> file;
        std::int32_t shard = -1;
        for (std::size_t next = next_++; next < order_.size(); next = next_++) {
            if (options_.cancel.cancelled())
                return;
            const TensorInfo& tensor = tensors_[order_[next]];
            if (tensor.shard != shard) {
                shard = tensor.shard;
                file = open(shard);
            }
            if (!file || tensor.bytes > file->bytes() ||
                tensor.offset > file->bytes() - tensor.bytes)
                continue;  // said already
            collector.begin(tensor.dtype, encodingOf(checkpoint_.inventory, tensor), tensor.bytes);
            const Status read = readPieces(*file, tensor, buffer, options_.cancel, [&](auto piece) {
                collector.add(piece);
                addProgress(static_cast<std::int64_t>(piece.size()));
            });
            if (read)
                report_.stats[order_[next]] = collector.end();
            else if (read.error().code != ErrorCode::Cancelled)
                addFault(tensor, read.error());
        }
    }

    // nullptr, with a finding unless inspection has one for this file already.
    std::unique_ptr<FileReader> open(std::int32_t shard) {
        const Shard& facts = checkpoint_.shards[static_cast<std::size_t>(shard)];
        auto file = FileReader::open(facts.path);
        if (file)
            return std::make_unique<FileReader>(*std::move(file));
        const std::lock_guard lock(mutex_);
        if (std::find(lost_.begin(), lost_.end(), shard) == lost_.end()) {
            lost_.push_back(shard);
            addOpenFault(findings_, facts.fileName, facts.path, file.error());
        }
        return nullptr;
    }

    void addProgress(std::int64_t bytes) {
        const std::int64_t done = bytesDone_ += bytes;
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock || !options_.progress)
            return;
        constexpr double kInterval = 0.1;
        const double seconds = secondsSince();
        if (seconds - progress_.seconds < kInterval && done < progress_.bytesTotal)
            return;
        progress_.bytesDone = done;
        progress_.seconds = seconds;
        progress_.secondsLeft = static_cast<double>(progress_.bytesTotal - done) * seconds /
                                static_cast<double>(std::max<std::int64_t>(done, 1));
        options_.progress(progress_);
    }

    double secondsSince() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    const std::string& fileOf(const TensorInfo& tensor) const {
        return checkpoint_.shards[static_cast<std::size_t>(tensor.shard)].fileName;
    }

    void addFault(const TensorInfo& tensor, const Error& error) {
        const std::lock_guard lock(mutex_);
        const Shard& shard = checkpoint_.shards[static_cast<std::size_t>(tensor.shard)];
        addOpenFault(findings_, shard.fileName, shard.path, error).tensor = tensor.name;
    }

    void judge() {
        report_.fileHashes.assign(checkpoint_.shards.size(), 0);
        for (const std::size_t i : order_) {
            auto& hash = report_.fileHashes[static_cast<std::size_t>(tensors_[i].shard)];
            hash = joined(hash, report_.stats[i].hash);
        }
        for (std::size_t i = 0; i < tensors_.size(); ++i)
            judgeValues(tensors_[i], report_.stats[i], fileOf(tensors_[i]), findings_);
        judgeTails();
        judgeTie();
    }

    // Whether a second form of the model says the same.
    Status compareForms() {
        for (const std::string& form : checkpoint_.otherForms) {
            auto other = openCheckpoint(checkpoint_.folder + "/" + form, options_.cancel);
            FL_DO(options_.cancel.check("deep inspection"));
            if (!other)
                continue;  // it has a finding already
            DeepReader reader(*other, options_);
            FL_DO(reader.read());
            for (std::size_t i = 0; i < reader.tensors_.size(); ++i)
                compareForm(reader.tensors_[i], reader.report_.stats[i], form);
        }
        return Done{};
    }

    void compareForm(const TensorInfo& other, const TensorStats& stats, const std::string& form) {
        const TensorInfo* own = checkpoint_.inventory.find(other.name);
        if (!own || own->bytes != other.bytes)
            return;
        const auto place = static_cast<std::size_t>(own - tensors_.data());
        const TensorStats& ownStats = report_.stats[place];
        if (!ownStats.wasRead() || !stats.wasRead() || ownStats.hash == stats.hash)
            return;
        Finding& finding =
            findings_.error("forms-differ", form,
                            fmt::format("tensor {} has other values in {} than in {}", other.name,
                                        form, fileOf(*own)));
        finding.tensor = other.name;
        finding.expected = "equal bytes";
        finding.found = "other bytes";
        finding.remedy = "keep the form that belongs to this model and remove the other";
    }

    // A preallocated file whose end was never written: zeros that begin inside a row, or that
    // swallow whole tensors. Zero rows at the end of a padded table are no fault.
    void judgeTails() {
        for (auto last = order_.rbegin(); last != order_.rend();) {
            const std::int32_t shard = tensors_[*last].shard;
            std::int64_t zeros = 0;
            int wholeMatrices = 0;
            auto at = last;
            for (; at != order_.rend() && tensors_[*at].shard == shard; ++at) {
                const TensorInfo& tensor = tensors_[*at];
                zeros += report_.stats[*at].trailingZeroBytes;
                if (report_.stats[*at].trailingZeroBytes < tensor.bytes)
                    break;
                wholeMatrices += tensor.shape.rank() > 1 ? 1 : 0;
            }
            constexpr std::int64_t kLeast = 4096;
            const bool midRow = at != order_.rend() && tensors_[*at].shard == shard &&
                                endsMidRow(tensors_[*at], report_.stats[*at].trailingZeroBytes);
            if (zeros >= kLeast && (wholeMatrices > 0 || midRow))
                addTail(tensors_[*last], zeros);
            while (last != order_.rend() && tensors_[*last].shard == shard)
                ++last;
        }
    }

    static bool endsMidRow(const TensorInfo& tensor, std::int64_t zeros) {
        if (tensor.shape.rank() < 2 || tensor.shape[0] == 0)
            return false;
        const std::int64_t row = tensor.bytes / tensor.shape[0];  // 0: several share a byte
        return row > 0 && zeros % row != 0;
    }

    void addTail(const TensorInfo& last, std::int64_t zeros) {
        const std::int64_t from = last.offset + last.bytes - zeros;
        const std::string& file = fileOf(last);
        Finding& finding = findings_.error(
            "zero-tail", file,
            fmt::format("the last {} B of {} are zeros that nobody wrote: the download was not "
                        "finished",
                        formatCount(zeros), file));
        finding.tensor = last.name;
        finding.expected = "weights";
        finding.found = fmt::format("only zeros from byte {}", from);
        finding.remedy = "fetch this file again";
    }

    // Whether embedding and head are one tensor, as the configuration says.
    void judgeTie() {
        const Json* tie = checkpoint_.config.find("tie_word_embeddings");
        if (!tie)
            tie = checkpoint_.config["text_config"].find("tie_word_embeddings");
        const std::size_t head = placeOf("lm_head.weight");
        const std::size_t embedding = placeOf("embed_tokens.weight");
        if (!tie || !tie->isBool() || head == tensors_.size() || embedding == tensors_.size())
            return;
        if (!report_.stats[head].wasRead() || !report_.stats[embedding].wasRead())
            return;
        const TensorInfo& one = tensors_[head];
        const TensorInfo& other = tensors_[embedding];
        const bool equal = one.dtype == other.dtype && one.shape == other.shape &&
                           report_.stats[head].hash == report_.stats[embedding].hash;
        if (tie->boolean() == equal || one.shape != other.shape)
            return;
        Finding& finding =
            equal ? findings_.warning("head-equals-embedding", fileOf(one),
                                      fmt::format("{} is the embedding again, though the "
                                                  "configuration says they are not tied",
                                                  one.name))
                  : findings_.error("tied-head-differs", fileOf(one),
                                    fmt::format("{} is not the embedding, though the configuration "
                                                "ties them",
                                                one.name));
        finding.tensor = one.name;
        finding.key = "tie_word_embeddings";
        finding.expected = equal ? "its own weights" : "absent or equal to the embedding";
        finding.found = equal ? "the embedding's bytes" : "other bytes";
        finding.remedy = "correct tie_word_embeddings, or fetch the checkpoint again";
    }

    // The only tensor of that last name, or the end.
    std::size_t placeOf(std::string_view name) const {
        std::size_t found = tensors_.size();
        for (std::size_t i = 0; i < tensors_.size(); ++i) {
            const std::string_view own = tensors_[i].name;
            if (own == name || (own.ends_with(name) && own[own.size() - name.size() - 1] == '.')) {
                if (found != tensors_.size())
                    return tensors_.size();
                found = i;
            }
        }
        return found;
    }

    const Checkpoint& checkpoint_;
    const DeepOptions& options_;
    const std::vector<TensorInfo>& tensors_;
    std::vector<std::size_t> order_;
    DeepReport report_;
    Clock::time_point start_ = Clock::now();
    std::atomic<std::size_t> next_{0};
    std::atomic<std::int64_t> bytesDone_{0};
    std::mutex mutex_;  // findings and progress
    FindingList findings_;
    std::vector<std::int32_t> lost_;  // shards that could not be opened
    DeepProgress progress_;
};

}  // namespace

Result<DeepReport> deepCheck(const Checkpoint& checkpoint, const DeepOptions& options) {
    return DeepReader(checkpoint, options).run();
}

}  // namespace fl::checkpoint
