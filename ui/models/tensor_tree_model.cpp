// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_tree_model.h"

#include <algorithm>
#include <tuple>

#include "ui/models/text.h"

namespace fl::models {

namespace {

bool isNumber(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

QString utf8(std::string_view text) {
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

// Files count from 1; a tensor that is missing lies in none.
QString shardText(int first, int last) {
    if (last < 0)
        return TensorTreeModel::tr("none");
    const QString from = QString::number(std::max(0, first) + 1);
    return first == last ? from : from + QStringLiteral("–") + QString::number(last + 1);
}

// A run is cut where its first and last hit are, unless the hits are all over it.
constexpr std::size_t kMostPulledOut = 4;

}  // namespace

QString shapeText(const std::vector<std::int64_t>& shape) {
    if (shape.empty())
        return TensorTreeModel::tr("scalar");
    QStringList parts;
    for (const std::int64_t size : shape)
        parts << countText(size);
    return parts.join(QStringLiteral(" × "));
}

TensorTreeModel::TensorTreeModel(QObject* parent) : QAbstractItemModel(parent), background_(this) {
    reset();
}

void TensorTreeModel::restart() {
    nodes_.clear();
    Node root;
    root.end = table().size();
    nodes_.push_back(root);
}

void TensorTreeModel::setTable(std::shared_ptr<const TensorTable> table) {
    beginResetModel();
    ++asked_;
    all_ = shown_ = std::move(table);
    state_.clear();
    hits_.clear();
    signatures_.clear();
    restart();
    endResetModel();
    if (!words_.empty())
        ask({}, words_);
}

void TensorTreeModel::search(const QString& words) {
    std::vector<std::string> wanted;
    for (const QString& word : words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
        wanted.push_back(word.toStdString());
    ask(state_, std::move(wanted));
}

void TensorTreeModel::showContract(const QString& state) {
    ask(state, {});
}

void TensorTreeModel::ask(const QString& state, std::vector<std::string> words) {
    const int number = ++asked_;
    words_ = std::move(words);
    background_.run(
        [all = all_, shown = shown_, same = state == state_, state = state.toStdString(),
         words = words_] {
            Answer answer{same ? shown : all, {}};
            if (!same && !state.empty())
                answer.shown =
                    std::make_shared<const TensorTable>(all->subset(all->inState(state)));
            answer.hits = answer.shown->matching(words);
            return answer;
        },
        [this, number, state](Answer answer) {
            if (number != asked_)
                return;
            beginResetModel();
            if (state != state_)
                signatures_.clear();
            state_ = state;
            shown_ = std::move(answer.shown);
            hits_ = std::move(answer.hits);
            restart();
            endResetModel();
            emit searched();
        });
}

void TensorTreeModel::reset() {
    beginResetModel();
    ++asked_;
    auto empty = std::make_shared<TensorTable>();
    empty->finish();
    all_ = shown_ = std::move(empty);
    state_.clear();
    hits_.clear();
    signatures_.clear();
    restart();
    endResetModel();
}

bool TensorTreeModel::hasHit(std::size_t begin, std::size_t end) const {
    const auto first = std::lower_bound(hits_.begin(), hits_.end(), std::uint32_t(begin));
    return first != hits_.end() && *first < end;
}

// One child for each word that stands at the parent's prefix.
std::vector<TensorTreeModel::Node> TensorTreeModel::split(const Node& parent) const {
    std::vector<Node> children;
    for (std::size_t row = parent.begin; row < parent.end; row = children.back().end) {
        const std::string_view name = table().name(row);
        const std::size_t dot = name.find('.', parent.prefix);
        const bool leaf = dot == std::string_view::npos;
        Node child;
        child.begin = row;
        child.end = leaf ? row + 1 : table().endOfPrefix(row, parent.end, dot + 1);
        child.shown = parent.prefix;
        child.prefix = leaf ? name.size() : dot + 1;
        child.leaf = leaf;
        child.label = name.substr(parent.prefix, leaf ? dot : dot - parent.prefix);
        children.push_back(std::move(child));
    }
    return children;
}

// A child with a single child is one row with it: "mlp.experts".
void TensorTreeModel::compact(Node& node) const {
    while (!node.leaf) {
        const std::string_view first = table().name(node.begin);
        const std::size_t dot = first.find('.', node.prefix);
        const std::size_t end = dot == std::string_view::npos ? first.size() : dot + 1;
        const std::string_view common = first.substr(0, end);
        const bool alone = dot == std::string_view::npos
                               ? node.end - node.begin == 1
                               : table().name(node.end - 1).substr(0, end) == common;
        if (!alone)
            return;
        node.leaf = dot == std::string_view::npos;
        node.prefix = end;
        node.label = common.substr(node.shown, (node.leaf ? end : end - 1) - node.shown);
    }
}

std::uint64_t TensorTreeModel::signatureOf(const Node& node) const {
    // A layer and its first expert may begin with the same row: the end tells them apart.
    const std::uint64_t range = std::uint64_t(node.begin) << 32 | node.end;
    const auto [place, isNew] = signatures_.try_emplace(range, 0);
    if (isNew)
        place->second = table().signature(node.begin, node.end, node.prefix);
    return place->second;
}

std::vector<TensorTreeModel::Node> TensorTreeModel::fold(std::vector<Node> children) const {
    std::vector<std::uint64_t> signatures;
    std::size_t pulled = 0;
    for (const Node& child : children) {
        const bool numbered = isNumber(child.label) && !child.leaf;
        signatures.push_back(numbered ? signatureOf(child) : 0);
        pulled += numbered && hasHit(child.begin, child.end) ? 1 : 0;
    }
    const auto alone = [&](const Node& child) {
        return pulled <= kMostPulledOut && hasHit(child.begin, child.end);
    };
    std::vector<Node> rows;
    for (std::size_t i = 0; i < children.size();) {
        std::size_t last = i;
        const bool starts = signatures[i] != 0 && !alone(children[i]);
        while (starts && last + 1 < children.size() && signatures[last + 1] == signatures[i] &&
               !alone(children[last + 1]))
            ++last;
        if (last == i) {
            rows.push_back(std::move(children[i]));
        } else {
            Node run = children[i];
            run.folded = int(last - i + 1);
            run.label = children[i].label + "–" + children[last].label;
            run.end = children[last].end;
            rows.push_back(std::move(run));
        }
        i = last + 1;
    }
    return rows;
}

// What a numbered row is: experts where its tensors are, dense beside such rows.
void TensorTreeModel::note(std::vector<Node>& children) const {
    bool any = false;
    std::vector<bool> experts;
    for (const Node& child : children) {
        const bool numbered =
            !child.leaf && !child.label.empty() && child.label[0] >= '0' && child.label[0] <= '9';
        experts.push_back(numbered && table().hasExperts(child.begin, child.end));
        any = any || experts.back();
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
        Node& child = children[i];
        const bool numbered = !child.leaf && child.label[0] >= '0' && child.label[0] <= '9';
        if (numbered && any)
            child.note = experts[i] ? tr("experts").toStdString() : tr("dense").toStdString();
        else if (child.folded > 0)
            child.note = tr("%n alike", nullptr, child.folded).toStdString();
    }
}

void TensorTreeModel::adopt(int parent, std::vector<Node> children) const {
    for (std::size_t row = 0; row < children.size(); ++row) {
        children[row].parent = parent;
        children[row].row = int(row);
        std::tie(children[row].firstShard, children[row].lastShard) =
            table().shardsOf(children[row].begin, children[row].end);
        nodes_[std::size_t(parent)].children.push_back(int(nodes_.size()));
        nodes_.push_back(std::move(children[row]));
    }
    nodes_[std::size_t(parent)].built = true;
}

// The members of a fold are the words where its own label stands.
void TensorTreeModel::buildFold(int node) const {
    Node parent = nodes_[std::size_t(node)];
    parent.prefix = parent.shown;
    std::vector<Node> members = split(parent);
    for (Node& member : members)
        compact(member);
    adopt(node, std::move(members));
}

void TensorTreeModel::build(int node) const {
    const Node& parent = nodes_[std::size_t(node)];
    if (parent.built || parent.leaf)
        return;
    if (parent.folded > 0) {
        buildFold(node);
        return;
    }
    std::vector<Node> children = fold(split(parent));
    note(children);
    for (Node& child : children) {
        if (child.folded == 0)
            compact(child);
    }
    adopt(node, std::move(children));
}

QModelIndex TensorTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    const Node& node = nodes_[std::size_t(nodeOf(parent))];
    return createIndex(row, column, quintptr(node.children[std::size_t(row)]));
}

QModelIndex TensorTreeModel::parent(const QModelIndex& child) const {
    if (!child.isValid())
        return {};
    const int parent = nodes_[std::size_t(nodeOf(child))].parent;
    return parent <= 0 ? QModelIndex()
                       : createIndex(nodes_[std::size_t(parent)].row, 0, quintptr(parent));
}

int TensorTreeModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() && parent.column() != 0)
        return 0;
    const int node = nodeOf(parent);
    build(node);
    const Node& built = nodes_[std::size_t(node)];
    return built.leaf ? 0 : int(built.children.size());
}

int TensorTreeModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

bool TensorTreeModel::hasChildren(const QModelIndex& parent) const {
    if (parent.isValid() && parent.column() != 0)
        return false;
    const Node& node = nodes_[std::size_t(nodeOf(parent))];
    return !node.leaf && node.end > node.begin;
}

QVariant TensorTreeModel::text(const Node& node, int column) const {
    switch (column) {
        case NameColumn:
            return shown(node.label);
        case TypeColumn:
            return table().isOneDtype(node.begin, node.end) ? qt(table().dtype(node.begin))
                                                            : tr("mixed");
        case ShapeColumn:
            return node.leaf ? shapeText(table().shape(node.begin)) : QString();
        case TensorsColumn:
            return countText(std::int64_t(node.end - node.begin));
        case BytesColumn:
            return bytesText(table().bytesOf(node.begin, node.end));
        default:
            return shardText(node.firstShard, node.lastShard);
    }
}

QVariant TensorTreeModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Node& node = nodes_[std::size_t(nodeOf(index))];
    switch (role) {
        case Qt::DisplayRole:
            return text(node, index.column());
        case Qt::TextAlignmentRole:
            return int((index.column() >= ShapeColumn ? Qt::AlignRight : Qt::AlignLeft) |
                       Qt::AlignVCenter);
        case PathRole:
            return utf8(
                table().name(node.begin).substr(0, node.leaf ? std::string::npos : node.prefix));
        case NoteRole:
            return utf8(node.note);
        case HitRole:
            return hasHit(node.begin, node.end);
        case IgnoredRole:
            return node.leaf && table().contract(node.begin) == "ignored";
        case ContractRole:
            return qt(table().contract(node.begin));
        default:
            return {};
    }
}

QVariant TensorTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section >= ShapeColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Name"),    tr("Type"),  tr("Shape"),
                              tr("Tensors"), tr("Bytes"), tr("Shard")};
    return section >= 0 && section < ColumnCount ? titles[section] : QString();
}

QModelIndex TensorTreeModel::indexOf(std::size_t tableRow) const {
    int node = 0;
    while (!nodes_[std::size_t(node)].leaf) {
        build(node);
        const std::vector<int>& children = nodes_[std::size_t(node)].children;
        const auto next = std::find_if(children.begin(), children.end(), [&](int child) {
            return tableRow < nodes_[std::size_t(child)].end;
        });
        if (next == children.end())
            return {};
        node = *next;
    }
    return createIndex(nodes_[std::size_t(node)].row, 0, quintptr(node));
}

QModelIndex TensorTreeModel::hit(int number) const {
    if (number < 0 || number >= hitCount())
        return {};
    return indexOf(hits_[std::size_t(number)]);
}

QModelIndex TensorTreeModel::find(const QString& name) const {
    const std::string wanted = name.toStdString();
    const std::size_t row = table().lowerBound(wanted);
    return row < table().size() && table().name(row) == wanted ? indexOf(row) : QModelIndex();
}

}  // namespace fl::models
