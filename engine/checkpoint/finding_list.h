// SPDX-License-Identifier: Apache-2.0
// Where the readers put what they find.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/finding.h"

namespace fl::checkpoint {

// Bounded: a header with a million faults of one code keeps the first hundred and counts the rest.
class FindingList {
public:
    // A new finding of stage "inspect", to be completed by the caller; the reference is valid until
    // the next call. An empty `file` means the checkpoint as a whole.
    Finding& error(std::string_view code, std::string_view file, std::string message);
    Finding& warning(std::string_view code, std::string_view file, std::string message);

    // One that was made elsewhere.
    void add(Finding finding);
    // Takes over the findings of another list, which is empty afterwards. The bound holds for both.
    void absorb(FindingList&& other);

    // To add what is learnt later. Not those beyond the bound.
    void each(const std::function<void(Finding&)>& visit);

    bool empty() const { return findings_.empty(); }
    // The findings, folded. The list is empty afterwards.
    std::vector<Finding> take();

private:
    Finding& add(Severity severity,
                 std::string_view code,
                 std::string_view file,
                 std::string message);

    struct PerCode {
        int kept = 0;
        std::size_t last = 0;
    };
    std::vector<Finding> findings_;
    std::map<std::string, PerCode, std::less<>> codes_;
    Finding uncounted_;  // takes the details of findings beyond the limit
};

}  // namespace fl::checkpoint
