// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/plan/plan.h"

namespace fl::plan {

std::string text(const Mesh& mesh) {
    std::string out = "tp" + std::to_string(mesh.tp);
    if (mesh.pp > 1)
        out += "·pp" + std::to_string(mesh.pp);
    if (mesh.dp > 1)
        out += "·dp" + std::to_string(mesh.dp);
    if (mesh.ep > 1)
        out += "·ep" + std::to_string(mesh.ep);
    return out;
}

Coordinates coordinates(const Mesh& mesh, int rank) {
    return {rank / (mesh.tp * mesh.pp), rank / mesh.tp % mesh.pp, rank % mesh.tp};
}

int rankAt(const Mesh& mesh, const Coordinates& where) {
    return (where.dp * mesh.pp + where.pp) * mesh.tp + where.tp;
}

namespace {

constexpr std::array<RankOrder, 6> kOrders = {{{Axis::Tp, Axis::Pp, Axis::Dp},
                                               {Axis::Tp, Axis::Dp, Axis::Pp},
                                               {Axis::Pp, Axis::Tp, Axis::Dp},
                                               {Axis::Pp, Axis::Dp, Axis::Tp},
                                               {Axis::Dp, Axis::Tp, Axis::Pp},
                                               {Axis::Dp, Axis::Pp, Axis::Tp}}};

std::pair<int, int> along(const Mesh& mesh, const Coordinates& where, Axis axis) {
    switch (axis) {
        case Axis::Tp:
            return {where.tp, mesh.tp};
        case Axis::Pp:
            return {where.pp, mesh.pp};
        case Axis::Dp:
            return {where.dp, mesh.dp};
    }
    return {0, 1};
}

}  // namespace

std::string text(const RankOrder& order) {
    constexpr std::array<std::string_view, 3> kNames = {"tp", "pp", "dp"};
    std::string out;
    for (const Axis axis : order)
        out += (out.empty() ? "" : ",") + std::string(kNames[static_cast<std::size_t>(axis)]);
    return out;
}

Result<RankOrder> orderFromText(const std::string& wanted) {
    if (wanted.empty())
        return kUsualOrder;
    std::vector<std::string> names;
    for (const RankOrder& order : kOrders) {
        if (text(order) == wanted)
            return order;
        names.push_back(text(order));
    }
    return Error{ErrorCode::InvalidArgument,
                 "order '" + wanted + "' is not one of " + join(names, "; ")};
}

int placeOf(const Mesh& mesh, const RankOrder& order, const Coordinates& where) {
    int place = 0;
    int stride = 1;
    for (const Axis axis : order) {
        const auto [index, size] = along(mesh, where, axis);
        place += index * stride;
        stride *= size;
    }
    return place;
}

std::vector<RankOrder> distinctOrders(const Mesh& mesh) {
    const auto longAxes = [&](const RankOrder& order) {
        std::vector<Axis> out;
        for (const Axis axis : order) {
            if (along(mesh, {}, axis).second > 1)
                out.push_back(axis);
        }
        return out;
    };
    std::vector<RankOrder> out;
    for (const RankOrder& order : kOrders) {
        if (std::none_of(out.begin(), out.end(), [&](const RankOrder& other) {
                return longAxes(other) == longAxes(order);
            }))
            out.push_back(order);
    }
    return out;
}

int expertReplicas(const Mesh& mesh) {
    return std::max(1, mesh.ep / mesh.tp);
}

ExpertPlace expertPlace(const Mesh& mesh, const Coordinates& where) {
    if (mesh.ep > mesh.tp)
        return {where.dp % expertReplicas(mesh) * mesh.tp + where.tp, 0, 1};
    const int parts = mesh.tp / mesh.ep;
    return {where.tp / parts, where.tp % parts, parts};
}

namespace {

// Collects ranks into groups by a key; a group's members come in rank order.
class Grouping {
public:
    explicit Grouping(const Mesh& mesh) : mesh_(mesh) {}

    template <class Key>
    void add(const std::string& kind, Key key) {
        std::vector<std::pair<int, std::vector<int>>> found;
        for (int rank = 0; rank < mesh_.ranks(); ++rank) {
            const int id = key(coordinates(mesh_, rank));
            const auto place = std::find_if(found.begin(), found.end(),
                                            [id](const auto& each) { return each.first == id; });
            if (place == found.end())
                found.push_back({id, {rank}});
            else
                place->second.push_back(rank);
        }
        int number = 0;
        for (auto& [id, ranks] : found) {
            if (ranks.size() > 1)
                out_.push_back({kind, kind + std::to_string(number++), std::move(ranks)});
        }
    }

    std::vector<Group> take() { return std::move(out_); }

private:
    const Mesh& mesh_;
    std::vector<Group> out_;
};

}  // namespace

std::vector<Group> groups(const Mesh& mesh) {
    Grouping grouping(mesh);
    const int replicas = expertReplicas(mesh);
    const auto block = [&](const Coordinates& c) { return c.dp / replicas * mesh.pp + c.pp; };
    grouping.add("tp", [&](const Coordinates& c) { return c.dp * mesh.pp + c.pp; });
    grouping.add("pp", [&](const Coordinates& c) { return c.dp * mesh.tp + c.tp; });
    if (mesh.ep > 1) {
        grouping.add("ep", [&](const Coordinates& c) {
            const ExpertPlace place = expertPlace(mesh, c);
            return block(c) * place.parts + place.part;
        });
    }
    if (replicas > 1)
        grouping.add("edp", [&](const Coordinates& c) { return block(c) * mesh.tp + c.tp; });
    grouping.add("dp", [&](const Coordinates& c) { return c.pp * mesh.tp + c.tp; });
    return grouping.take();
}

}  // namespace fl::plan
