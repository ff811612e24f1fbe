// SPDX-License-Identifier: Apache-2.0
#include "engine/load/part_reader.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/base/file_reader.h"
#include "engine/base/text.h"
#include "engine/base/thread_pool.h"

namespace fl::load {

namespace {

// Some rows of a part, or some bytes of its only row: one read.
struct Piece {
    std::size_t part = 0;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    std::int64_t firstByte = 0;  // within the row
    std::int64_t bytes = 0;      // per row
};

std::vector<Piece> makePieces(const PartList& list, std::int64_t largest) {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < list.parts.size(); ++i) {
        const Part& part = list.parts[i];
        if (part.rowStride <= largest && part.rows > 1) {
            const std::int64_t rows = largest / part.rowStride;
            for (std::int64_t row = 0; row < part.rows; row += rows)
                pieces.push_back({i, row, std::min(rows, part.rows - row), 0, part.rowBytes});
            continue;
        }
        for (std::int64_t row = 0; row < part.rows; ++row) {
            for (std::int64_t byte = 0; byte < part.rowBytes; byte += largest)
                pieces.push_back({i, row, 1, byte, std::min(largest, part.rowBytes - byte)});
        }
    }
    return pieces;
}

// A piece never ends inside a plain value, so that its values can be looked at.
std::int64_t wholeValues(std::int64_t bytes) {
    constexpr std::int64_t kLargestValue = 8;
    return std::max(bytes / kLargestValue * kLargestValue, kLargestValue);
}

class Reading {
public:
    Reading(const PartList& list,
            std::span<const checkpoint::Shard> shards,
            WeightSink& sink,
            const ReadOptions& options)
        : list_(list),
          shards_(shards),
          sink_(sink),
          options_(options),
          pieceBytes_(wholeValues(options.windowBytes / options.readers)),
          pieces_(makePieces(list, pieceBytes_)),
          left_(list.parts.size()),
          files_(shards.size()) {
        progress_.tensors = static_cast<std::int64_t>(list.parts.size());
        progress_.bytes = list.storedBytes;
        for (const Piece& piece : pieces_)
            ++left_[piece.part];
    }

    Result<std::vector<Finding>> run() {
        ThreadPool pool(options_.readers);
        pool.parallelFor(options_.readers, [this](std::int64_t) { readSome(); });
        if (error_)
            return *error_;
        FL_DO(options_.cancel.check("load"));
        return findings();
    }

private:
    void readSome() {
        std::vector<std::byte> staging;
        while (!options_.cancel.cancelled() && !failed_.load(std::memory_order_relaxed)) {
            const std::size_t next = next_.fetch_add(1, std::memory_order_relaxed);
            if (next >= pieces_.size())
                return;
            if (const Status done = tryPiece(pieces_[next], staging); !done)
                return fail(pieces_[next], done.error());
        }
    }

    void fail(const Piece& piece, const Error& error) {
        const std::lock_guard lock(mutex_);
        failed_.store(true, std::memory_order_relaxed);
        if (!error_) {
            error_ = Error{
                error.code,
                fmt::format("tensor {}: {}", list_.parts[piece.part].tensor.name, error.message)};
        }
    }

    // Staging is memory of the process; a reader is a thread and has nobody above it to catch.
    Status tryPiece(const Piece& piece, std::vector<std::byte>& staging) {
        try {
            return readPiece(piece, staging);
        } catch (const std::bad_alloc&) {
            return Error{ErrorCode::OutOfMemory,
                         fmt::format("the machine refused {} to stage its bytes",
                                     formatBytes(piece.rows * piece.bytes))};
        }
    }

    Status readPiece(const Piece& piece, std::vector<std::byte>& staging) {
        const Part& part = list_.parts[piece.part];
        const std::int64_t target = part.target + piece.firstRow * part.rowBytes + piece.firstByte;
        const std::int64_t size = piece.rows * piece.bytes;
        FL_TRY(const FileReader* file, fileOf(part));
        std::byte* direct = sink_.direct(target);
        std::byte* to = direct;
        if (!to) {
            staging.resize(static_cast<std::size_t>(size));
            to = staging.data();
        }
        const std::span<std::byte> out(to, static_cast<std::size_t>(size));
        FL_DO(piece.rows == 1 ? readRow(*file, piece, out) : readRows(*file, piece, out));
        if (!direct)
            FL_DO(sink_.write(target, out));
        finished(piece, size, countNonFinite(part.tensor.dtype, out));
        return Done{};
    }

    Status readRow(const FileReader& file, const Piece& piece, std::span<std::byte> out) {
        const Part& part = list_.parts[piece.part];
        return file.read(part.fileOffset + piece.firstRow * part.rowStride + piece.firstByte, out);
    }

    // Reads whole rows into a window and keeps the wanted part of each.
    Status readRows(const FileReader& file, const Piece& piece, std::span<std::byte> out) {
        const Part& part = list_.parts[piece.part];
        const auto stride = static_cast<std::size_t>(part.rowStride);
        const auto width = static_cast<std::size_t>(part.rowBytes);
        const auto rows = static_cast<std::size_t>(piece.rows);
        std::vector<std::byte> window((rows - 1) * stride + width);
        FL_DO(file.read(part.fileOffset + piece.firstRow * part.rowStride, window));
        for (std::size_t row = 0; row < rows; ++row)
            std::memcpy(out.data() + row * width, window.data() + row * stride, width);
        return Done{};
    }

    Result<const FileReader*> fileOf(const Part& part) {
        const std::lock_guard lock(mutex_);
        auto& file = files_[static_cast<std::size_t>(part.tensor.shard)];
        if (!file) {
            FL_TRY(auto opened,
                   FileReader::open(shards_[static_cast<std::size_t>(part.tensor.shard)].path));
            file = std::make_unique<FileReader>(std::move(opened));
        }
        return static_cast<const FileReader*>(file.get());
    }

    void finished(const Piece& piece, std::int64_t bytes, std::int64_t nonFinite) {
        const Part& part = list_.parts[piece.part];
        const std::lock_guard lock(mutex_);
        progress_.bytesDone += bytes;
        if (--left_[piece.part] == 0)
            ++progress_.tensorsDone;
        if (nonFinite > 0)
            nonFinite_[piece.part] += nonFinite;
        if (options_.onProgress) {
            progress_.file = shards_[static_cast<std::size_t>(part.tensor.shard)].fileName;
            options_.onProgress(progress_);
        }
    }

    std::vector<Finding> findings() const {
        std::vector<Finding> found;
        for (const auto& [index, count] : nonFinite_) {
            const Part& part = list_.parts[index];
            Finding finding;
            finding.code = "non-finite-weights";
            finding.severity = Severity::Warning;
            finding.stage = "load";
            finding.message = fmt::format("{} values are NaN or infinite", count);
            finding.file = shards_[static_cast<std::size_t>(part.tensor.shard)].fileName;
            finding.tensor = part.tensor.name;
            finding.expected = "finite values";
            finding.remedy = "download the file again or convert the checkpoint again";
            found.push_back(std::move(finding));
        }
        return found;
    }

    const PartList& list_;
    std::span<const checkpoint::Shard> shards_;
    WeightSink& sink_;
    const ReadOptions& options_;
    std::int64_t pieceBytes_;
    std::vector<Piece> pieces_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};

    std::mutex mutex_;                // guards what follows
    std::vector<std::int64_t> left_;  // pieces of each part
    std::vector<std::unique_ptr<FileReader>> files_;
    std::map<std::size_t, std::int64_t> nonFinite_;
    Progress progress_;
    std::optional<Error> error_;
};

}  // namespace

Result<std::vector<Finding>> readParts(const PartList& list,
                                       std::span<const checkpoint::Shard> shards,
                                       WeightSink& sink,
                                       const ReadOptions& options) {
    return Reading(list, shards, sink, options).run();
}

}  // namespace fl::load
