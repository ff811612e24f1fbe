// SPDX-License-Identifier: Apache-2.0
#include "engine/device/status.h"

#include <array>
#include <string>

namespace fl::device {

struct Pair {
    fl_status status;
    ErrorCode code;
};
constexpr std::array kPairs = {Pair{FL_CANCELLED, ErrorCode::Cancelled},
                               Pair{FL_DEVICE_LOST, ErrorCode::DeviceLost},
                               Pair{FL_INTERNAL, ErrorCode::Internal},
                               Pair{FL_INVALID_ARGUMENT, ErrorCode::InvalidArgument},
                               Pair{FL_IO, ErrorCode::Io},
                               Pair{FL_NOT_FOUND, ErrorCode::NotFound},
                               Pair{FL_OUT_OF_MEMORY, ErrorCode::OutOfMemory},
                               Pair{FL_TIMEOUT, ErrorCode::Timeout},
                               Pair{FL_UNSUPPORTED, ErrorCode::Unsupported}};

ErrorCode errorCode(fl_status status) {
    for (const Pair& pair : kPairs) {
        if (pair.status == status)
            return pair.code;
    }
    return ErrorCode::Internal;
}

fl_status statusOf(ErrorCode code) {
    for (const Pair& pair : kPairs) {
        if (pair.code == code)
            return pair.status;
    }
    return FL_INTERNAL;
}

Error pluginError(const fl_plugin& plugin, fl_status status, std::string_view what) {
    const char* sentence = plugin.last_error();
    if (sentence != nullptr && sentence[0] != '\0')
        return Error{errorCode(status), sentence};
    return Error{errorCode(status), "plugin " + std::string(plugin.name) + ": " +
                                        std::string(what) + " failed with status " +
                                        std::to_string(status)};
}

Status checked(const fl_plugin& plugin, fl_status status, std::string_view what) {
    if (status == FL_OK)
        return Done{};
    return pluginError(plugin, status, what);
}

}  // namespace fl::device
