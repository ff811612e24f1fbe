// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_parser.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/core.h>

#include "engine/tokenizer/template_expression_parser.h"
#include "engine/tokenizer/template_names.h"

namespace fl::tokenizer::jinja {

namespace {

constexpr int kMaxBlocks = 100;

using StatementPtr = std::unique_ptr<Statement>;

class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : in_(std::move(tokens)) {}

    Result<Body> run() {
        FL_TRY(Body body, until({}));
        if (!in_.is(TokenKind::End))
            return in_.unexpected();
        return body;
    }

private:
    using Words = std::initializer_list<std::string_view>;

    // Statements up to a tag that begins with one of `ends`; stands behind its "{%" then.
    Result<Body> until(Words ends) {
        if (++blocks_ > kMaxBlocks)
            return errorAt(in_.current().at, "blocks are nested too deep");
        Body body;
        while (!in_.is(TokenKind::End)) {
            if (in_.is(TokenKind::BlockBegin)) {
                in_.advance();
                if (std::find(ends.begin(), ends.end(), in_.current().text) != ends.end()) {
                    --blocks_;
                    return body;
                }
            }
            FL_TRY(StatementPtr next, statement());
            if (next)
                body.push_back(std::move(next));
        }
        if (ends.size() > 0)
            return errorAt(
                in_.current().at,
                fmt::format("unexpected end of the template, expected '{}'", *(ends.end() - 1)));
        --blocks_;
        return body;
    }

    StatementPtr make(StatementKind kind) const {
        auto made = std::make_unique<Statement>();
        made->kind = kind;
        made->at = in_.current().at;
        return made;
    }

    Status endTag() {
        if (!in_.is(TokenKind::BlockEnd))
            return in_.unexpected();
        in_.advance();
        return Done{};
    }

    // The body of a block, its end tag included.
    Result<Body> block(std::string_view end) {
        FL_DO(endTag());
        FL_TRY(Body body, until({end}));
        in_.advance();
        FL_DO(endTag());
        return body;
    }

    Result<StatementPtr> statement() {
        if (in_.is(TokenKind::Text)) {
            StatementPtr made = make(StatementKind::Text);
            made->text = in_.current().text;
            in_.advance();
            return made;
        }
        if (in_.is(TokenKind::OutputBegin)) {
            in_.advance();
            StatementPtr made = make(StatementKind::Output);
            FL_TRY(ExpressionPtr value, in_.tuple());
            made->expressions.push_back(std::move(value));
            if (!in_.is(TokenKind::OutputEnd))
                return in_.unexpected();
            in_.advance();
            return made;
        }
        return tag();
    }

    Result<StatementPtr> tag() {
        using Rule = Result<StatementPtr> (Parser::*)();
        static constexpr std::pair<std::string_view, Rule> kRules[] = {
            {"if", &Parser::ifTag},       {"for", &Parser::forTag},
            {"set", &Parser::setTag},     {"macro", &Parser::macroTag},
            {"call", &Parser::callTag},   {"filter", &Parser::filterTag},
            {"with", &Parser::withTag},   {"generation", &Parser::generationTag},
            {"break", &Parser::loopTag},  {"continue", &Parser::loopTag},
            {"block", &Parser::blockTag}, {"autoescape", &Parser::autoescapeTag},
        };
        if (in_.is(TokenKind::Name)) {
            for (const auto& [name, rule] : kRules) {
                if (in_.isName(name))
                    return (this->*rule)();
            }
            return errorAt(in_.current().at, fmt::format("unknown tag '{}'", in_.current().text),
                           ErrorCode::Unsupported);
        }
        return in_.unexpected();
    }

    Result<StatementPtr> ifTag() {
        StatementPtr made = make(StatementKind::If);
        while (in_.isName("if") || in_.isName("elif")) {
            in_.advance();
            FL_TRY(ExpressionPtr condition, in_.tuple(false));
            FL_DO(endTag());
            FL_TRY(Body body, until({"elif", "else", "endif"}));
            made->branches.emplace_back(std::move(condition), std::move(body));
        }
        if (in_.isName("else")) {
            in_.advance();
            FL_TRY(made->otherwise, block("endif"));
            return made;
        }
        FL_DO(in_.expectName("endif"));
        FL_DO(endTag());
        return made;
    }

    Result<Target> singleTarget() {
        if (in_.isOperator("("))
            return wrappedTarget();
        Target target;
        static constexpr std::string_view kConstants[] = {"true", "false", "none",
                                                          "True", "False", "None"};
        if (std::find(std::begin(kConstants), std::end(kConstants), in_.current().text) !=
            std::end(kConstants))
            return errorAt(in_.current().at,
                           fmt::format("cannot assign to '{}'", in_.current().text));
        FL_TRY(target.name, in_.expectAnyName());
        if (in_.skipOperator(".")) {
            FL_TRY(target.attribute, in_.expectAnyName());
        }
        return target;
    }

    // "(a, (b, c))"
    Result<Target> wrappedTarget() {
        if (++targets_ > kMaxBlocks)
            return errorAt(in_.current().at, "names are nested too deep");
        in_.advance();
        FL_TRY(Target inside, target());
        FL_DO(in_.expectOperator(")"));
        --targets_;
        return inside;
    }

    Result<Target> target() {
        FL_TRY(Target first, singleTarget());
        if (!in_.isOperator(","))
            return first;
        Target several;
        several.parts.push_back(std::move(first));
        while (in_.skipOperator(",")) {
            if (!in_.is(TokenKind::Name) && !in_.isOperator("("))
                break;
            FL_TRY(Target next, singleTarget());
            several.parts.push_back(std::move(next));
        }
        return several;
    }

    Result<StatementPtr> forTag() {
        StatementPtr made = make(StatementKind::For);
        in_.advance();
        FL_TRY(Target names, target());
        made->targets.push_back(std::move(names));
        FL_DO(in_.expectName("in"));
        FL_TRY(ExpressionPtr items, in_.tuple(false));
        ExpressionPtr condition;
        if (in_.skipName("if")) {
            FL_TRY(condition, in_.expression());
        }
        made->recursive = in_.skipName("recursive");
        made->expressions.push_back(std::move(items));
        made->expressions.push_back(std::move(condition));
        FL_DO(endTag());
        ++loops_;
        FL_TRY(made->body, until({"else", "endfor"}));
        --loops_;
        if (in_.isName("else")) {
            in_.advance();
            FL_TRY(made->otherwise, block("endfor"));
            return made;
        }
        in_.advance();
        FL_DO(endTag());
        return made;
    }

    Result<StatementPtr> loopTag() {
        StatementPtr made =
            make(in_.isName("break") ? StatementKind::Break : StatementKind::Continue);
        if (loops_ == 0)
            return errorAt(made->at, fmt::format("'{}' outside of a loop", in_.current().text));
        in_.advance();
        FL_DO(endTag());
        return made;
    }

    Result<StatementPtr> setTag() {
        StatementPtr made = make(StatementKind::Set);
        in_.advance();
        FL_TRY(Target name, target());
        made->targets.push_back(std::move(name));
        if (in_.skipOperator("=")) {
            FL_TRY(ExpressionPtr value, in_.tuple());
            made->expressions.push_back(std::move(value));
            FL_DO(endTag());
            return made;
        }
        made->kind = StatementKind::SetBlock;
        FL_TRY(ExpressionPtr filters, in_.filters(nullptr, false));
        made->expressions.push_back(std::move(filters));
        FL_TRY(made->body, block("endset"));
        return made;
    }

    // "(a, b=1)" of a macro or a call block.
    Status parameters(Statement& made) {
        FL_DO(in_.expectOperator("("));
        while (!in_.isOperator(")")) {
            FL_TRY(std::string name, in_.expectAnyName());
            made.parameters.push_back(std::move(name));
            if (in_.skipOperator("=")) {
                FL_TRY(ExpressionPtr value, in_.expression());
                made.expressions.push_back(std::move(value));
            } else if (!made.expressions.empty()) {
                return errorAt(in_.current().at,
                               "a parameter without a default follows one that has it");
            }
            if (!in_.skipOperator(","))
                break;
        }
        return in_.expectOperator(")");
    }

    // A macro's body is no loop, wherever it stands.
    Result<Body> macroBody(std::string_view end) {
        const int loops = std::exchange(loops_, 0);
        FL_TRY(Body body, block(end));
        loops_ = loops;
        return body;
    }

    Result<StatementPtr> macroTag() {
        StatementPtr made = make(StatementKind::Macro);
        in_.advance();
        FL_TRY(made->text, in_.expectAnyName());
        FL_DO(parameters(*made));
        FL_TRY(made->body, macroBody("endmacro"));
        made->readsCaller = reads(made->body, "caller");
        made->readsVarargs = reads(made->body, "varargs");
        made->readsKwargs = reads(made->body, "kwargs");
        return made;
    }

    Result<StatementPtr> callTag() {
        StatementPtr made = make(StatementKind::CallBlock);
        in_.advance();
        if (in_.isOperator("("))
            FL_DO(parameters(*made));
        FL_TRY(made->call, in_.expression());
        if (made->call->kind != ExpressionKind::Call)
            return errorAt(made->at, "a call block needs a call");
        FL_TRY(made->body, macroBody("endcall"));
        made->text = "caller";
        made->readsVarargs = reads(made->body, "varargs");
        made->readsKwargs = reads(made->body, "kwargs");
        return made;
    }

    Result<StatementPtr> filterTag() {
        StatementPtr made = make(StatementKind::FilterBlock);
        in_.advance();
        FL_TRY(ExpressionPtr filters, in_.filters(nullptr, true));
        made->expressions.push_back(std::move(filters));
        FL_TRY(made->body, block("endfilter"));
        return made;
    }

    Result<StatementPtr> withTag() {
        StatementPtr made = make(StatementKind::With);
        in_.advance();
        while (!in_.is(TokenKind::BlockEnd)) {
            if (!made->targets.empty())
                FL_DO(in_.expectOperator(","));
            FL_TRY(Target name, singleTarget());
            FL_DO(in_.expectOperator("="));
            FL_TRY(ExpressionPtr value, in_.expression());
            made->targets.push_back(std::move(name));
            made->expressions.push_back(std::move(value));
        }
        FL_TRY(made->body, block("endwith"));
        return made;
    }

    // A block that nothing can replace, since there are no other templates: its body, which sees
    // the variables around it only where it is "scoped".
    Result<StatementPtr> blockTag() {
        StatementPtr made = make(StatementKind::Block);
        in_.advance();
        FL_TRY(made->text, in_.expectAnyName());
        if (std::find(blockNames_.begin(), blockNames_.end(), made->text) != blockNames_.end())
            return errorAt(made->at, fmt::format("block '{}' defined twice", made->text));
        blockNames_.push_back(made->text);
        made->recursive = in_.skipName("scoped");
        FL_DO(endTag());
        const int loops = std::exchange(loops_, 0);
        FL_TRY(made->body, until({"endblock"}));
        loops_ = loops;
        in_.advance();
        (void)in_.skipName(made->text);
        FL_DO(endTag());
        return made;
    }

    // Prompts are no HTML: escaping can only be switched off, which it is.
    Result<StatementPtr> autoescapeTag() {
        StatementPtr made = make(StatementKind::With);
        in_.advance();
        if (!in_.skipName("false") && !in_.skipName("False"))
            return errorAt(made->at, "autoescape can only be false", ErrorCode::Unsupported);
        FL_TRY(made->body, block("endautoescape"));
        return made;
    }

    // Marks what the model itself wrote, for training: here it is only its body.
    Result<StatementPtr> generationTag() {
        StatementPtr made = make(StatementKind::With);
        in_.advance();
        FL_TRY(made->body, block("endgeneration"));
        return made;
    }

    ExpressionParser in_;
    int blocks_ = 0;
    int loops_ = 0;
    int targets_ = 0;
    std::vector<std::string> blockNames_;
};

}  // namespace

Result<Body> parseTemplate(std::string_view source) {
    FL_TRY(std::vector<Token> tokens, lex(source));
    return Parser(std::move(tokens)).run();
}

}  // namespace fl::tokenizer::jinja
