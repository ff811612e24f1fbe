// SPDX-License-Identifier: Apache-2.0
// What inspection found: census, contract, shards, tensors. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fl::protocol {

struct Named {  // one row of a break-down
    std::string name;
    std::int64_t value = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("value", s.value);
    }
};

struct Contract {
    std::int64_t matched = 0;
    std::int64_t missing = 0;
    std::int64_t unexpected = 0;
    std::int64_t ignored = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("matched", s.matched);
        f("missing", s.missing);
        f("unexpected", s.unexpected);
        f("ignored", s.ignored);
    }
};

struct ShardInfo {
    std::string file;
    std::int64_t bytes = 0;
    std::int64_t tensors = 0;
    std::string state = "whole";  // whole, warning, broken
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("file", s.file);
        f("bytes", s.bytes);
        f("tensors", s.tensors);
        f("state", s.state);
    }
};

// Result of `checkpoint.inspect`, event `census.changed`. Break-downs are written as objects
// {name: value} on the command line.
struct Census {
    std::string path;
    std::string name;    // folder or file name, for titles
    std::string format;  // "safetensors", "gguf"
    std::string architecture;
    std::string recipe;
    std::int64_t files = 0;
    std::int64_t tensors = 0;
    std::int64_t fileBytes = 0;
    std::int64_t tensorBytes = 0;
    std::int64_t largestFileBytes = 0;
    std::int64_t smallestFileBytes = 0;
    std::string largestTensor;
    std::int64_t parameters = 0;  // packed values count one each; scales and tables do not
    std::int64_t parametersWithoutMtp = 0;
    std::int64_t parametersWithoutVision = 0;
    std::int64_t activeParameters = 0;  // of one text token
    std::int64_t activeParametersWithoutEmbedding = 0;
    std::int64_t elements = 0;      // as the headers count
    std::int64_t storedValues = 0;  // packed values counted, scales too
    std::vector<Named> bytesByDtype;
    std::vector<Named> bytesByKind;  // "scales" among them, and "other": nobody's
    std::vector<Named> parametersByKind;
    int layers = 0;
    // Sets of (name, dtype, shape) that differ, of the layers of "text", "mtp" and "vision".
    std::vector<Named> distinctLayers;
    std::int64_t contextLength = 0;
    Contract contract;
    std::vector<ShardInfo> shards;
    std::string verdict = "ok";  // ok, warnings, errors
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("path", s.path);
        f("name", s.name);
        f("format", s.format);
        f("architecture", s.architecture);
        f("recipe", s.recipe);
        f("files", s.files);
        f("tensors", s.tensors);
        f("file_bytes", s.fileBytes);
        f("tensor_bytes", s.tensorBytes);
        f("largest_file_bytes", s.largestFileBytes);
        f("smallest_file_bytes", s.smallestFileBytes);
        f("largest_tensor", s.largestTensor);
        f("parameters", s.parameters);
        f("parameters_without_mtp", s.parametersWithoutMtp);
        f("parameters_without_vision", s.parametersWithoutVision);
        f("active_parameters", s.activeParameters);
        f("active_parameters_without_embedding", s.activeParametersWithoutEmbedding);
        f("elements", s.elements);
        f("stored_values", s.storedValues);
        f("bytes_by_dtype", s.bytesByDtype);
        f("bytes_by_kind", s.bytesByKind);
        f("parameters_by_kind", s.parametersByKind);
        f("layers", s.layers);
        f("distinct_layers", s.distinctLayers);
        f("context_length", s.contextLength);
        f("contract", s.contract);
        f("shards", s.shards);
        f("verdict", s.verdict);
    }
};

// `checkpoint.inspect` of any checkpoint, a what-if; empty: the open one as it lies on disk now.
struct InspectRequest {
    std::string checkpoint;
    std::string recipe;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("checkpoint", s.checkpoint);
        f("recipe", s.recipe);
    }
};

// `checkpoint.tensors`: names containing `search`, sorted, from `offset`, at most `limit`.
struct TensorsRequest {
    std::string search;
    std::int64_t offset = 0;
    std::int64_t limit = 10000;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("search", s.search);
        f("offset", s.offset);
        f("limit", s.limit);
    }
};

struct TensorRow {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    int shard = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    std::string contract = "matched";  // matched, missing, unexpected, ignored
    std::string kind;                  // attention, mlp, expert, …
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("dtype", s.dtype);
        f("shape", s.shape);
        f("shard", s.shard);
        f("offset", s.offset);
        f("bytes", s.bytes);
        f("contract", s.contract);
        f("kind", s.kind);
    }
};

struct TensorsReply {
    std::int64_t total = 0;  // that match
    std::vector<TensorRow> tensors;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("total", s.total);
        f("tensors", s.tensors);
    }
};

// `checkpoint.columns`: all tensors, in the order of fl::naturalLess, from `offset`, at most
// `limit`; half a million of them travel in some ten megabytes.
struct ColumnsRequest {
    std::int64_t offset = 0;
    std::int64_t limit = 32768;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("offset", s.offset);
        f("limit", s.limit);
    }
};

// What tensors have in common: a checkpoint knows some dozens of forms.
struct TensorForm {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::int64_t bytes = 0;
    std::string contract;
    std::string kind;
    bool operator==(const TensorForm&) const = default;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("dtype", s.dtype);
        f("shape", s.shape);
        f("bytes", s.bytes);
        f("contract", s.contract);
        f("kind", s.kind);
    }
};

// One page of them; written and read by tensor_columns.h.
struct TensorColumns {
    std::int64_t total = 0;  // of the checkpoint
    std::int64_t offset = 0;
    std::int64_t count = 0;  // of this page
    std::vector<TensorForm> forms;
    // Base64 of one record a tensor, numbers as LEB128: bytes of the name shared with the one
    // before it (0 for the first), bytes that follow, these bytes, index of its form, shard + 1.
    std::string records;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("total", s.total);
        f("offset", s.offset);
        f("count", s.count);
        f("forms", s.forms);
        f("records", s.records);
    }
};

}  // namespace fl::protocol
