// SPDX-License-Identifier: Apache-2.0
// One diagnosis, as the Findings panel, `--json` and the journal show it (cli contract: code,
// severity, stage, message, then whatever names the place, then the remedy).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace fl {

enum class Severity : std::uint8_t { Info, Warning, Error };

struct Finding {
    std::string code;  // stable kebab-case word, listed in resources/rules/findings.md
    Severity severity = Severity::Error;
    std::string stage;    // inspect, plan, launch, load, validate, probe
    std::string message;  // one sentence
    // Where; empty (rank: -1) when it does not apply.
    std::string file;
    std::string tensor;
    std::string key;
    int rank = -1;
    std::string expected;
    std::string found;
    std::string remedy;
    // How many equal findings were folded into this one, and a few of their places.
    std::int64_t count = 1;
    std::vector<std::string> examples;
};

std::string_view name(Severity severity);  // "error"

// Folds findings that differ only in tensor or file into one with a count and up to `examples`
// names, keeps the order of first appearance, errors first.
std::vector<Finding> folded(std::vector<Finding> findings, std::size_t examples = 5);

bool hasErrors(const std::vector<Finding>& findings);

// "error shard-truncated: message (file; tensor) — remedy", for terminals and logs.
std::string text(const Finding& finding);

// A finding that carries a returned Error.
Finding fromError(const Error& error, std::string code, std::string stage);

}  // namespace fl
