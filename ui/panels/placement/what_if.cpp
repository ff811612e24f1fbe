// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/what_if.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include <QBoxLayout>
#include <QComboBox>
#include <QScrollArea>
#include <QSpinBox>

#include "ui/models/plan_model.h"
#include "ui/models/text.h"
#include "ui/panels/placement/log_slider.h"
#include "ui/panels/placement/violation_list.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/what_if_row.h"

namespace fl::panels {

using models::bytesText;
using widgets::Button;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kQuietMilliseconds = 60;
constexpr std::size_t kMostChoices = 6;
constexpr int kMostContext = 10'000'000;
constexpr int kMostSequences = 4096;
constexpr std::int64_t kLeastContext = 1024;
constexpr std::int64_t kUsualContext = std::int64_t{1} << 20;  // where the model does not say
constexpr int kMostSlidSequences = 1024;
constexpr const char* kKvFormats[] = {"auto", "f32", "bf16"};  // as the engine's option knows them
enum Number { Tp, Pp, Ep, Dp };

}  // namespace

WhatIf::WhatIf(const widgets::Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    soon_.setSingleShot(true);
    soon_.setInterval(kQuietMilliseconds);
    connect(&soon_, &QTimer::timeout, this, [this] { emit proposed(settings()); });
    buildUi();
}

void WhatIf::buildUi() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* header = new widgets::PanelHeader(theme_, tr("What if"), this);
    badge_ = new widgets::Badge(theme_, this);
    header->addRight(badge_);
    column->addWidget(header);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(buildProposal());
    column->addWidget(scroll, 1);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, this));
    column->addWidget(buildFooter());
}

// In a low window the numbers scroll with what they break; the buttons stay.
QWidget* WhatIf::buildProposal() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildNumbers());
    verdict_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, box);
    verdict_->setWordWrap(true);
    verdict_->setContentsMargins(theme_.px(12), 0, theme_.px(12), theme_.px(8));
    column->addWidget(verdict_);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, box));
    violations_ = new ViolationList(theme_, box);
    connect(violations_, &ViolationList::valueChosen, this, &WhatIf::setNumber);
    column->addWidget(violations_, 1);
    return box;
}

QWidget* WhatIf::buildNumbers() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(theme_.px(12), theme_.px(10), theme_.px(12), theme_.px(8));
    column->setSpacing(theme_.px(6));
    const QString letters[] = {tr("TP"), tr("PP"), tr("EP"), tr("DP")};
    for (int i = 0; i < 4; ++i) {
        rows_[i] = new widgets::WhatIfRow(theme_, letters[i], box);
        connect(rows_[i], &widgets::WhatIfRow::valueChosen, this, [this, i] {
            // Stages that were dragged belong to the old number of stages.
            if (i == Pp)
                stageLayers_.clear();
            change();
        });
        column->addWidget(rows_[i]);
    }
    context_ = addField(box, tr("Longest context"), kMostContext, &contextSlider_);
    sequences_ = addField(box, tr("Sequences at once"), kMostSequences, &sequencesSlider_);
    setModelContext(0);
    sequencesSlider_->setAmounts(1, kMostSlidSequences);
    addKv(box);
    return box;
}

// A number to type and a slider to pull, which say the same.
QSpinBox* WhatIf::addField(QWidget* box, const QString& name, int most, LogSlider** slider) {
    auto* row = new QHBoxLayout;
    auto* label = new widgets::TextLabel(theme_, TextRole::Base, Token::T2, box);
    label->setText(name);
    row->addWidget(label, 1);
    auto* field = new QSpinBox(box);
    field->setRange(1, most);
    field->setGroupSeparatorShown(true);
    field->setAlignment(Qt::AlignRight);
    field->setFixedWidth(theme_.px(104));
    field->setAccessibleName(name);
    row->addWidget(field);
    box->layout()->addItem(row);
    auto* pulled = new LogSlider(theme_, tr("%1, by powers of two").arg(name), box);
    box->layout()->addWidget(pulled);
    *slider = pulled;
    connect(field, &QSpinBox::valueChanged, this, [this, pulled](int value) {
        pulled->setAmount(value);
        change();
    });
    connect(pulled, &LogSlider::amountChosen, field,
            [field](qint64 amount) { field->setValue(int(amount)); });
    return field;
}

void WhatIf::addKv(QWidget* box) {
    auto* row = new QHBoxLayout;
    auto* label = new widgets::TextLabel(theme_, TextRole::Base, Token::T2, box);
    label->setText(tr("KV cache"));
    row->addWidget(label, 1);
    kv_ = new QComboBox(box);
    for (const char* format : kKvFormats)
        kv_->addItem(QString::fromLatin1(format));
    kv_->setFixedWidth(theme_.px(104));
    kv_->setAccessibleName(tr("KV cache"));
    connect(kv_, &QComboBox::activated, this, &WhatIf::change);
    row->addWidget(kv_);
    box->layout()->addItem(row);
}

void WhatIf::setKv(const std::string& kv) {
    const int place = kv_->findText(models::qt(kv));
    kv_->setCurrentIndex(std::max(0, place));
}

void WhatIf::setModelContext(std::int64_t tokens) {
    contextSlider_->setAmounts(kLeastContext, tokens > 0 ? tokens : kUsualContext);
    contextSlider_->setAmount(context_->value());
}

QWidget* WhatIf::buildFooter() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(theme_.px(12), theme_.px(8), theme_.px(12), theme_.px(8));
    use_ = new Button(theme_, tr("Commit"), Button::Kind::Normal, Button::Size::Regular, box);
    use_->setObjectName(QStringLiteral("commit"));
    connect(use_, &Button::clicked, this, &WhatIf::use);
    row->addWidget(use_);
    row->addStretch(1);
    discard_ = new Button(theme_, tr("Discard"), Button::Kind::Quiet, Button::Size::Regular, box);
    connect(discard_, &Button::clicked, this, [this] {
        setPlan(plan_, base_, cards_);
        emit discarded();
    });
    row->addWidget(discard_);
    return box;
}

void WhatIf::setPlan(const protocol::PlanInfo& plan,
                     const protocol::JobSettings& settings,
                     int cards) {
    plan_ = plan;
    base_ = settings;
    cards_ = cards;
    hasAnswer_ = false;
    changed_ = false;
    confirming_ = false;
    waiting_ = false;
    soon_.stop();
    stageLayers_ = settings.stageLayers;
    order_ = settings.order;
    const QSignalBlocker quietContext(context_);
    const QSignalBlocker quietSequences(sequences_);
    context_->setValue(int(std::min<std::int64_t>(plan.maxContext, kMostContext)));
    sequences_->setValue(plan.maxSequences);
    contextSlider_->setAmount(context_->value());
    sequencesSlider_->setAmount(sequences_->value());
    setKv(settings.kv);
    rows_[Tp]->setValue(plan.mesh.tp);
    rows_[Pp]->setValue(plan.mesh.pp);
    rows_[Ep]->setValue(plan.mesh.ep);
    rows_[Dp]->setValue(plan.mesh.dp);
    fillRows();
    showVerdict();
}

// Those that one is likely to want: powers of two near the one in use, legal ones first; some that
// are not legal stay among them, so that one can ask why.
std::vector<int> WhatIf::choices(const std::vector<int>& legal, int inUse, int current) const {
    std::vector<int> all(legal);
    for (int value = 1; value <= cards_; value *= 2)
        all.push_back(value);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const auto rank = [&](int value) {
        const bool isLegal = std::binary_search(legal.begin(), legal.end(), value);
        const int kind = value == inUse                                    ? 0
                         : isLegal && std::has_single_bit(unsigned(value)) ? 1
                         : isLegal                                         ? 2
                                                                           : 3;
        return std::pair(kind, std::abs(std::log2(double(value) / inUse)));
    };
    std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return rank(a) < rank(b); });
    const auto place = std::find(all.begin(), all.end(), current);
    if (place != all.end())
        all.erase(place);
    if (all.size() >= kMostChoices)
        all.resize(kMostChoices - 1);
    all.push_back(current);
    std::sort(all.begin(), all.end());
    return all;
}

void WhatIf::fillRows() {
    const protocol::PlanInfo& from = hasAnswer_ ? answer_ : plan_;
    const std::vector<int>* legal[] = {&from.legalTp, &from.legalPp, &from.legalEp, &from.legalDp};
    const int inUse[] = {plan_.mesh.tp, plan_.mesh.pp, plan_.mesh.ep, plan_.mesh.dp};
    for (int i = 0; i < 4; ++i) {
        const int current = std::max(1, rows_[i]->value());
        rows_[i]->setValues(choices(*legal[i], std::max(1, inUse[i]), current), *legal[i]);
        rows_[i]->setValue(current);
    }
    const bool more = std::any_of(std::begin(rows_), std::end(rows_),
                                  [](const auto* row) { return row->hasMore(); });
    for (widgets::WhatIfRow* row : rows_)
        row->keepRoom(more);
}

protocol::JobSettings WhatIf::settings() const {
    protocol::JobSettings settings = base_;
    settings.tp = rows_[Tp]->value();
    settings.pp = rows_[Pp]->value();
    settings.ep = rows_[Ep]->value();
    settings.dp = rows_[Dp]->value();
    settings.maxContext = context_->value();
    settings.maxSequences = sequences_->value();
    settings.kv = kv_->currentText().toStdString();
    settings.stageLayers = stageLayers_;
    settings.order = order_;
    return settings;
}

void WhatIf::setSettings(const protocol::JobSettings& settings) {
    const int numbers[] = {settings.tp, settings.pp, settings.ep, settings.dp};
    for (int i = 0; i < 4; ++i)
        rows_[i]->setValue(std::max(1, numbers[i]));
    const QSignalBlocker quietContext(context_);
    const QSignalBlocker quietSequences(sequences_);
    if (settings.maxContext > 0)
        context_->setValue(int(std::min<std::int64_t>(settings.maxContext, kMostContext)));
    sequences_->setValue(settings.maxSequences);
    contextSlider_->setAmount(context_->value());
    sequencesSlider_->setAmount(sequences_->value());
    setKv(settings.kv);
    stageLayers_ = settings.stageLayers;
    order_ = settings.order;
    change();
}

void WhatIf::setPlanned(const protocol::AlternativeInfo& plan) {
    const int numbers[] = {plan.mesh.tp, plan.mesh.pp, plan.mesh.ep, plan.mesh.dp};
    for (int i = 0; i < 4; ++i)
        rows_[i]->setValue(numbers[i]);
    order_ = plan.order;
    stageLayers_.clear();
    change();
}

void WhatIf::setStageLayers(const std::vector<int>& layers) {
    stageLayers_ = layers;
    change();
}

void WhatIf::setOrder(const QString& order) {
    order_ = order.toStdString();
    change();
}

void WhatIf::setNumber(const QString& key, int value) {
    const QString keys[] = {QStringLiteral("tp"), QStringLiteral("pp"), QStringLiteral("ep"),
                            QStringLiteral("dp")};
    for (int i = 0; i < 4; ++i) {
        if (keys[i] == key)
            rows_[i]->setValue(value);
    }
    if (key == QLatin1String("max_context"))
        context_->setValue(value);
    change();
}

// The last answer stays in view until the next one is there: it is milliseconds old.
void WhatIf::change() {
    changed_ = true;
    confirming_ = false;
    waiting_ = true;
    showVerdict();
    soon_.start();
}

void WhatIf::setAnswer(const protocol::PlanInfo* answer) {
    hasAnswer_ = answer != nullptr;
    waiting_ = false;
    if (answer != nullptr)
        answer_ = *answer;
    fillRows();
    showVerdict();
}

void WhatIf::setFailure(const QString& reason) {
    hasAnswer_ = false;
    waiting_ = false;
    showVerdict();
    badge_->setBadge({});
    verdict_->setColor(Token::Err);
    verdict_->setText(reason);
}

void WhatIf::setRunning(int ranks) {
    running_ = ranks;
}

QString WhatIf::verdictText(bool waits, bool bad) const {
    const protocol::PlanInfo& shown = hasAnswer_ ? answer_ : plan_;
    const QString order = shown.order == plan_.order
                              ? QString()
                              : QStringLiteral(" (") + models::qt(shown.order) + QLatin1Char(')');
    const QString name = models::meshText(shown.mesh) + order;
    if (waits && !hasAnswer_)
        return tr("Asking…");
    if (bad)
        return tr("%1 cannot be placed. The map still shows the plan in use.").arg(name);
    if (confirming_)
        return tr("This stops the ranks that run now (%1) and loads the model again.")
            .arg(running_);
    QString text =
        tr("%1: at most %2 a rank, %3 free%4")
            .arg(hasAnswer_ ? tr("Proposal %1").arg(name) : tr("In use, %1").arg(name),
                 bytesText(models::largestRankBytes(shown)),
                 bytesText(models::smallestFreeBytes(shown)),
                 shown.predicted.step > 0
                     ? tr(", a step in %1").arg(models::durationText(shown.predicted.step))
                     : QString());
    if (shown.fit.context > 0)
        text += tr(". Up to %1 tokens fit at %2 sequences.")
                    .arg(models::countText(shown.fit.context))
                    .arg(shown.maxSequences);
    return text;
}

void WhatIf::showVerdict() {
    const protocol::PlanInfo& shown = hasAnswer_ ? answer_ : plan_;
    const bool bad = hasAnswer_ && fl::hasErrors(answer_.violations);
    const auto errors =
        std::count_if(shown.violations.begin(), shown.violations.end(),
                      [](const auto& f) { return f.severity == fl::Severity::Error; });
    badge_->setBadge(errors > 0
                         ? (errors == 1 ? tr("1 violation") : tr("%1 violations").arg(errors))
                         : QString(),
                     State::Failed);
    violations_->setFindings(shown.violations);
    verdict_->setColor(Token::T2);
    verdict_->setText(verdictText(waiting_, bad));
    showButtons(bad);
}

void WhatIf::showButtons(bool bad) {
    const bool usable = hasAnswer_ && !waiting_ && !bad;
    const bool offers = bad && !answer_.nearest.empty();
    const QString name = models::meshText((hasAnswer_ ? answer_ : plan_).mesh);
    use_->setKind(usable || offers ? Button::Kind::Primary : Button::Kind::Normal);
    use_->setText(offers ? tr("Use nearest: %1").arg(models::qt(answer_.nearest.front().name))
                  : confirming_ ? tr("Stop and launch %1").arg(name)
                                : tr("Commit"));
    use_->setBlocked(usable || offers ? QString()
                     : bad            ? tr("It breaks a rule")
                     : waiting_       ? tr("The answer is on its way")
                                      : tr("Change a number first"));
    discard_->setVisible(changed_);
    use_->updateGeometry();
}

// Ranks that run are stopped only after a second click that says so.
void WhatIf::use() {
    if (hasAnswer_ && fl::hasErrors(answer_.violations) && !answer_.nearest.empty()) {
        setPlanned(answer_.nearest.front());
        return;
    }
    if (running_ > 0 && !confirming_) {
        confirming_ = true;
        showVerdict();
        return;
    }
    confirming_ = false;
    emit useRequested(settings());
}

}  // namespace fl::panels
