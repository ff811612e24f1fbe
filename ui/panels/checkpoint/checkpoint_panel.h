// SPDX-License-Identifier: GPL-3.0-or-later
// What is in the files: shards with their state, the contract with the recipe, and every tensor; of
// the chosen one its facts and, on demand, how its values are spread.
#pragma once

#include <QTimer>

#include "engine/base/finding.h"
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
class RecipeWriter;
class ShardCells;
class TensorDetail;

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
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildUi();
    QWidget* buildList();
    QWidget* buildDetail();
    void buildRecipeWriter();
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
    void showDetail(const QString& tensor);
    void fitColumns();
    void refreshStrip();
    void offerRecipe(const fl::Finding& unknown);
    void showOwnRecipe();
    void hoverShard(int row, const QRect& cell);

    models::Models& models_;
    client::EngineClient& client_;
    RecipeWriter* recipes_ = nullptr;
    widgets::PanelHeader* shardsHeader_ = nullptr;
    ShardCells* shards_ = nullptr;
    ContractRow* contract_ = nullptr;
    QLineEdit* search_ = nullptr;
    widgets::TextLabel* hits_ = nullptr;
    widgets::TextLabel* types_ = nullptr;
    QTreeView* tree_ = nullptr;
    QWidget* detailBox_ = nullptr;
    TensorDetail* detail_ = nullptr;
    widgets::HoverCard* card_ = nullptr;
    QTimer typing_;
    widgets::Refresher* refresher_;
    int hit_ = 0;
    // Whose tensors alone are wanted, of this checkpoint: a recipe that is read again keeps it.
    QString contractWanted_;
    QString path_;
};

}  // namespace fl::panels
