// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/sparse_checkpoint.h"

#include <vector>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtEndian>

namespace fl::test {

namespace {

constexpr int kHidden = 1024;
constexpr int kInner = 256;
constexpr int kHeads = 16;
constexpr int kKvHeads = 4;
constexpr int kHeadDim = 64;
constexpr int kVocabulary = 320;  // of the tokenizer that is copied
constexpr qint64 kElement = 2;    // BF16

class Shard {
public:
    void add(const QString& name, const QList<int>& shape) {
        QJsonArray sizes;
        qint64 bytes = kElement;
        for (const int size : shape) {
            sizes.append(size);
            bytes *= size;
        }
        header_[name] = QJsonObject{
            {"dtype", "BF16"}, {"shape", sizes}, {"data_offsets", QJsonArray{end_, end_ + bytes}}};
        end_ += bytes;
    }
    bool write(const QString& path) const {
        QByteArray text = QJsonDocument(header_).toJson(QJsonDocument::Compact);
        text.append(QByteArray((8 - text.size() % 8) % 8, ' '));
        const quint64 length = qToLittleEndian(quint64(text.size()));
        QFile file(path);
        return file.open(QIODevice::WriteOnly) &&
               file.write(reinterpret_cast<const char*>(&length), sizeof length) > 0 &&
               file.write(text) == text.size() && file.resize(8 + text.size() + end_);
    }
    QStringList names() const { return header_.keys(); }

private:
    QJsonObject header_;
    qint64 end_ = 0;
};

void addLayer(Shard& shard, const SparseModel& model, int layer) {
    const QString at = QStringLiteral("model.layers.%1.").arg(layer);
    const bool last = layer + 1 == model.layers;
    shard.add(at + "input_layernorm.weight", {kHidden});
    shard.add(at + "post_attention_layernorm.weight", {kHidden});
    shard.add(at + "self_attn.q_norm.weight", {kHeadDim});
    shard.add(at + "self_attn.k_norm.weight", {kHeadDim});
    shard.add(at + "self_attn.q_proj.weight", {kHeads * kHeadDim, kHidden});
    shard.add(at + "self_attn.k_proj.weight", {kKvHeads * kHeadDim, kHidden});
    shard.add(at + "self_attn.v_proj.weight", {kKvHeads * kHeadDim, kHidden});
    if (!(last && model.leaveOneOut))
        shard.add(at + "self_attn.o_proj.weight", {kHidden, kHeads * kHeadDim});
    if (last && model.addOne)
        shard.add(at + "self_attn.sinks", {kHeads});
    shard.add(at + "mlp.gate.weight", {model.experts, kHidden});
    for (int expert = 0; expert < model.experts; ++expert) {
        const QString of = at + QStringLiteral("mlp.experts.%1.").arg(expert);
        shard.add(of + "gate_proj.weight", {kInner, kHidden});
        shard.add(of + "up_proj.weight", {kInner, kHidden});
        shard.add(of + "down_proj.weight", {kHidden, kInner});
    }
}

bool writeJson(const QString& path, const QJsonObject& object) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(object).toJson()) > 0;
}

QJsonObject configOf(const SparseModel& model, const QString& like) {
    QFile file(like + "/config.json");
    file.open(QIODevice::ReadOnly);
    QJsonObject config = QJsonDocument::fromJson(file.readAll()).object();
    config["num_hidden_layers"] = model.layers;
    config["num_experts"] = model.experts;
    config["num_experts_per_tok"] = 8;
    config["mlp_only_layers"] = QJsonArray();
    config["hidden_size"] = kHidden;
    config["intermediate_size"] = 4 * kHidden;
    config["moe_intermediate_size"] = kInner;
    config["num_attention_heads"] = kHeads;
    config["num_key_value_heads"] = kKvHeads;
    config["head_dim"] = kHeadDim;
    config["max_position_embeddings"] = 131072;
    if (!model.type.isEmpty()) {
        config["model_type"] = model.type;
        config["architectures"] = QJsonArray{model.type + "ForCausalLM"};
    }
    return config;
}

}  // namespace

bool writeSparseModel(const SparseModel& model, const QString& like, const QString& folder) {
    const QDir to(folder);
    bool written = to.mkpath(".");
    for (const char* name : {"tokenizer.json", "tokenizer_config.json", "chat_template.jinja",
                             "generation_config.json"})
        QFile::copy(like + '/' + name, to.filePath(name));
    std::vector<Shard> shards(std::size_t(model.files));
    shards.front().add("model.embed_tokens.weight", {kVocabulary, kHidden});
    for (int layer = 0; layer < model.layers; ++layer)
        addLayer(shards[std::size_t(layer * model.files / model.layers)], model, layer);
    shards.back().add("model.norm.weight", {kHidden});
    shards.back().add("lm_head.weight", {kVocabulary, kHidden});
    QJsonObject places;
    for (int i = 0; i < model.files; ++i) {
        const QString name = QStringLiteral("model-%1-of-%2.safetensors")
                                 .arg(i + 1, 5, 10, QLatin1Char('0'))
                                 .arg(model.files, 5, 10, QLatin1Char('0'));
        written = written && shards[std::size_t(i)].write(to.filePath(name));
        for (const QString& tensor : shards[std::size_t(i)].names())
            places[tensor] = name;
    }
    return written &&
           writeJson(to.filePath("model.safetensors.index.json"),
                     {{"metadata", QJsonObject()}, {"weight_map", places}}) &&
           writeJson(to.filePath("config.json"), configOf(model, like));
}

}  // namespace fl::test
