// SPDX-License-Identifier: Apache-2.0
// The ladder: cases, rungs, first divergence. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fl::protocol {

struct ValidateRequest {
    std::string reference;           // folder with cases.json
    std::vector<std::string> cases;  // empty: all
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("reference", s.reference);
        f("cases", s.cases);
    }
};

struct Rung {
    std::string name;
    double error = 0;
    double worstToken = 0;  // largest per-token error
    double tolerance = 0;
    int parted = 0;       // tokens left out: they took another expert where two were as good
    std::string verdict;  // pass, fail, skipped
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("error", s.error);
        f("worst_token", s.worstToken);
        f("tolerance", s.tolerance);
        f("parted", s.parted);
        f("verdict", s.verdict);
    }
};

struct Divergence {
    std::string rung;
    int rank = -1;
    std::string slice;
    int token = -1;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rung", s.rung);
        f("rank", s.rank);
        f("slice", s.slice);
        f("token", s.token);
    }
};

struct CaseResult {
    std::string name;
    int replica = 0;
    std::string verdict;
    std::vector<Rung> rungs;
    std::vector<Divergence> firstDivergence;  // empty or one
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("replica", s.replica);
        f("verdict", s.verdict);
        f("rungs", s.rungs);
        f("first_divergence", s.firstDivergence);
    }
};

struct ValidateReply {
    std::vector<CaseResult> cases;
    std::string verdict;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("cases", s.cases);
        f("verdict", s.verdict);
    }
};

}  // namespace fl::protocol
