// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/findings/findings_panel.h"

#include <algorithm>

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QScrollArea>

#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/findings/finding_row.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/page_layout.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/state_icon.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::FindingModel;
using models::qt;
using widgets::Button;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kFrameMilliseconds = 50;
// Equal findings are folded already; nobody reads more rows than this.
constexpr int kMostRows = 200;
// Narrower, the button is its icon; narrower still, only what was found is counted.
constexpr int kCopyTextFrom = 470;
constexpr int kAllCountsFrom = 400;

}  // namespace

FindingsPanel::FindingsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      theme_(context.theme),
      models_(context.models) {
    soon_.setSingleShot(true);
    soon_.setInterval(kFrameMilliseconds);
    connect(&soon_, &QTimer::timeout, this, &FindingsPanel::refresh);
    buildUi();
    auto* action = new QAction(tr("Findings: copy as text"), this);
    connect(action, &QAction::triggered, this, &FindingsPanel::copy);
    addAction(action);
    connect(&models_.findings, &FindingModel::changed, this, [this] {
        if (!soon_.isActive())
            soon_.start();
    });
    connect(&models_, &models::Models::snapshotApplied, this, [this] { touched_ = false; });
    refresh();
}

void FindingsPanel::buildUi() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    header_ = new widgets::PanelHeader(theme_, title(), this);
    errors_ = addCount(header_);
    warnings_ = addCount(header_);
    notes_ = addCount(header_);
    copy_ =
        new Button(theme_, tr("Copy as text"), Button::Kind::Quiet, Button::Size::Compact, this);
    copy_->setIconName(QStringLiteral("copy"));
    copy_->setAccessibleName(copy_->text());
    copy_->setToolTip(copy_->text());
    connect(copy_, &Button::clicked, this, &FindingsPanel::copy);
    header_->addRight(copy_);
    column->addWidget(header_);
    stack_ = new widgets::PageLayout;
    column->addLayout(stack_, 1);
    scroll_ = new QScrollArea(this);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* inside = new QWidget(scroll_);
    list_ = new QVBoxLayout(inside);
    list_->setContentsMargins(0, 0, 0, 0);
    list_->setSpacing(0);
    more_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T3, inside);
    more_->setContentsMargins(theme_.px(12), theme_.px(6), theme_.px(12), theme_.px(6));
    list_->addWidget(more_);
    list_->addStretch(1);
    scroll_->setWidget(inside);
    stack_->addWidget(scroll_);
    auto* empty = new widgets::EmptyState(theme_, QStringLiteral("findings"), this);
    empty->setTitle(tr("No findings"));
    empty->setBody(tr("Each problem stands here with its evidence and its remedy."));
    stack_->addWidget(empty);
}

FindingsPanel::Count FindingsPanel::addCount(widgets::PanelHeader* header) {
    Count count;
    auto* box = new QWidget(header);
    count.box = box;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(theme_.px(4), 0, 0, 0);
    row->setSpacing(theme_.px(4));
    count.icon = new widgets::StateIcon(theme_, 14, box);
    count.text = new widgets::TextLabel(theme_, TextRole::Small, Token::T3, box);
    row->addWidget(count.icon);
    row->addWidget(count.text);
    header->addLeft(box);
    return count;
}

void FindingsPanel::refreshCounts() {
    const FindingModel& model = models_.findings;
    const bool all = width() >= theme_.px(kAllCountsFrom);
    const auto show = [all](const Count& count, State state, int number, const QString& text) {
        count.box->setVisible(all || number > 0);
        count.icon->setVisible(number > 0);
        count.icon->setState(state);
        count.text->setText(text);
        count.text->setColor(number > 0 ? widgets::stateColor(state) : Token::T3);
        count.text->setRole(number > 0 ? TextRole::SmallStrong : TextRole::Small);
    };
    const int errors = model.count(fl::Severity::Error);
    const int warnings = model.count(fl::Severity::Warning);
    const int notes = model.count(fl::Severity::Info);
    show(errors_, State::Failed, errors, errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    show(warnings_, State::Warning, warnings,
         warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    notes_.box->setVisible(all);
    notes_.icon->hide();
    notes_.text->setText(notes == 1 ? tr("1 note") : tr("%1 notes").arg(notes));
    emit badgeChanged(errors + warnings, errors > 0 ? State::Failed : State::Warning);
}

void FindingsPanel::refresh() {
    const FindingModel& model = models_.findings;
    const int shown = std::min(model.rowCount(), kMostRows);
    stack_->setCurrentIndex(shown > 0 ? 0 : 1);
    copy_->setVisible(shown > 0);
    while (int(rows_.size()) > shown) {
        delete rows_.back();
        rows_.pop_back();
    }
    while (int(rows_.size()) < shown) {
        const int row = int(rows_.size());
        auto* widget = new FindingRow(theme_, list_->parentWidget());
        connect(widget, &FindingRow::chosen, this, [this, row] {
            touched_ = true;
            open(open_ == row ? -1 : row);
        });
        connect(widget, &FindingRow::evidenceWanted, this, [this, row] { showEvidence(row); });
        connect(widget, &FindingRow::launchWanted, this,
                [this] { emit actionRequested(QStringLiteral("launch")); });
        connect(widget, &FindingRow::stepped, this, [this, row](int by) {
            if (row + by >= 0 && row + by < int(rows_.size()))
                rows_[std::size_t(row + by)]->setFocus(Qt::TabFocusReason);
        });
        list_->insertWidget(row, widget);
        rows_.push_back(widget);
    }
    for (int row = 0; row < shown; ++row) {
        const QModelIndex index = model.index(row);
        rows_[std::size_t(row)]->setFinding(model.finding(row),
                                            index.data(FindingModel::EvidenceRole).toString(),
                                            index.data(FindingModel::PlaceRole).toString());
    }
    more_->setVisible(model.rowCount() > shown);
    more_->setText(tr("%1 more; copy as text has all of them").arg(model.rowCount() - shown));
    refreshCounts();
    // The worst one is open until the user chooses, unless it is only a note.
    const bool bad = shown > 0 && model.finding(0).severity != fl::Severity::Info;
    open(touched_ && open_ < shown ? open_ : bad ? 0 : -1);
}

void FindingsPanel::open(int row) {
    open_ = row;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        rows_[i]->setOpen(int(i) == row);
    models_.selection.selectFinding(row);
}

// The evidence is where the finding points to: a tensor, a rank, or what its stage shows.
void FindingsPanel::showEvidence(int row) {
    const fl::Finding& finding = models_.findings.finding(row);
    if (!finding.tensor.empty() || !finding.file.empty()) {
        emit panelRequested(QStringLiteral("checkpoint"),
                            qt(finding.tensor.empty() ? finding.file : finding.tensor));
        return;
    }
    if (finding.rank >= 0) {
        models_.selection.selectRank(finding.rank);
        emit panelRequested(QStringLiteral("log"), QStringLiteral("rank %1").arg(finding.rank));
        return;
    }
    const QString panel = finding.stage == "inspect" ? QStringLiteral("checkpoint")
                          : finding.stage == "plan"  ? QStringLiteral("placement")
                                                     : QStringLiteral("topology");
    emit panelRequested(panel, qt(finding.code));
}

void FindingsPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    copy_->setText(width() >= theme_.px(kCopyTextFrom) ? tr("Copy as text") : QString());
    copy_->updateGeometry();
    refreshCounts();
}

void FindingsPanel::copy() const {
    QGuiApplication::clipboard()->setText(models_.findings.asText());
}

void FindingsPanel::reveal(const QString& what) {
    for (int row = 0; row < int(rows_.size()); ++row) {
        if (qt(models_.findings.finding(row).code) == what) {
            touched_ = true;
            open(row);
            scroll_->ensureWidgetVisible(rows_[std::size_t(row)]);
        }
    }
}

}  // namespace fl::panels
