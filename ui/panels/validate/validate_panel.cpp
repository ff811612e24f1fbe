// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/validate/validate_panel.h"

#include <algorithm>
#include <array>
#include <limits>

#include <QAction>
#include <QBoxLayout>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QSplitter>
#include <QTableView>

#include "engine/protocol/names.h"
#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/models/stage_text.h"
#include "ui/models/text.h"
#include "ui/panels/validate/ladder_delegate.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/metric_plot.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/table_delegate.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::qt;
using models::ValidateModel;
using widgets::Button;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {
const QString kStage = QStringLiteral("validate");
constexpr int kLadderWidth = 330;
}  // namespace

ValidatePanel::ValidatePanel(const PanelContext& context, QWidget* parent)
    : FramedPanel(context.theme, parent),
      models_(context.models),
      client_(context.client) {
    buildUi();
    addActions();
    connect(&models_.validation, &ValidateModel::changed, this, &ValidatePanel::refreshResult);
    connect(&models_.stages, &models::StageModel::stageChanged, this, &ValidatePanel::refreshBar);
    connect(&models_, &models::Models::snapshotApplied, this, &ValidatePanel::refresh);
    refresh();
}

void ValidatePanel::buildUi() {
    auto* full = new QWidget(this);
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, full));
    auto* split = new QSplitter(Qt::Horizontal, full);
    split->setChildrenCollapsible(false);
    split->setHandleWidth(1);
    split->addWidget(buildLadder());
    split->addWidget(buildErrors());
    split->setStretchFactor(1, 1);
    split->setSizes({theme_.px(kLadderWidth), theme_.px(2 * kLadderWidth)});
    column->addWidget(split, 1);
    setPicture(full);
    auto* empty = addEmptyState(
        QStringLiteral("passed"), tr("Not compared yet"),
        tr("A reference folder holds what a known implementation computed for a few prompts: ids, "
           "every layer's output, logits. Each is a rung; the first one that parts names the "
           "layer, the rank and the slice."));
    start_ = empty->addButton(tr("Compare with the reference"), Button::Kind::Normal);
    connect(start_, &Button::clicked, this, &ValidatePanel::run);
    connect(empty->addButton(tr("Choose a reference…")), &Button::clicked, this,
            &ValidatePanel::chooseFolder);
    static_cast<QBoxLayout*>(layout())->insertWidget(0, buildBar());
}

QWidget* ValidatePanel::buildBar() {
    auto* bar = new QWidget(this);
    bar->setFixedHeight(theme_.px(40));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(theme_.px(12), 0, theme_.px(12), 0);
    row->setSpacing(theme_.px(8));
    referenceButton_ =
        new Button(theme_, tr("Reference"), Button::Kind::Normal, Button::Size::Compact, bar);
    connect(referenceButton_, &Button::clicked, this, &ValidatePanel::chooseFolder);
    row->addWidget(referenceButton_);
    cases_ = new QComboBox(bar);
    cases_->setAccessibleName(tr("Case"));
    cases_->setMaximumWidth(theme_.px(200));
    connect(cases_, &QComboBox::activated, this,
            [this](int index) { models_.validation.choose(index); });
    row->addWidget(cases_);
    count_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, bar);
    row->addWidget(count_);
    row->addStretch(1);
    progressText_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, bar);
    progressText_->setElide(Qt::ElideRight);
    row->addWidget(progressText_);
    progress_ = new widgets::ProgressBar(theme_, 6, bar);
    progress_->setFixedWidth(theme_.px(120));
    row->addWidget(progress_);
    cancel_ = new Button(theme_, tr("Cancel"), Button::Kind::Normal, Button::Size::Compact, bar);
    connect(cancel_, &Button::clicked, this, &ValidatePanel::cancel);
    row->addWidget(cancel_);
    run_ = new Button(theme_, tr("Run again"), Button::Kind::Normal, Button::Size::Compact, bar);
    run_->setIconName(QStringLiteral("refresh"));
    connect(run_, &Button::clicked, this, &ValidatePanel::run);
    row->addWidget(run_);
    return bar;
}

QWidget* ValidatePanel::buildLadder() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    ladderHeader_ = new widgets::PanelHeader(theme_, tr("Ladder"), box);
    column->addWidget(ladderHeader_);
    ladder_ = new QTableView(box);
    ladder_->setAccessibleName(tr("Rungs of the chosen case"));
    ladder_->setModel(&models_.validation);
    widgets::styleTable(theme_, ladder_);
    ladder_->setItemDelegate(new LadderDelegate(theme_, ladder_));
    ladder_->setSelectionMode(QAbstractItemView::SingleSelection);
    QHeaderView* header = ladder_->horizontalHeader();
    header->setStretchLastSection(false);
    header->setResizeContentsPrecision(-1);  // of all rows, seen or not
    header->setSectionResizeMode(ValidateModel::NameColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(ValidateModel::ErrorColumn, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(ValidateModel::LimitColumn, QHeaderView::ResizeToContents);
    column->addWidget(ladder_, 1);
    box->setMinimumWidth(theme_.px(240));
    return box;
}

QWidget* ValidatePanel::buildErrors() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    errorsHeader_ = new widgets::PanelHeader(theme_, tr("Error per layer"), box);
    errorsHeader_->setSubject(tr("relative RMS"));
    errorsHeader_->setToolTip(tr("RMS of the difference over RMS of the reference"));
    measure_ = new widgets::SegmentedControl(theme_, box);
    measure_->setAccessibleName(tr("Which error"));
    measure_->setSegments({tr("Mean"), tr("Worst token")});
    connect(measure_, &widgets::SegmentedControl::chosen, this, &ValidatePanel::refreshErrors);
    errorsHeader_->addRight(measure_);
    column->addWidget(errorsHeader_);
    plot_ = new widgets::MetricPlot(theme_, widgets::XAxis::Number, box);
    plot_->setAccessibleName(tr("Error of each layer"));
    plot_->setLogarithmic(true);
    plot_->setXName(tr("layer"));
    plot_->setUnit({}, 6);
    column->addWidget(plot_, 1);
    return box;
}

void ValidatePanel::addActions() {
    const auto add = [this](const QString& text, auto use) {
        auto* action = new QAction(text, this);
        connect(action, &QAction::triggered, this, use);
        addAction(action);
    };
    add(tr("Validate: compare with the reference"), [this] { run(); });
    add(tr("Validate: choose a reference…"), [this] { chooseFolder(); });
    add(tr("Validate: cancel"), [this] { cancel(); });
}

void ValidatePanel::setReference(const QString& folder) {
    chosenFolder_ = folder;
    refreshBar();
}

QString ValidatePanel::reference() const {
    if (!chosenFolder_.isEmpty())
        return chosenFolder_;
    const QString own = QDir(qt(models_.settings.checkpoint)).filePath(QStringLiteral("golden"));
    return QFile::exists(own + QStringLiteral("/cases.json")) ? own : QString();
}

bool ValidatePanel::running() const {
    return models_.stages.stateOf(kStage) == QLatin1String("running");
}

QString ValidatePanel::blocked() const {
    const QString load = models_.stages.stateOf(QStringLiteral("load"));
    if (load != QLatin1String("passed") && load != QLatin1String("warnings"))
        return tr("Waits for Load");
    if (reference().isEmpty())
        return tr("Choose a reference folder first");
    return running() ? tr("Runs already") : QString();
}

void ValidatePanel::run() {
    if (const QString why = blocked(); !why.isEmpty()) {
        strip().show({State::Warning, why, {}, {}, {}});
        return;
    }
    strip().clear();
    const protocol::ValidateRequest request{reference().toStdString(), {}};
    client_.send(protocol::method::kValidateRun, request)
        ->then<protocol::ValidateReply>(
            this, [this](const protocol::ValidateReply& reply) { models_.validation.apply(reply); },
            [this](const fl::Error& error) {
                const bool stopped = error.code == fl::ErrorCode::Cancelled ||
                                     models_.stages.stateOf(kStage) == QLatin1String("cancelled");
                if (!stopped)
                    strip().show(
                        {State::Failed, tr("Not compared: %1").arg(qt(error.message)), {}, {}, {}});
            });
}

void ValidatePanel::cancel() {
    client_.send(protocol::method::kStageCancel, protocol::StageRequest{kStage.toStdString()});
}

void ValidatePanel::chooseFolder() {
    auto* dialog =
        new QFileDialog(this, tr("Choose a reference: a folder with cases.json"), reference());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &ValidatePanel::setReference);
    dialog->open();
}

void ValidatePanel::refresh() {
    refreshBar();
    refreshResult();
}

void ValidatePanel::refreshBar() {
    const QString folder = reference();
    referenceButton_->setValue(folder.isEmpty() ? tr("none") : QDir(folder).dirName());
    referenceButton_->setToolTip(folder.isEmpty() ? tr("Choose a folder with cases.json") : folder);
    const bool runs = running();
    const bool known = !models_.validation.empty();
    progress_->setVisible(runs);
    progressText_->setVisible(runs);
    cancel_->setVisible(runs);
    run_->setVisible(!runs && known);
    const QString why = blocked();
    for (Button* button : {run_, start_})
        button->setBlocked(why);
    for (int row = 0; runs && row < models_.stages.rowCount(); ++row) {
        const protocol::StageState& stage = models_.stages.stage(row);
        if (stage.stage == kStage.toStdString()) {
            progress_->setValue(stage.progress);
            progressText_->setText(models::stageText(stage.progressText));
        }
    }
}

void ValidatePanel::refreshResult() {
    ValidateModel& model = models_.validation;
    showPicture(!model.empty());
    cases_->setVisible(!model.empty());
    count_->setVisible(!model.empty());
    refreshBar();
    if (model.empty()) {
        strip().clear();
        emit badgeChanged(0, State::Idle);
        return;
    }
    const QStringList names = model.caseNames();
    cases_->clear();
    cases_->addItems(names);
    cases_->setCurrentIndex(model.chosen());
    const int failed = model.failedCases();
    count_->setText(failed > 0 ? tr("%1 of %2 fail").arg(failed).arg(names.size())
                               : tr("%1 of %1 agree").arg(names.size()));
    count_->setColor(failed > 0 ? Token::Err : Token::Ok);
    const bool bad = !model.result().firstDivergence.empty();
    strip().show({bad ? State::Failed : State::Passed, model.sentence(), model.detail(), {}, {}});
    if (bad && model.result().firstDivergence.front().rank >= 0) {
        const int rank = model.result().firstDivergence.front().rank;
        Button* place = strip().addButton(tr("Show rank %1").arg(rank), Button::Kind::Normal);
        connect(place, &Button::clicked, this, [this, rank] {
            models_.selection.selectRank(rank);
            emit panelRequested(QStringLiteral("placement"), QStringLiteral("rank %1").arg(rank));
        });
    }
    ladderHeader_->setSubject(names.value(model.chosen()));
    ladder_->scrollTo(model.index(std::max(0, model.firstFailedRow()), 0));
    emit badgeChanged(failed, State::Failed);
    refreshErrors();
}

void ValidatePanel::refreshErrors() {
    const ValidateModel& model = models_.validation;
    plot_->clearLines();
    plot_->clearMarkers();
    const auto layers = model.layers(measure_->current() == 1);
    struct Curve {
        QString name;
        int series;
        double models::LayerError::*error;
    };
    const std::array<Curve, 3> curves = {Curve{tr("mixer"), 1, &models::LayerError::mixer},
                                         Curve{tr("MLP"), 2, &models::LayerError::mlp},
                                         Curve{tr("layer"), 3, &models::LayerError::residual}};
    for (const Curve& curve : curves) {
        QVector<double> x;
        QVector<double> y;
        for (const models::LayerError& layer : layers) {
            // No place on a logarithmic axis for what is exactly equal.
            if (layer.*curve.error > 0) {
                x << layer.layer;
                y << layer.*curve.error;
            }
        }
        if (!x.isEmpty()) {
            const int line =
                plot_->addLine({curve.name, curve.series, widgets::LineStyle::Solid, false, false});
            plot_->setLine(line, x, y);
        }
    }
    const double limit = model.tolerance();
    plot_->setLimit(limit > 0 ? limit : std::numeric_limits<double>::quiet_NaN(),
                    tr("limit %1").arg(ValidateModel::errorText(limit)));
    if (model.firstBadLayer() >= 0)
        plot_->addMarker(model.firstBadLayer(), tr("layer %1").arg(model.firstBadLayer()));
    errorsHeader_->setLegend(plot_->legend());
}

}  // namespace fl::panels
