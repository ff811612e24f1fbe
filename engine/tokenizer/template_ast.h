// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a template.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizer/template_lexer.h"
#include "engine/tokenizer/template_value.h"

namespace fl::tokenizer::jinja {

enum class ExpressionKind : std::uint8_t {
    Constant,
    Name,
    List,
    Tuple,
    Dict,       // children: key, value, key, value, …
    Attribute,  // children[0] . name
    Subscript,  // children[0] [ children[1] ]
    Slice,      // children: begin, end, step; each may be null
    Call,       // children[0] ( arguments )
    Filter,     // children[0] | name ( arguments ); children[0] is null in blocks
    Test,       // children[0] is name ( arguments )
    Unary,      // name: "-", "+", "not"
    Binary,     // name: arithmetic, "~", "and", "or"
    Compare,    // names: the operators between the children
    Ternary,    // children: value, condition, otherwise (may be null)
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
    ExpressionKind kind = ExpressionKind::Constant;
    Location at;
    std::string name;
    Value constant;
    std::vector<std::unique_ptr<Expression>> children;
    // Of calls, filters and tests: the last names.size() children are keyword arguments.
    std::vector<std::string> names;
    ExpressionPtr spread;       // f(*spread)
    ExpressionPtr spreadNamed;  // f(**spreadNamed)
    int depth = 1;
};

// What an assignment or a loop writes to: a name, an attribute of a namespace, or several.
struct Target {
    std::string name;
    std::string attribute;
    std::vector<Target> parts;
};

enum class StatementKind : std::uint8_t {
    Text,
    Output,
    If,
    For,
    Set,
    SetBlock,
    Macro,
    CallBlock,
    FilterBlock,
    With,
    Block,  // recursive: it is "scoped"
    Break,
    Continue,
};

struct Statement;
using Body = std::vector<std::unique_ptr<Statement>>;

struct Statement {
    StatementKind kind = StatementKind::Text;
    Location at;
    std::string text;  // of Text; the name of a macro
    // Output: value. For: iterable and filter (may be null). Set: value. SetBlock, FilterBlock:
    // filters (may be null). Macro, CallBlock: defaults of the last parameters. With: values.
    std::vector<ExpressionPtr> expressions;
    ExpressionPtr call;           // of CallBlock
    std::vector<Target> targets;  // For, Set, SetBlock: one; With: one for each value
    std::vector<std::string> parameters;
    bool recursive = false;  // of For
    // Of Macro: what its body reads of these, and so may be given.
    bool readsCaller = false;
    bool readsVarargs = false;
    bool readsKwargs = false;
    Body body;
    std::vector<std::pair<ExpressionPtr, Body>> branches;  // of If
    Body otherwise;                                        // else of If and For
};

}  // namespace fl::tokenizer::jinja
