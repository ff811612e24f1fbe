// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/tensor_detail.h"

#include <utility>

#include <QBoxLayout>
#include <QScrollArea>

#include "ui/client/engine_client.h"
#include "ui/models/text.h"
#include "ui/panels/checkpoint/histogram_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::countText;
using models::qt;
using widgets::Button;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

QString contractWord(const QString& state) {
    const std::pair<const char*, QString> words[] = {
        {"matched", TensorDetail::tr("matched")},
        {"missing", TensorDetail::tr("missing")},
        {"unexpected", TensorDetail::tr("unexpected")},
        {"ignored", TensorDetail::tr("ignored as declared")},
        {"wrong-shape", TensorDetail::tr("wrong shape")},
        {"wrong-type", TensorDetail::tr("wrong type")}};
    for (const auto& [name, word] : words) {
        if (state == QLatin1String(name))
            return word;
    }
    return state.isEmpty() ? TensorDetail::tr("none") : state;
}

// A name may break behind its dots and underscores, and in a long word anywhere.
QString breakable(const QString& name) {
    constexpr int kLongestWord = 24;
    QString text;
    int run = 0;
    for (const QChar letter : name) {
        text += letter;
        const bool ends = letter == QLatin1Char('.') || letter == QLatin1Char('_');
        run = ends ? 0 : run + 1;
        if (ends || run == kLongestWord) {
            text += QChar(0x200B);
            run = 0;
        }
    }
    return text;
}

}  // namespace

TensorDetail::TensorDetail(const widgets::Theme& theme,
                           client::EngineClient& client,
                           QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      client_(client) {
    buildUi();
    showFacts();
}

void TensorDetail::buildUi() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* header = new widgets::PanelHeader(theme_, tr("Tensor"), this);
    auto* close = new Button(theme_, {}, Button::Kind::Quiet, Button::Size::Compact, header);
    close->setIconName(QStringLiteral("close"));
    close->setToolTip(tr("Close the tensor's facts"));
    connect(close, &Button::clicked, this, [this] {
        facts_ = {};
        callOff();
        emit closed();
    });
    header->addRight(close);
    column->addWidget(header);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* box = new QWidget(scroll);
    scroll->setWidget(box);
    column->addWidget(scroll, 1);
    auto* inside = new QVBoxLayout(box);
    inside->setContentsMargins(theme_.px(12), theme_.px(8), theme_.px(12), theme_.px(12));
    inside->setSpacing(theme_.px(8));
    name_ = new widgets::TextLabel(theme_, TextRole::Mono, Token::T1, box);
    name_->setWordWrap(true);
    inside->addWidget(name_);
    list_ = new widgets::KeyValueList(theme_, box);
    inside->addWidget(list_);
    ask_ =
        new Button(theme_, tr("Show histogram"), Button::Kind::Normal, Button::Size::Compact, box);
    connect(ask_, &Button::clicked, this, &TensorDetail::askHistogram);
    inside->addWidget(ask_, 0, Qt::AlignLeft);
    reason_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, box);
    reason_->setWordWrap(true);
    inside->addWidget(reason_);
    histogram_ = new HistogramView(theme_, box);
    inside->addWidget(histogram_);
    values_ = new widgets::KeyValueList(theme_, box);
    inside->addWidget(values_);
    inside->addStretch(1);
}

void TensorDetail::setTensor(const TensorFacts& facts) {
    if (facts.name == facts_.name)
        return;
    facts_ = facts;
    callOff();
    showFacts();
}

void TensorDetail::showFacts() {
    const bool missing = facts_.contract == QLatin1String("missing");
    const bool fine = facts_.contract == QLatin1String("matched") ||
                      facts_.contract == QLatin1String("ignored") || facts_.contract.isEmpty();
    name_->setText(breakable(models::shown(facts_.name.toStdString())));
    const auto said = [](const QString& word) { return word.isEmpty() ? tr("none") : word; };
    list_->setRows(
        {{tr("Type"), said(facts_.type), State::Idle},
         {tr("Shape"), facts_.shape, State::Idle},
         {tr("Bytes"), facts_.bytes, State::Idle},
         {tr("Kind"), said(facts_.kind), State::Idle},
         {tr("Shard"), facts_.file, State::Idle},
         {tr("Contract"), contractWord(facts_.contract), fine ? State::Idle : State::Failed}});
    histogram_->clear();
    histogram_->hide();
    values_->hide();
    reason_->hide();
    ask_->show();
    ask_->setBlocked(missing ? tr("The checkpoint lacks this tensor") : QString());
}

void TensorDetail::callOff() {
    ++asked_;
    if (reading_)
        client_.request(protocol::method::kHistogramCancel);
    reading_ = false;
}

void TensorDetail::askHistogram() {
    const int number = ++asked_;
    reading_ = true;
    ask_->setBlocked(tr("The engine reads the tensor"));
    protocol::HistogramRequest request;
    request.tensor = facts_.name.toStdString();
    client_.send(protocol::method::kHistogram, request)
        ->then<protocol::HistogramReply>(
            this,
            [this, number](const protocol::HistogramReply& reply) {
                if (number == asked_)
                    setHistogram(reply);
            },
            [this, number](const fl::Error& error) {
                if (number == asked_)
                    setFailure(qt(error.message));
            });
}

void TensorDetail::setHistogram(const protocol::HistogramReply& reply) {
    reading_ = false;
    ask_->hide();
    reason_->hide();
    histogram_->setCounts(reply.counts, reply.min, reply.max);
    histogram_->show();
    const std::int64_t odd = reply.nan + reply.infinite;
    values_->setRows(
        {{tr("Values"),
          odd == 0 ? tr("%1, all finite").arg(countText(reply.values)) : countText(reply.values),
          State::Idle},
         {tr("Not finite"), countText(odd), odd > 0 ? State::Failed : State::Idle},
         {tr("Zeros"), countText(reply.zero),
          reply.zero == reply.values && reply.values > 0 ? State::Warning : State::Idle},
         {tr("Range"), tr("%1 to %2").arg(valueText(reply.min), valueText(reply.max)), State::Idle},
         {tr("Mean, root mean square"),
          QStringLiteral("%1, %2").arg(valueText(reply.mean), valueText(reply.rms)), State::Idle}});
    values_->show();
}

void TensorDetail::setFailure(const QString& reason) {
    reading_ = false;
    ask_->setBlocked({});
    reason_->setText(tr("No histogram: %1").arg(reason));
    reason_->show();
}

}  // namespace fl::panels
