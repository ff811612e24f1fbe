// SPDX-License-Identifier: Apache-2.0
// A value, or the reason there is none. Every fallible function in Firstlight returns one.
//
// The member names follow std::expected, so the class can become an alias once the project
// moves to C++23.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace fl {

enum class ErrorCode : std::uint8_t {
    Cancelled,        // the user or a peer asked to stop
    Corrupt,          // bytes on disk or on the wire contradict themselves
    DeviceLost,       // the device needs a reset before anything else can run on it
    Internal,         // a bug that was caught at a boundary (plugin, Lua, third party)
    InvalidArgument,  // the request can never succeed as given
    Io,               // the operating system refused
    NotFound,
    OutOfMemory,
    Timeout,
    Unsupported,  // valid, but this build or device cannot do it
};

struct Error {
    ErrorCode code = ErrorCode::Internal;
    // One sentence without a full stop. Names the file, tensor, rank or device at fault.
    std::string message;
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    // Precondition for these five: has_value().
    T& operator*() & { return *std::get_if<0>(&state_); }
    const T& operator*() const& { return *std::get_if<0>(&state_); }
    T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }

    // Precondition: !has_value().
    const Error& error() const& { return *std::get_if<1>(&state_); }
    Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

private:
    std::variant<T, Error> state_;
};

// For functions with nothing to return: `return Done{};`.
struct Done {};
using Status = Result<Done>;

}  // namespace fl

#define FL_PASTE_(a, b) a##b
#define FL_PASTE(a, b) FL_PASTE_(a, b)

// FL_TRY(auto header, readHeader(file)); leaves the enclosing function on error.
#define FL_TRY(declaration, expression) \
    FL_TRY_(FL_PASTE(attempt, __LINE__), declaration, expression)
#define FL_TRY_(attempt, declaration, expression) \
    auto attempt = (expression);                  \
    if (!attempt)                                 \
        return std::move(attempt).error();        \
    declaration = *std::move(attempt)

// FL_DO(writer.flush()); the same for a Status.
#define FL_DO(expression)                      \
    if (auto attempt = (expression); !attempt) \
    return std::move(attempt).error()
