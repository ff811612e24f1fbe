// SPDX-License-Identifier: Apache-2.0
// Where in a JSON text each value stands, for messages about a file that people write by hand.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fl {

class JsonLines {
public:
    // Precondition: Json::parse() takes the text.
    explicit JsonLines(std::string_view text);

    // The line, counted from 1, of the value at "nodes[0].devices[1].memory": of its key, or of an
    // item itself. Of the nearest part of the path that is there, where it is not.
    int line(std::string_view path) const;

private:
    std::map<std::string, int, std::less<>> lines_;
};

}  // namespace fl
