// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/plans_page.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTableView>

#include "ui/models/plan_model.h"
#include "ui/models/saved_plan_model.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/table_delegate.h"

namespace fl::panels {

using models::SavedPlanModel;
using widgets::Button;

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
    alternatives_ = new QTableView(this);
    alternatives_->setAccessibleName(tr("Nearest legal plans"));
    alternatives_->setModel(&plans_);
    widgets::styleTable(theme_, alternatives_);
    alternatives_->setSelectionMode(QAbstractItemView::SingleSelection);
    connect(alternatives_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        emit meshChosen(plans_.plan().alternatives[std::size_t(index.row())].mesh);
    });
    column->addWidget(alternatives_, 3);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, this));
    column->addWidget(buildSaved(), 2);
    showButtons();
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
    compare_ = add(tr("Compare"));
    forget_ = add(tr("Forget"));
    const auto save = [this] { emit saveRequested(name_->text().trimmed()); };
    connect(save_, &Button::clicked, this, save);
    connect(name_, &QLineEdit::returnPressed, save_, &QAbstractButton::click);
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
    compare_->setBlocked(none);
    forget_->setBlocked(none);
}

void PlansPage::setSuggestedName(QString name) {
    if (!name_->isModified())
        name_->setText(name.replace(QStringLiteral("·"), QStringLiteral("-")));
}

void PlansPage::fitColumns() {
    alternatives_->resizeColumnsToContents();
}

}  // namespace fl::panels
