// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors as a tree of their dotted names. Children are made when they are first asked for, and
// numbered siblings that look alike are one row ("1–33 experts") until they are opened.
#pragma once

#include <deque>
#include <vector>

#include <QAbstractItemModel>

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

    const TensorTable& table() const { return table_; }
    // Words of the last search, lower case; their places in a name are to be marked.
    const std::vector<std::string>& words() const { return words_; }
    int hitCount() const { return int(hits_.size()); }
    // Row of the nth tensor that the search found, made reachable; invalid if there is none.
    QModelIndex hit(int number) const;
    // Row of the tensor of this name; invalid if there is none.
    QModelIndex find(const QString& name) const;

public slots:
    void append(const std::vector<fl::protocol::TensorRow>& rows);
    void search(const QString& words);
    // Hits are the tensors in this state of the contract: matched missing unexpected ignored.
    void showContract(const QString& state);
    void reset();

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
        std::vector<int> children;
    };
    int nodeOf(const QModelIndex& index) const {
        return index.isValid() ? int(index.internalId()) : 0;
    }
    void restart();
    void build(int node) const;
    void buildFold(int node) const;
    std::vector<Node> split(const Node& parent) const;
    std::vector<Node> fold(std::vector<Node> children) const;
    void note(std::vector<Node>& children) const;
    void compact(Node& node) const;
    void adopt(int parent, std::vector<Node> children) const;
    QModelIndex indexOf(std::size_t tableRow) const;
    bool hasHit(std::size_t begin, std::size_t end) const;
    QVariant text(const Node& node, int column) const;

    TensorTable table_;
    // A tree is built while it is read; rows never change once they were counted.
    mutable std::deque<Node> nodes_;
    std::vector<std::string> words_;
    std::vector<std::uint32_t> hits_;
};

QString shapeText(const std::vector<std::int64_t>& shape);  // "163,840 × 7,168"; "scalar"

}  // namespace fl::models
