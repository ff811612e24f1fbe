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

// One pass over a text. The larger JIT stack is made only for texts that need it.
class Matcher {
public:
    Matcher(const pcre2_code* code, std::string_view text)
        : code_(code),
          text_(text),
          data_(pcre2_match_data_create_from_pattern(code, nullptr)),
          context_(makeContext()) {}

    int matchAt(std::size_t at) {
        int count = tryAt(at);
        if (count == PCRE2_ERROR_JIT_STACKLIMIT && !stack_) {
            stack_.reset(pcre2_jit_stack_create(std::size_t{64} << 10, kJitStackBytes, nullptr));
            pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
            count = tryAt(at);
        }
        return count;
    }

    Span found() const {
        const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(data_.get());
        return {bounds[0], bounds[1]};
    }

private:
    int tryAt(std::size_t at) {
        return pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), at,
                           PCRE2_NO_UTF_CHECK, data_.get(), context_.get());
    }

    const pcre2_code* code_;
    std::string_view text_;
    std::unique_ptr<pcre2_match_data, MatchDataFree> data_;
    std::unique_ptr<pcre2_jit_stack, JitStackFree> stack_;
    MatchContext context_;
};

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
    // Oniguruma's ^ and $ stand at every line.
    const std::uint32_t options =
        PCRE2_UTF | (isLiteral ? PCRE2_LITERAL : PCRE2_UCP | PCRE2_MULTILINE);
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

Result<std::vector<Span>> Pattern::matches(std::string_view text, std::size_t offset) const {
    const std::string known = withKnownCharacters(text);
    const std::string_view subject = known.empty() ? text : std::string_view(known);
    Matcher matcher(code_->code.get(), subject);
    std::vector<Span> spans;
    for (std::size_t at = 0; at < subject.size();) {
        const int count = matcher.matchAt(at);
        if (count == PCRE2_ERROR_NOMATCH)
            break;
        if (count < 0)
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("the split pattern gives up at byte {} of the text: {}",
                                     offset + at, messageOf(count))};
        const Span span = matcher.found();
        if (span.end > span.begin) {
            spans.push_back(span);
            at = span.end;
        } else {
            at = span.end < subject.size() ? span.end + decodeUtf8(subject, span.end).bytes
                                           : subject.size();
        }
    }
    return spans;
}

}  // namespace fl::tokenizer
