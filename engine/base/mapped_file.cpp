// SPDX-License-Identifier: Apache-2.0
#include "engine/base/mapped_file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include <fmt/core.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is not in <csignal>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/text.h"

namespace fl {

// Never freed, because the handler may be walking the list; used again by later mappings.
struct MappedFile::Region {
    std::atomic<std::uintptr_t> begin{0};  // 0: free
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> broken{false};
    Region* next = nullptr;
};

namespace {

using Region = MappedFile::Region;

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free,
              "a signal handler may only use lock-free atomics");

// A signal handler has no other way to its data than objects of the process.
std::atomic<Region*> firstRegion{nullptr};
std::mutex regionMutex;
struct sigaction formerAction {};

// Puts zeros from the faulting page to the end of the mapping, since what lies behind a missing
// page of a truncated file is missing too.
bool repair(std::uintptr_t address) {
    for (Region* region = firstRegion.load(); region; region = region->next) {
        const std::uintptr_t begin = region->begin.load();
        const std::uintptr_t end = region->end.load();
        if (begin == 0 || address < begin || address >= end)
            continue;
        region->broken.store(true);
        const auto pageSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        const std::uintptr_t page = address / pageSize * pageSize;
        void* const place = reinterpret_cast<void*>(page);  // NOLINT(performance-no-int-to-ptr)
        return ::mmap(place, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                      0) != MAP_FAILED;
    }
    return false;
}

void onBusError(int signal, siginfo_t* info, void* context) {
    const int savedErrno = errno;
    // A signal that was sent (si_code ≤ 0) carries no address.
    const bool repaired =
        info->si_code > 0 && repair(reinterpret_cast<std::uintptr_t>(info->si_addr));
    errno = savedErrno;
    if (repaired)
        return;
    if ((formerAction.sa_flags & SA_SIGINFO) != 0 && formerAction.sa_sigaction) {
        formerAction.sa_sigaction(signal, info, context);
    } else if (formerAction.sa_handler != SIG_DFL && formerAction.sa_handler != SIG_IGN) {
        formerAction.sa_handler(signal);
    } else {
        // Delivered on return, and then ends the process as it would have without us.
        ::sigaction(SIGBUS, &formerAction, nullptr);
        ::raise(signal);
    }
}

void installHandler() {
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &formerAction);
}

Region* claimRegion(const std::byte* data, std::size_t size) {
    const std::lock_guard lock(regionMutex);
    if (!firstRegion.load())
        installHandler();
    Region* region = firstRegion.load();
    while (region && region->begin.load() != 0)
        region = region->next;
    if (!region) {
        region = new Region;  // NOLINT(cppcoreguidelines-owning-memory): see Region
        region->next = firstRegion.load();
        firstRegion.store(region);
    }
    region->broken.store(false);
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    region->end.store(begin + size);
    region->begin.store(begin);
    return region;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
    FL_TRY(FileReader file, FileReader::open(path));
    MappedFile mapped(std::move(file));
    const auto size = static_cast<std::size_t>(mapped.file_.bytes());
    if (size == 0)
        return mapped;
    void* const data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, mapped.file_.fd(), 0);
    if (data == MAP_FAILED) {
        return Error{ErrorCode::Io,
                     fmt::format("cannot map {}: {}", path, std::strerror(errno))};  // NOLINT
    }
    mapped.data_ = static_cast<std::byte*>(data);
    mapped.size_ = size;
    mapped.region_ = claimRegion(mapped.data_, size);
    return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      region_(std::exchange(other.region_, nullptr)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    if (this != &other) {
        unmap();
        file_ = std::move(other.file_);
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
        region_ = std::exchange(other.region_, nullptr);
    }
    return *this;
}

MappedFile::~MappedFile() {
    unmap();
}

void MappedFile::unmap() {
    if (!region_)
        return;
    // First, so that a later mapping at the same place is not taken for this one.
    region_->begin.store(0);
    ::munmap(data_, size_);
    region_ = nullptr;
}

Status MappedFile::checkIntact() const {
    struct stat facts {};
    if (::fstat(file_.fd(), &facts) != 0) {
        return Error{ErrorCode::Io,
                     fmt::format("cannot look at {}: {}", path(), std::strerror(errno))};  // NOLINT
    }
    // The size too: the rest of the last page reads as zeros without any fault.
    if (facts.st_size < file_.bytes()) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("{} has shrunk from {} B to {} B while it was read", path(),
                                 formatCount(file_.bytes()), formatCount(facts.st_size))};
    }
    if (region_ && region_->broken.load()) {
        return Error{ErrorCode::Corrupt,
                     path() + " could not be read: it shrank or its disk failed meanwhile"};
    }
    return Done{};
}

}  // namespace fl
