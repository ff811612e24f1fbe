// SPDX-License-Identifier: Apache-2.0
// The values of a template, with the meaning they have in Python: truth, equality, order, str and
// repr. Containers are shared by reference, as there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::tokenizer::jinja {

class Value;
struct Scope;
struct Statement;
struct List;
struct Dict;
struct Namespace;
struct Loop;
struct Macro;
struct Function;
struct Method;
struct Cycler;

// A name, key or attribute that does not exist: prints as nothing, is false and empty, and fails
// when something is asked of it.
struct Undefined {
    std::string message;  // "'x' is undefined"
};

// An integer beyond 64 bits, as JSON has it: printed to the digit, reckoned with as a float.
struct BigInteger {
    std::string digits;
    double value = 0;
};

class Value {
public:
    using Text = std::shared_ptr<const std::string>;

    Value() = default;  // None
    explicit Value(Undefined undefined)
        : data_(std::make_shared<Undefined>(std::move(undefined))) {}
    Value(bool value) : data_(value) {}                           // NOLINT
    Value(int value) : data_(std::int64_t{value}) {}              // NOLINT
    Value(std::int64_t value) : data_(value) {}                   // NOLINT
    Value(double value) : data_(value) {}                         // NOLINT
    Value(const char* value) : Value(std::string(value)) {}       // NOLINT
    Value(std::string_view value) : Value(std::string(value)) {}  // NOLINT
    Value(std::string value)                                      // NOLINT
        : data_(std::make_shared<const std::string>(std::move(value))) {}
    template <class T>
    Value(std::shared_ptr<T> object) : data_(std::move(object)) {}  // NOLINT

    // Text that Jinja would not escape again ("safe"); what is joined to it is escaped.
    static Value markup(std::string text);
    static Value list(std::vector<Value> items);
    static Value tuple(std::vector<Value> items);
    static Value fromJson(const Json& json);

    bool isUndefined() const { return holds<std::shared_ptr<Undefined>>(); }
    bool isNone() const { return holds<std::monostate>(); }
    bool isBool() const { return holds<bool>(); }
    bool isInteger() const { return holds<std::int64_t>(); }  // not a boolean
    bool isFloat() const { return holds<double>(); }
    bool isBigInteger() const { return asBigInteger() != nullptr; }
    bool isNumber() const { return isBool() || isInteger() || isFloat() || isBigInteger(); }
    bool isIntegral() const { return isBool() || isInteger(); }
    bool isString() const { return holds<Text>(); }
    bool isMarkup() const { return isMarkup_; }
    // Holds other values, so that it may hold itself or be nested without end.
    bool isContainer() const;
    bool isCallable() const;
    // Nobody else holds the same object.
    bool isFresh() const;

    // Precondition for these: the value is of that kind.
    const std::string& string() const { return **std::get_if<Text>(&data_); }
    std::int64_t integer() const;  // booleans are 0 and 1
    double number() const;
    const std::string& undefinedMessage() const;

    // Null if the value is of another kind.
    BigInteger* asBigInteger() const { return pointer<BigInteger>(); }
    List* asList() const { return pointer<List>(); }
    Dict* asDict() const { return pointer<Dict>(); }
    Namespace* asNamespace() const { return pointer<Namespace>(); }
    Loop* asLoop() const { return pointer<Loop>(); }
    Macro* asMacro() const { return pointer<Macro>(); }
    Function* asFunction() const { return pointer<Function>(); }
    Method* asMethod() const { return pointer<Method>(); }
    Cycler* asCycler() const { return pointer<Cycler>(); }
    // The same object, not an equal one.
    bool isSame(const Value& other) const { return data_ == other.data_; }

    bool truthy() const;
    std::string_view typeName() const;  // Python's: "str", "dict"

private:
    template <class T>
    bool holds() const {
        return std::holds_alternative<T>(data_);
    }
    template <class T>
    T* pointer() const {
        const auto* held = std::get_if<std::shared_ptr<T>>(&data_);
        return held != nullptr ? held->get() : nullptr;
    }

    std::variant<std::monostate,
                 bool,
                 std::int64_t,
                 double,
                 Text,
                 std::shared_ptr<Undefined>,
                 std::shared_ptr<BigInteger>,
                 std::shared_ptr<List>,
                 std::shared_ptr<Dict>,
                 std::shared_ptr<Namespace>,
                 std::shared_ptr<Loop>,
                 std::shared_ptr<Macro>,
                 std::shared_ptr<Function>,
                 std::shared_ptr<Method>,
                 std::shared_ptr<Cycler>>
        data_;
    bool isMarkup_ = false;
};

// Lists are of several kinds in Python; the others differ in what may be asked of them.
enum class ListKind : std::uint8_t {
    List,
    Tuple,
    Group,  // of groupby: a tuple whose parts are .grouper and .list
    Range,
    Keys,  // of a mapping, as are the next two
    Values,
    Items,
    Generator  // of filters: can be gone through, nothing else
};

struct List {
    std::vector<Value> items;
    ListKind kind = ListKind::List;
    std::shared_ptr<const Error> failure = nullptr;  // of a generator: how it ends

    bool isTuple() const { return kind == ListKind::Tuple || kind == ListKind::Group; }
    // Has a length and takes an index.
    bool isSequence() const { return kind <= ListKind::Range; }
};

// Keeps the order of insertion.
struct Dict {
    std::vector<std::pair<Value, Value>> items;

    const Value* find(const Value& key) const;
    const Value* find(std::string_view key) const;
    void set(const Value& key, Value value);
};

struct Namespace {
    Dict attributes;
};

// The variable `loop`.
struct Loop {
    std::vector<Value> items;
    std::size_t index = 0;
    std::optional<Value> lastChecked;  // by loop.changed()
    int depth = 0;
    // Of a recursive loop: its statement, and where it stands.
    const Statement* recursive = nullptr;
    std::shared_ptr<Scope> scope;
};

// What cycler() and joiner() make.
struct Cycler {
    std::vector<Value> items;  // of a joiner: the separator alone
    std::size_t next = 0;
    bool isJoiner = false;
};

struct Function {
    std::string name;
};

struct Method {
    Value self;
    std::string name;
};

// Values nested deeper than this, or inside themselves, cannot be compared or printed.
constexpr int kMaxNesting = 100;

// Compares at most a bounded number of parts: beyond it, values count as different, and
// equalsWithin() says so.
bool equals(const Value& left, const Value& right);
Result<bool> equalsWithin(const Value& left, const Value& right);
Result<bool> lessThan(const Value& left, const Value& right, int depth = 0);
Result<bool> contains(const Value& container, const Value& item);
Result<std::vector<Value>> iterate(const Value& value);
Result<std::int64_t> lengthOf(const Value& value);

// Python's str() and repr(). Cut where they grow beyond kMaxPrinted bytes, which is more than any
// budget of output allows.
constexpr std::size_t kMaxPrinted = std::size_t{32} << 20;
std::string toStr(const Value& value);
std::string toRepr(const Value& value);
std::string floatRepr(double value);

// Python's "'int' object …" errors.
Error typeError(std::string message);

}  // namespace fl::tokenizer::jinja
