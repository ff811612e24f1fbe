// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_options.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "engine/tokenizer/template_names.h"
#include "engine/tokenizer/template_parser.h"

namespace fl::tokenizer {

namespace {

using jinja::Body;
using jinja::Expression;
using jinja::ExpressionKind;
using jinja::Statement;
using jinja::StatementKind;
using jinja::Target;
using jinja::Value;

// What every template is given, or finds.
constexpr std::array<std::string_view, 14> kGiven = {"messages",
                                                     "tools",
                                                     "documents",
                                                     "add_generation_prompt",
                                                     "raise_exception",
                                                     "strftime_now",
                                                     "namespace",
                                                     "range",
                                                     "dict",
                                                     "cycler",
                                                     "joiner",
                                                     "lipsum",
                                                     "loop",
                                                     "caller"};

bool isGiven(const std::string& name) {
    const bool isToken = name.size() > 6 && name.compare(name.size() - 6, 6, "_token") == 0;
    return isToken || std::find(kGiven.begin(), kGiven.end(), name) != kGiven.end();
}

struct Use {
    int line = 0;
    bool isOptional = false;  // asked whether it is there, or has a default
    std::map<std::string, int> kinds;
    std::optional<Value> fallback;
    std::vector<std::string> values;
};

class Reader {
public:
    void read(const Body& body) {
        for (const auto& statement : body)
            read(*statement);
    }

    TemplateOptions take() {
        TemplateOptions out;
        out.takesTools = uses_.contains("tools");
        out.takesDocuments = uses_.contains("documents");
        for (const std::string& name : order_) {
            const Use& use = uses_[name];
            if (isGiven(name) || macros_.contains(name) ||
                (assigned_.contains(name) && !use.isOptional))
                continue;
            out.options.push_back(optionOf(name, use));
        }
        return out;
    }

private:
    void bind(const Target& target, std::set<std::string>& names) {
        for (const Target& part : target.parts)
            bind(part, names);
        if (target.parts.empty() && target.attribute.empty())
            names.insert(target.name);
        else if (!target.attribute.empty())
            see(target.name, 0);
    }

    // Does `work` where `names` are no one else's.
    template <class Work>
    void inLocals(const std::set<std::string>& names, const Work& work) {
        std::vector<std::string> added;
        for (const std::string& name : names) {
            if (locals_.insert(name).second)
                added.push_back(name);
        }
        work();
        for (const std::string& name : added)
            locals_.erase(name);
    }

    void read(const Statement& statement) {
        const bool isLoop = statement.kind == StatementKind::For;
        for (std::size_t i = 0; i < statement.expressions.size(); ++i) {
            const auto& expression = statement.expressions[i];
            // A loop's own condition sees the loop's names.
            if (expression && !(isLoop && i == 1))
                read(*expression, statement.kind == StatementKind::Output ? "text" : "");
        }
        if (statement.call)
            read(*statement.call, "");
        std::set<std::string> inside;
        switch (statement.kind) {
            case StatementKind::Set:
            case StatementKind::SetBlock:
                bind(statement.targets[0], assigned_);
                noteDefault(statement);
                break;
            case StatementKind::For:
                note(*statement.expressions[0], "list");
                bind(statement.targets[0], inside);
                if (statement.expressions[1])
                    inLocals(inside, [&] { read(*statement.expressions[1], "boolean"); });
                break;
            case StatementKind::With:
                for (const Target& target : statement.targets)
                    bind(target, inside);
                break;
            case StatementKind::Macro:
                macros_.insert(statement.text);
                [[fallthrough]];
            case StatementKind::CallBlock:
                inside.insert(statement.parameters.begin(), statement.parameters.end());
                inside.insert({"varargs", "kwargs"});
                break;
            default:
                break;
        }
        for (const auto& [condition, branch] : statement.branches) {
            read(*condition, "boolean");
            const std::string before = std::exchange(missing_, missingName(*condition));
            read(branch);
            missing_ = before;
        }
        inLocals(inside, [&] { read(statement.body); });
        read(statement.otherwise);
    }

    // The name that `condition` finds to be undefined, or "".
    static std::string missingName(const Expression& condition) {
        const bool inverted = condition.kind == ExpressionKind::Unary && condition.name == "not";
        const Expression& test = inverted ? *condition.children[0] : condition;
        const bool asks = test.kind == ExpressionKind::Test &&
                          test.name == (inverted ? "defined" : "undefined") &&
                          test.children[0]->kind == ExpressionKind::Name;
        return asks ? test.children[0]->name : "";
    }

    // "{% if x is not defined %}{% set x = true %}"
    void noteDefault(const Statement& statement) {
        const std::string& name = statement.targets[0].name;
        if (statement.kind != StatementKind::Set || name.empty() || name != missing_ ||
            locals_.contains(name))
            return;
        if (statement.expressions[0]->kind == ExpressionKind::Constant)
            uses_[name].fallback = statement.expressions[0]->constant;
    }

    Use* see(const std::string& name, int line) {
        if (locals_.contains(name))
            return nullptr;
        const auto [found, isNew] = uses_.try_emplace(name);
        if (isNew) {
            found->second.line = line;
            order_.push_back(name);
        }
        return &found->second;
    }

    void note(const Expression& expression, const std::string& kind) {
        if (expression.kind != ExpressionKind::Name)
            return;
        Use* use = see(expression.name, expression.at.line);
        if (use != nullptr && !kind.empty())
            ++use->kinds[kind];
    }

    // `kind` is what the place of the expression makes of it.
    void read(const Expression& expression, const std::string& kind) {
        switch (expression.kind) {
            case ExpressionKind::Name:
                return note(expression, kind);
            case ExpressionKind::Test:
                noteTest(expression);
                break;
            case ExpressionKind::Filter:
                noteFilter(expression);
                break;
            case ExpressionKind::Compare:
                noteComparison(expression);
                break;
            case ExpressionKind::Attribute:
            case ExpressionKind::Subscript:
                note(*expression.children[0], "object");
                break;
            default:
                break;
        }
        const bool logical = expression.kind == ExpressionKind::Binary &&
                             (expression.name == "and" || expression.name == "or");
        const bool joins = expression.kind == ExpressionKind::Binary &&
                           (expression.name == "+" || expression.name == "~");
        const bool inverts = expression.kind == ExpressionKind::Unary && expression.name == "not";
        const std::string inner = inverts || (logical && kind == "boolean") ? "boolean"
                                  : joins                                   ? "text"
                                                                            : "";
        for (std::size_t i = 0; i < expression.children.size(); ++i) {
            if (!expression.children[i])
                continue;
            const bool isCondition = expression.kind == ExpressionKind::Ternary && i == 1;
            read(*expression.children[i], isCondition ? "boolean" : inner);
        }
        for (const auto* spread : {&expression.spread, &expression.spreadNamed}) {
            if (*spread)
                read(**spread, "");
        }
    }

    void noteTest(const Expression& test) {
        const Expression& subject = *test.children[0];
        if (subject.kind != ExpressionKind::Name)
            return;
        Use* use = see(subject.name, subject.at.line);
        if (use == nullptr)
            return;
        static const std::map<std::string, std::string> kKinds = {
            {"true", "boolean"},   {"false", "boolean"}, {"boolean", "boolean"}, {"string", "text"},
            {"mapping", "object"}, {"number", "number"}, {"integer", "number"}};
        if (test.name == "defined" || test.name == "undefined")
            use->isOptional = true;
        else if (const auto kind = kKinds.find(test.name); kind != kKinds.end())
            ++use->kinds[kind->second];
    }

    void noteFilter(const Expression& filter) {
        const Expression* subject = filter.children[0].get();
        if (subject == nullptr || subject->kind != ExpressionKind::Name)
            return;
        Use* use = see(subject->name, subject->at.line);
        if (use == nullptr)
            return;
        if (filter.name == "default" || filter.name == "d") {
            use->isOptional = true;
            if (filter.children.size() > 1 &&
                filter.children[1]->kind == ExpressionKind::Constant && !use->fallback)
                use->fallback = filter.children[1]->constant;
        } else if (filter.name == "trim" || filter.name == "upper" || filter.name == "lower") {
            ++use->kinds["text"];
        }
    }

    void noteComparison(const Expression& comparison) {
        for (std::size_t i = 0; i + 1 < comparison.children.size(); ++i) {
            const Expression& left = *comparison.children[i];
            const Expression& right = *comparison.children[i + 1];
            const std::string& sign = comparison.names[i];
            if (sign == "==" || sign == "!=") {
                noteValue(left, right);
                noteValue(right, left);
            }
            const bool among =
                (sign == "in" || sign == "not in") &&
                (right.kind == ExpressionKind::List || right.kind == ExpressionKind::Tuple);
            for (std::size_t k = 0; among && k < right.children.size(); ++k)
                noteValue(left, *right.children[k]);
        }
    }

    void noteValue(const Expression& subject, const Expression& constant) {
        if (subject.kind != ExpressionKind::Name || constant.kind != ExpressionKind::Constant)
            return;
        Use* use = see(subject.name, subject.at.line);
        if (use == nullptr)
            return;
        const Value& value = constant.constant;
        if (value.isBool())
            ++use->kinds["boolean"];
        else if (value.isNumber())
            ++use->kinds["number"];
        if (!value.isString())
            return;
        use->kinds["text"] += 100;
        if (std::find(use->values.begin(), use->values.end(), value.string()) == use->values.end())
            use->values.push_back(value.string());
    }

    static TemplateOption optionOf(const std::string& name, const Use& use) {
        TemplateOption out;
        out.name = name;
        out.line = use.line;
        out.values = use.values;
        int most = 0;
        for (const auto& [kind, count] : use.kinds) {
            if (count > most) {
                out.kind = kind;
                most = count;
            }
        }
        if (!use.fallback)
            return out;
        const Value& value = *use.fallback;
        if (value.isBool()) {
            out.fallback = value.integer() != 0;
            out.kind = "boolean";
        } else if (value.isInteger()) {
            out.fallback = value.integer();
            out.kind = "number";
        } else if (value.isFloat()) {
            out.fallback = value.number();
            out.kind = "number";
        } else if (value.isString()) {
            out.fallback = value.string();
            out.kind = "text";
        }
        return out;
    }

    std::map<std::string, Use> uses_;
    std::vector<std::string> order_;
    std::set<std::string> assigned_;
    std::set<std::string> macros_;
    std::set<std::string> locals_;
    std::string missing_;  // what the branch around knows to be undefined
};

}  // namespace

Result<TemplateOptions> templateOptions(std::string_view source) {
    FL_TRY(const Body body, jinja::parseTemplate(source));
    Reader reader;
    reader.read(body);
    return reader.take();
}

}  // namespace fl::tokenizer
