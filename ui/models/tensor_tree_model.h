// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors as a tree of their dotted names. Children are made when they are first asked for, and
// numbered siblings that look alike are one row ("1–33 experts") until they are opened. Whatever
// walks all names runs beside the window's thread.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include <QAbstractItemModel>

#include "ui/models/background.h"
#include "ui/models/tensor_table.h"

namespace fl::models {

class TensorTreeModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        TypeColumn,
        ShapeColumn,
        TensorsColumn,
        BytesColumn,
        ShardColumn,
        ColumnCount
    };
    enum Role {
        PathRole = Qt::UserRole,  // whole tensor name of a leaf, else the prefix
        NoteRole,                 // "experts", "61 in 2 kinds"; drawn after the name
        HitRole,                  // bool: the search matches a tensor in this row
        IgnoredRole,              // bool: leaf that the recipe declares unused
        ContractRole,
    };

    explicit TensorTreeModel(QObject* parent = nullptr);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    bool hasChildren(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    // What the rows show: all tensors, or those of the contract's state that was chosen.
    const TensorTable& table() const { return *shown_; }
    // "", or the state whose tensors alone are shown.
    const QString& contractState() const { return state_; }
    // Words of the last search, lower case; their places in a name are to be marked.
    const std::vector<std::string>& words() const { return words_; }
    int hitCount() const { return int(hits_.size()); }
    // Row of the nth tensor that the search found, made reachable; invalid if there is none.
    QModelIndex hit(int number) const;
    // Row of the tensor of this name; invalid if there is none.
    QModelIndex find(const QString& name) const;

public slots:
    void setTable(std::shared_ptr<const fl::models::TensorTable> table);
    // The answer comes later, with searched(); a newer question replaces an older one.
    void search(const QString& words);
    // Leaves only the tensors in this state of the contract: matched missing unexpected ignored;
    // "" shows all. Comes later too. A search is forgotten.
    void showContract(const QString& state);
    void reset();

signals:
    // The rows show what was asked for last.
    void searched();

private:
    struct Node {
        std::size_t begin = 0;  // rows of the table
        std::size_t end = 0;
        std::size_t shown = 0;   // first character of the name that this row shows
        std::size_t prefix = 0;  // characters of the names before what children show
        int parent = -1;
        int row = 0;
        bool leaf = false;
        bool built = false;
        int folded = 0;     // number of equal siblings in this row; 0: not a fold
        std::string label;  // "1–33"
        std::string note;   // "experts"
        int firstShard = 0;
        int lastShard = 0;
        std::vector<int> children;
    };
    int nodeOf(const QModelIndex& index) const {
        return index.isValid() ? int(index.internalId()) : 0;
    }
    struct Answer {
        std::shared_ptr<const TensorTable> shown;
        std::vector<std::uint32_t> hits;
    };
    void ask(const QString& state, std::vector<std::string> words);
    void restart();
    void build(int node) const;
    void buildFold(int node) const;
    std::vector<Node> split(const Node& parent) const;
    std::uint64_t signatureOf(const Node& node) const;
    std::vector<Node> fold(std::vector<Node> children) const;
    void note(std::vector<Node>& children) const;
    void compact(Node& node) const;
    void adopt(int parent, std::vector<Node> children) const;
    QModelIndex indexOf(std::size_t tableRow) const;
    bool hasHit(std::size_t begin, std::size_t end) const;
    QVariant text(const Node& node, int column) const;

    std::shared_ptr<const TensorTable> all_;
    std::shared_ptr<const TensorTable> shown_;
    QString state_;
    // A tree is built while it is read; rows never change once they were counted.
    mutable std::deque<Node> nodes_;
    std::vector<std::string> words_;
    std::vector<std::uint32_t> hits_;
    // Of the ranges of rows that a fold compared, by their ends; they stay while the table does.
    mutable std::unordered_map<std::uint64_t, std::uint64_t> signatures_;
    int asked_ = 0;  // number of the last question; older answers are dropped
    Background background_;
};

QString shapeText(const std::vector<std::int64_t>& shape);  // "163,840 × 7,168"; "scalar"

}  // namespace fl::models
