// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/pattern.h"

#include <array>
#include <cstdint>

#include <fmt/core.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

// A match of a million spaces backtracks once per space; what goes far beyond is exponential.
constexpr std::uint32_t kMatchLimit = 20'000'000;
constexpr std::uint32_t kDepthLimit = 1'000'000;
constexpr std::uint32_t kHeapLimitKib = 256 * 1024;
constexpr std::size_t kJitStackBytes = std::size_t{32} << 20;

struct MatchDataFree {
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct MatchContextFree {
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct CompileContextFree {
    void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};
struct JitStackFree {
    void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};
struct CodeFree {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
using MatchContext = std::unique_ptr<pcre2_match_context, MatchContextFree>;

std::string messageOf(int code) {
    std::array<PCRE2_UCHAR, 256> buffer{};
    pcre2_get_error_message(code, buffer.data(), buffer.size());
    return std::string(reinterpret_cast<const char*>(buffer.data()));
}

MatchContext makeContext() {
    MatchContext context(pcre2_match_context_create(nullptr));
    pcre2_set_match_limit(context.get(), kMatchLimit);
    pcre2_set_depth_limit(context.get(), kDepthLimit);
    pcre2_set_heap_limit(context.get(), kHeapLimitKib);
    return context;
}

}  // namespace

struct Pattern::Code {
    std::unique_ptr<pcre2_code, CodeFree> code;
};

Pattern::Pattern(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(const std::string& source, bool isLiteral) {
    const std::unique_ptr<pcre2_compile_context, CompileContextFree> context(
        pcre2_compile_context_create(nullptr));
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    int problem = 0;
    PCRE2_SIZE at = 0;
    // Oniguruma's ^ and $ stand at every line; \C would match half a character.
    const std::uint32_t options =
        PCRE2_UTF |
        (isLiteral ? PCRE2_LITERAL : PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C);
    auto compiled = std::make_unique<Code>();
    compiled->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(source.data()), source.size(),
                                       options, &problem, &at, context.get()));
    if (!compiled->code)
        return Error{ErrorCode::Unsupported,
                     fmt::format("pattern '{}' does not compile: {} at byte {}", source,
                                 messageOf(problem), at)};
    // Where the machine has no JIT, PCRE2 interprets: slower, with the same answers.
    pcre2_jit_compile(compiled->code.get(), PCRE2_JIT_COMPLETE);
    return Pattern(std::move(compiled));
}

Result<Pattern> Pattern::regex(const std::string& source) {
    FL_TRY(const std::string translated, toPcre(source));
    return compile(translated, false);
}

Result<Pattern> Pattern::literal(const std::string& text) {
    if (text.empty())
        return Error{ErrorCode::Unsupported, "the split text is empty"};
    return compile(text, true);
}

// The larger JIT stack is made only for texts that need it.
struct Pattern::Matcher::Parts {
    const pcre2_code* code;
    bool hasJit = false;
    std::unique_ptr<pcre2_match_data, MatchDataFree> data;
    std::unique_ptr<pcre2_jit_stack, JitStackFree> stack;
    MatchContext context;

    int tryAt(std::string_view text, std::size_t at) {
        const auto* begin = reinterpret_cast<PCRE2_SPTR>(text.data());
        // The short way into the JIT checks nothing; what it would check holds here.
        return hasJit ? pcre2_jit_match(code, begin, text.size(), at, PCRE2_NO_UTF_CHECK,
                                        data.get(), context.get())
                      : pcre2_match(code, begin, text.size(), at, PCRE2_NO_UTF_CHECK, data.get(),
                                    context.get());
    }

    int matchAt(std::string_view text, std::size_t at) {
        int count = tryAt(text, at);
        if (count == PCRE2_ERROR_JIT_STACKLIMIT && !stack) {
            stack.reset(pcre2_jit_stack_create(std::size_t{64} << 10, kJitStackBytes, nullptr));
            pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
            count = tryAt(text, at);
        }
        return count;
    }
};

Pattern::Matcher::Matcher(const Pattern& pattern) : parts_(std::make_unique<Parts>()) {
    parts_->code = pattern.code_->code.get();
    std::size_t jitBytes = 0;
    parts_->hasJit =
        pcre2_pattern_info(parts_->code, PCRE2_INFO_JITSIZE, &jitBytes) == 0 && jitBytes > 0;
    parts_->data.reset(pcre2_match_data_create_from_pattern(parts_->code, nullptr));
    parts_->context = makeContext();
}

Pattern::Matcher::Matcher(Matcher&&) noexcept = default;
Pattern::Matcher::~Matcher() = default;

Status Pattern::Matcher::each(std::string_view subject,
                              std::size_t offset,
                              const std::function<Status(Span)>& sink) {
    for (std::size_t at = 0; at < subject.size();) {
        const int count = parts_->matchAt(subject, at);
        if (count == PCRE2_ERROR_NOMATCH)
            break;
        if (count < 0)
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("the split pattern gives up at byte {} of the text: {}",
                                     offset + at, messageOf(count))};
        const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(parts_->data.get());
        const Span span{bounds[0], bounds[1]};
        if (span.end > span.begin) {
            FL_DO(sink(span));
            at = span.end;
        } else {
            at = span.end < subject.size() ? span.end + decodeUtf8(subject, span.end).bytes
                                           : subject.size();
        }
    }
    return Done{};
}

Result<std::vector<Span>> Pattern::matches(std::string_view text, std::size_t offset) const {
    const std::string known = withKnownCharacters(text);
    std::vector<Span> spans;
    Matcher matcher(*this);
    FL_DO(matcher.each(known.empty() ? text : std::string_view(known), offset,
                       [&](Span span) -> Status {
                           spans.push_back(span);
                           return Done{};
                       }));
    return spans;
}

}  // namespace fl::tokenizer
