// SPDX-License-Identifier: Apache-2.0
// Python's json.dumps, to the byte.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

class JsonWriter {
public:
    JsonWriter(Runtime& runtime, const Arguments& options)
        : runtime_(runtime),
          ascii_(options.flag(0, "ensure_ascii", false)),
          sortKeys_(options.flag(3, "sort_keys", false)) {
        const Value* indent = options.get(1, "indent");
        isIndented_ = indent != nullptr && (indent->isIntegral() || indent->isString());
        if (isIndented_) {
            const std::int64_t width =
                indent->isIntegral() ? std::clamp<std::int64_t>(indent->integer(), 0, 64) : 0;
            indent_ = indent->isString() ? indent->string().substr(0, 64)
                                         : std::string(static_cast<std::size_t>(width), ' ');
            comma_ = ",";
        }
        const Value* separators = options.get(2, "separators");
        const List* pair = separators != nullptr ? separators->asList() : nullptr;
        if (pair != nullptr && pair->items.size() == 2) {
            comma_ = toStr(pair->items[0]);
            colon_ = toStr(pair->items[1]);
        }
    }

    Status write(const Value& value, int depth) {
        FL_DO(runtime_.spend());
        if (static_cast<std::int64_t>(out_.size()) > runtime_.limits().outputBytes)
            return runtime_.grow(static_cast<std::int64_t>(out_.size()));
        if (depth > kMaxNesting)
            return typeError("a value is nested too deep, or in itself, for tojson");
        if (value.isString()) {
            writeString(value.string());
        } else if (value.isNone()) {
            out_ += "null";
        } else if (value.isBool()) {
            out_ += value.integer() != 0 ? "true" : "false";
        } else if (value.isInteger()) {
            out_ += std::to_string(value.integer());
        } else if (const BigInteger* big = value.asBigInteger()) {
            out_ += big->digits;
        } else if (value.isFloat()) {
            writeFloat(value.number());
        } else if (const List* list = value.asList();
                   list != nullptr && list->kind <= ListKind::Group) {
            return writeList(*list, depth);
        } else if (const Dict* dict = value.asDict()) {
            return writeDict(*dict, depth);
        } else {
            return typeError(
                fmt::format("Object of type {} is not JSON serializable", value.typeName()));
        }
        return Done{};
    }

    std::string take() { return std::move(out_); }

private:
    void newLine(int depth) {
        if (!isIndented_)
            return;
        out_ += '\n';
        for (int i = 0; i < depth; ++i)
            out_ += indent_;
    }

    void writeFloat(double number) {
        if (std::isnan(number))
            out_ += "NaN";
        else if (std::isinf(number))
            out_ += number > 0 ? "Infinity" : "-Infinity";
        else
            out_ += floatRepr(number);
    }

    void writeEscaped(char32_t code) {
        if (code < 0x10000) {
            out_ += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
            return;
        }
        const auto rest = static_cast<std::uint32_t>(code) - 0x10000;
        out_ += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
    }

    void writeString(const std::string& text) {
        static constexpr std::string_view kSigns = "\"\\\b\f\n\r\t";
        static constexpr std::string_view kLetters = "\"\\bfnrt";
        out_ += '"';
        for (std::size_t at = 0; at < text.size();) {
            const Utf8Char next = decodeUtf8(text, at);
            const std::size_t sign =
                next.code < 0x80 ? kSigns.find(static_cast<char>(next.code)) : std::string::npos;
            if (sign != std::string::npos) {
                out_ += '\\';
                out_ += kLetters[sign];
            } else if (next.code < 0x20 || (ascii_ && next.code > 0x7E)) {
                writeEscaped(next.code);
            } else {
                out_ += std::string_view(text).substr(at, next.bytes);
            }
            at += next.bytes;
        }
        out_ += '"';
    }

    Status writeList(const List& list, int depth) {
        if (list.items.empty()) {
            out_ += "[]";
            return Done{};
        }
        out_ += '[';
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            out_ += i == 0 ? "" : comma_;
            newLine(depth + 1);
            FL_DO(write(list.items[i], depth + 1));
        }
        newLine(depth);
        out_ += ']';
        return Done{};
    }

    // Keys that are not strings become what they are in JSON, in quotes.
    Status writeKey(const Value& key) {
        if (key.isString()) {
            writeString(key.string());
            return Done{};
        }
        if (!key.isNumber() && !key.isNone())
            return typeError("keys must be str, int, float, bool or None");
        out_ += '"';
        FL_DO(write(key, 0));
        out_ += '"';
        return Done{};
    }

    Status writeDict(const Dict& dict, int depth) {
        if (dict.items.empty()) {
            out_ += "{}";
            return Done{};
        }
        std::vector<std::pair<Value, Value>> items = dict.items;
        if (sortKeys_)
            std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
                return toStr(a.first) < toStr(b.first);
            });
        out_ += '{';
        for (std::size_t i = 0; i < items.size(); ++i) {
            out_ += i == 0 ? "" : comma_;
            newLine(depth + 1);
            FL_DO(writeKey(items[i].first));
            out_ += colon_;
            FL_DO(write(items[i].second, depth + 1));
        }
        newLine(depth);
        out_ += '}';
        return Done{};
    }

    Runtime& runtime_;
    bool ascii_;
    bool sortKeys_;
    bool isIndented_ = false;
    std::string indent_;
    std::string comma_ = ", ";
    std::string colon_ = ": ";
    std::string out_;
};

}  // namespace

Result<std::string> dumpJson(Runtime& runtime, const Value& value, const Arguments& options) {
    JsonWriter writer(runtime, options);
    FL_DO(writer.write(value, 0));
    std::string text = writer.take();
    FL_DO(runtime.grow(static_cast<std::int64_t>(text.size())));
    return text;
}

}  // namespace fl::tokenizer::jinja
