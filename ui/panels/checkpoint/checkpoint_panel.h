// SPDX-License-Identifier: GPL-3.0-or-later
// What is in the files: shards with their state, the contract with the recipe, and every tensor.
#pragma once

#include <QTimer>

#include "ui/panels/framed_panel.h"

class QLineEdit;
class QTreeView;

namespace fl::widgets {
class HoverCard;
class PanelHeader;
class Refresher;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class ContractRow;
class ShardCells;

class CheckpointPanel : public FramedPanel {
    Q_OBJECT

public:
    explicit CheckpointPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("checkpoint"); }
    QString title() const override { return tr("Checkpoint"); }
    QString iconName() const override { return QStringLiteral("checkpoint"); }
    PanelPlace place() const override { return PanelPlace::Middle; }
    void reveal(const QString& what) override;  // a tensor's name or a file's

    void search(const QString& words);
    // Goes to the next hit, or back.
    void step(int by);
    int currentHit() const { return hit_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildUi();
    QWidget* buildTensorBar();
    void buildTree();
    void connectModels();
    void refresh();
    void refreshLegend();
    void refreshList();
    void showContract(const QString& state);
    void showHit();
    void show(const QModelIndex& index);
    void openFirstRows();
    void hoverShard(int row, const QRect& cell);

    models::Models& models_;
    widgets::PanelHeader* shardsHeader_ = nullptr;
    ShardCells* shards_ = nullptr;
    ContractRow* contract_ = nullptr;
    QLineEdit* search_ = nullptr;
    widgets::TextLabel* hits_ = nullptr;
    widgets::TextLabel* types_ = nullptr;
    QTreeView* tree_ = nullptr;
    widgets::HoverCard* card_ = nullptr;
    QTimer typing_;
    widgets::Refresher* refresher_;
    int hit_ = 0;
};

}  // namespace fl::panels
