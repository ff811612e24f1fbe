// SPDX-License-Identifier: Apache-2.0
// Split patterns that files only name; what a name means is data: resources/tokenizers/pre.json.
#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/tokenizer/tokenizer_readers.h"

namespace fl::tokenizer {

Result<Splits> splitsFor(const std::string& name, const std::string& asker) {
    const std::string path = resourcesDir() + "/tokenizers/pre.json";
    FL_TRY(const Json file, Json::parseFile(path));
    std::vector<std::string> known;
    for (const Json& entry : file["splits"].items()) {
        for (const Json& alias : entry["names"].items()) {
            known.push_back(alias.string());
            if (alias.string() != name)
                continue;
            Splits splits;
            for (const Json& pattern : entry["patterns"].items())
                splits.patterns.push_back(pattern.string());
            splits.ignoreMerges = entry["ignore_merges"].boolean();
            splits.addBos = entry["add_bos"].boolean();
            splits.normalizeNfc = entry["nfc"].boolean();
            return splits;
        }
    }
    return Error{ErrorCode::Unsupported,
                 fmt::format("{} '{}' is not known (known: {}); add it to {}", asker, name,
                             join(known, ", "), path)};
}

}  // namespace fl::tokenizer
