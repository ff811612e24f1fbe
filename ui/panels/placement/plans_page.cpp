// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/plans_page.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTableView>

#include "ui/models/plan_model.h"
#include "ui/models/saved_plan_model.h"
#include "ui/models/text.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/table_delegate.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::countText;
using models::SavedPlanModel;
using widgets::Button;
using widgets::TextRole;
using widgets::Token;

PlansPage::PlansPage(const widgets::Theme& theme,
                     models::PlanModel& plans,
                     SavedPlanModel& saved,
                     QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      plans_(plans),
      saved_(saved) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildSearch());
    alternatives_ = new QTableView(this);
    alternatives_->setAccessibleName(tr("Legal plans"));
    alternatives_->setModel(&plans_);
    widgets::styleTable(theme_, alternatives_);
    alternatives_->setSelectionMode(QAbstractItemView::SingleSelection);
    alternatives_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    alternatives_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    alternatives_->horizontalHeader()->setSectionResizeMode(models::PlanModel::NoteColumn,
                                                            QHeaderView::Stretch);
    connect(alternatives_, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { emit planChosen(plans_.other(index.row())); });
    column->addWidget(alternatives_, 3);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, this));
    column->addWidget(buildSaved(), 2);
    connect(&plans_, &models::PlanModel::searchChanged, this, &PlansPage::showSearch);
    showSearch();
    showButtons();
}

QWidget* PlansPage::buildSearch() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(theme_.px(12), 0, theme_.px(12), theme_.px(6));
    column->setSpacing(theme_.px(4));
    auto* row = new QHBoxLayout;
    row->setSpacing(theme_.px(8));
    column->addLayout(row);
    search_ = new Button(theme_, {}, Button::Kind::Normal, Button::Size::Compact, box);
    connect(search_, &Button::clicked, this, [this] {
        const protocol::SearchProgress* search = plans_.search();
        if (search != nullptr && !search->done)
            emit searchCancelled();
        else
            emit searchRequested();
    });
    row->addWidget(search_);
    found_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, box);
    found_->setElide(Qt::ElideRight);
    row->addWidget(found_, 1);
    progress_ = new widgets::ProgressBar(theme_, 4, box);
    progress_->setAccessibleName(tr("Progress of the search"));
    column->addWidget(progress_);
    return box;
}

void PlansPage::showSearch() {
    const protocol::SearchProgress* search = plans_.search();
    const bool runs = search != nullptr && !search->done;
    search_->setText(runs ? tr("Cancel the search") : tr("Search all plans"));
    search_->updateGeometry();
    progress_->setVisible(runs);
    if (search == nullptr) {
        found_->setText(tr("the best ones found while planning"));
        return;
    }
    progress_->setValue(search->total > 0 ? double(search->tried) / double(search->total) : -1);
    const QString legal =
        tr("%1 legal of %2 tried").arg(countText(search->legal), countText(search->tried));
    if (runs && search->total == 0)
        found_->setText(tr("Beginning…"));
    else if (runs)
        found_->setText(tr("%1, %2 in all").arg(legal, countText(search->total)));
    else if (search->cancelled)
        found_->setText(
            tr("%1, then cancelled after %2").arg(legal, models::durationText(search->seconds)));
    else
        found_->setText(tr("%1 in %2").arg(legal, models::durationText(search->seconds)));
    found_->setToolTip(found_->text());
}

QWidget* PlansPage::buildSaved() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    kept_ = new QTableView(box);
    kept_->setAccessibleName(tr("Saved plans"));
    kept_->setModel(&saved_);
    widgets::styleTable(theme_, kept_);
    kept_->setSelectionMode(QAbstractItemView::SingleSelection);
    kept_->horizontalHeader()->setStretchLastSection(false);
    kept_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    kept_->horizontalHeader()->setSectionResizeMode(SavedPlanModel::NameColumn,
                                                    QHeaderView::Stretch);
    connect(kept_, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { emit savedChosen(saved_.plan(index.row())); });
    connect(kept_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &PlansPage::showButtons);
    connect(&saved_, &QAbstractItemModel::modelReset, this, &PlansPage::showButtons);
    column->addWidget(kept_, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(theme_.px(12), theme_.px(6), theme_.px(12), theme_.px(6));
    row->setSpacing(theme_.px(6));
    name_ = new QLineEdit(box);
    name_->setAccessibleName(tr("Name to keep the plan under"));
    name_->setPlaceholderText(tr("Name"));
    connect(name_, &QLineEdit::textChanged, this, &PlansPage::showButtons);
    row->addWidget(name_, 1);
    const auto add = [&](const QString& text) {
        auto* button = new Button(theme_, text, Button::Kind::Normal, Button::Size::Compact, box);
        row->addWidget(button);
        return button;
    };
    save_ = add(tr("Save"));
    load_ = add(tr("Load"));
    compare_ = add(tr("Compare"));
    forget_ = new Button(theme_, {}, Button::Kind::Quiet, Button::Size::Compact, box);
    forget_->setIconName(QStringLiteral("close"));
    forget_->setToolTip(tr("Forget the saved plan"));
    row->addWidget(forget_);
    const auto save = [this] { emit saveRequested(name_->text().trimmed()); };
    connect(save_, &Button::clicked, this, save);
    connect(name_, &QLineEdit::returnPressed, save_, &QAbstractButton::click);
    connect(load_, &Button::clicked, this,
            [this] { emit savedChosen(saved_.plan(saved_.find(chosenName()))); });
    connect(compare_, &Button::clicked, this, [this] { emit compareRequested(chosenName()); });
    connect(forget_, &Button::clicked, this, [this] { emit forgetRequested(chosenName()); });
    column->addLayout(row);
    return box;
}

QString PlansPage::chosenName() const {
    const QModelIndexList rows = kept_->selectionModel()->selectedRows();
    return rows.isEmpty()
               ? QString()
               : rows.front().siblingAtColumn(SavedPlanModel::NameColumn).data().toString();
}

void PlansPage::showButtons() {
    if (forget_ == nullptr)
        return;
    // As the engine takes names, which are files.
    static const QRegularExpression kName(QStringLiteral("^[A-Za-z0-9_-][A-Za-z0-9._-]{0,39}$"));
    const QString name = name_->text().trimmed();
    save_->setBlocked(name.isEmpty()                 ? tr("Give it a name first")
                      : kName.match(name).hasMatch() ? QString()
                                                     : tr("A name has up to 40 letters, digits, "
                                                          "points, dashes and underscores"));
    const QString none = chosenName().isEmpty() ? tr("Choose a saved plan first") : QString();
    load_->setBlocked(none);
    compare_->setBlocked(none);
    forget_->setBlocked(none);
}

void PlansPage::setSuggestedName(QString name) {
    if (!name_->isModified())
        name_->setText(name.replace(QStringLiteral("·"), QStringLiteral("-")));
}

}  // namespace fl::panels
