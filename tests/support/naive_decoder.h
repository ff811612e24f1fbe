// SPDX-License-Identifier: Apache-2.0
// The dense model of tiny_graph.h computed in double precision, token by token, straight from the
// definition of a decoder (Vaswani et al. 2017 with RMS norm, rotary embedding and SwiGLU).
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/tiny_graph.h"

namespace fl::test {

class NaiveDecoder {
public:
    using Vector = std::vector<double>;

    NaiveDecoder(const TinyModel& model, const std::map<std::string, std::vector<float>>& weights)
        : m_(model),
          weights_(weights),
          cache_(static_cast<std::size_t>(model.layers)) {}

    // Logits of the next token's row; positions count up from 0.
    Vector next(std::int32_t id) {
        Vector x(weight("embed.weight").begin() + id * m_.hidden,
                 weight("embed.weight").begin() + (id + 1) * m_.hidden);
        for (int layer = 0; layer < m_.layers; ++layer) {
            at_ = "layers." + std::to_string(layer) + ".";
            add(x, attention(norm(x, at_ + "attn_norm"), cache_[static_cast<std::size_t>(layer)]));
            add(x, mlp(norm(x, at_ + "mlp_norm")));
        }
        ++position_;
        return product(norm(x, "norm.weight"), "head.weight", m_.vocab);
    }

private:
    struct Cache {
        std::vector<Vector> keys;
        std::vector<Vector> values;
    };

    const std::vector<float>& weight(const std::string& name) const { return weights_.at(name); }

    static void add(Vector& x, const Vector& y) {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += y[i];
    }

    Vector product(const Vector& x, const std::string& name, std::int64_t rows) const {
        Vector y(static_cast<std::size_t>(rows));
        for (std::size_t row = 0; row < y.size(); ++row) {
            for (std::size_t i = 0; i < x.size(); ++i)
                y[row] += x[i] * static_cast<double>(weight(name)[row * x.size() + i]);
        }
        return y;
    }

    Vector norm(const Vector& x, const std::string& name) const {
        double squares = 0;
        for (const double value : x)
            squares += value * value;
        const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
        Vector y = x;
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] *= scale * static_cast<double>(weight(name)[i]);
        return y;
    }

    void turn(Vector& x) const {
        const auto half = static_cast<std::size_t>(m_.headDim / 2);
        for (std::size_t begin = 0; begin < x.size(); begin += 2 * half) {
            for (std::size_t i = 0; i < half; ++i) {
                const double exponent = static_cast<double>(i) / static_cast<double>(half);
                const double angle = position_ * std::pow(10000.0, -exponent);
                const double a = x[begin + i];
                const double b = x[begin + half + i];
                x[begin + i] = a * std::cos(angle) - b * std::sin(angle);
                x[begin + half + i] = b * std::cos(angle) + a * std::sin(angle);
            }
        }
    }

    Vector attention(const Vector& x, Cache& cache) const {
        const auto width = static_cast<std::size_t>(m_.headDim);
        Vector q = product(x, at_ + "q", m_.heads * m_.headDim);
        Vector k = product(x, at_ + "k", m_.kvHeads * m_.headDim);
        turn(q);
        turn(k);
        cache.keys.push_back(k);
        cache.values.push_back(product(x, at_ + "v", m_.kvHeads * m_.headDim));
        Vector mixed(q.size());
        for (std::size_t head = 0; head < q.size() / width; ++head) {
            const std::size_t shared = head / static_cast<std::size_t>(m_.heads / m_.kvHeads);
            double sum = 0;
            Vector row(width);
            for (std::size_t token = 0; token < cache.keys.size(); ++token) {
                double dot = 0;
                for (std::size_t i = 0; i < width; ++i)
                    dot += q[head * width + i] * cache.keys[token][shared * width + i];
                const double share = std::exp(dot * 0.25);
                sum += share;
                for (std::size_t i = 0; i < width; ++i)
                    row[i] += share * cache.values[token][shared * width + i];
            }
            for (std::size_t i = 0; i < width; ++i)
                mixed[head * width + i] = row[i] / sum;
        }
        return product(mixed, at_ + "o", m_.hidden);
    }

    Vector mlp(const Vector& x) const {
        Vector gate = product(x, at_ + "gate", m_.inner);
        const Vector up = product(x, at_ + "up", m_.inner);
        for (std::size_t i = 0; i < gate.size(); ++i)
            gate[i] *= up[i] / (1 + std::exp(-gate[i]));
        return product(gate, at_ + "down", m_.hidden);
    }

    const TinyModel& m_;
    const std::map<std::string, std::vector<float>>& weights_;
    std::vector<Cache> cache_;
    std::string at_;
    int position_ = 0;
};

}  // namespace fl::test
