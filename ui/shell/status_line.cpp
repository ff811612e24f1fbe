// SPDX-License-Identifier: GPL-3.0-or-later
// Composes the status from the models.
#include "ui/shell/status_line.h"

#include <unistd.h>

#include <QPainter>
#include <QStringList>
#include <QThread>

#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/widgets/paint.h"

namespace fl::shell {

using models::qt;
using widgets::TextRole;
using widgets::Token;

namespace {
constexpr int kRefreshMilliseconds = 250;  // numbers change at 4 Hz at most

// "local: 16 cores, 128 GiB".
QString machineText() {
    const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES);
    const std::int64_t pageBytes = ::sysconf(_SC_PAGESIZE);
    return StatusLine::tr("local: %1 cores, %2")
        .arg(QThread::idealThreadCount())
        .arg(models::bytesText(pages * pageBytes));
}
}  // namespace

StatusLine::StatusLine(const widgets::Theme& theme,
                       models::Models& models,
                       const client::EngineClient& client,
                       QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      models_(models),
      client_(client) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&timer_, &QTimer::timeout, this, &StatusLine::refresh);
    connect(&client, &client::EngineClient::connected, this, &StatusLine::refresh);
    connect(&client, &client::EngineClient::disconnected, this, &StatusLine::refresh);
    timer_.start(kRefreshMilliseconds);
    refresh();
}

QSize StatusLine::sizeHint() const {
    return {theme_.px(400), theme_.px(26)};
}

void StatusLine::setPresenting(bool presenting) {
    presenting_ = presenting;
    refresh();
}

void StatusLine::addEngine() {
    const bool lost = models_.ranks.lost() != nullptr;
    if (!client_.isConnected()) {
        dot_ = Token::T3;
        left_.push_back({client_.connection() == client::Connection::Connecting
                             ? tr("attaching to the engine")
                             : tr("no engine running")});
        if (models_.settings.checkpoint.empty()) {
            left_.push_back({machineText()});
        }
        return;
    }
    dot_ = lost ? Token::Err : Token::Ok;
    QString host;
    if (models_.ranks.rowCount() > 0 && models_.ranks.state(0) && !presenting_) {
        host = qt(models_.ranks.state(0)->host);
    }
    left_.push_back({host.isEmpty() ? tr("engine running") : tr("engine running on %1").arg(host)});
    const int all = models_.plan.empty() ? 0 : int(models_.plan.plan().ranks.size());
    int alive = 0;
    for (int row = 0; row < models_.ranks.rowCount(); ++row) {
        const auto* state = models_.ranks.state(row);
        alive += state && state->phase != "lost" && state->phase != "stopped" ? 1 : 0;
    }
    if (all > 0) {
        left_.push_back({tr("%1/%2 ranks").arg(alive).arg(all), lost ? Token::Err : Token::T2});
    }
}

void StatusLine::addLive() {
    double rate = 0;
    bool loading = false;
    for (int row = 0; row < models_.ranks.rowCount(); ++row) {
        const auto* load = models_.ranks.load(row);
        if (load && load->bytesDone < load->bytes) {
            loading = true;
            rate += load->bytesPerSecond;
        }
    }
    if (loading) {
        left_.push_back({tr("loading %1").arg(models::rateText(rate))});
    } else if (models_.latency.running() > 0 && models_.latency.tokensPerSecond() > 0) {
        left_.push_back({tr("%1 tok/s").arg(models_.latency.tokensPerSecond(), 0, 'f', 1)});
    }
    if (models_.memory.measured() && models_.memory.largestBudget() > 0) {
        const QString unit = models::unitOf(models_.memory.largestBudget());
        left_.push_back({tr("peak %1 of %2 %3")
                             .arg(models::bytesIn(models_.memory.peak(), unit),
                                  models::bytesIn(models_.memory.largestBudget(), unit), unit)});
    }
    if (models_.latency.pages() > 0) {
        left_.push_back({tr("KV %1 of %2 pages")
                             .arg(models::countText(models_.latency.pagesUsed()),
                                  models::countText(models_.latency.pages()))});
    }
}

void StatusLine::addPlan() {
    if (models_.plan.empty()) {
        return;
    }
    left_.push_back({tr("plan holds %1, %2 of it replicated")
                         .arg(models::bytesText(models_.plan.heldBytes()),
                              models::bytesText(models_.plan.replicatedBytes())),
                     Token::T3});
}

void StatusLine::addAlerts() {
    const int errors = models_.findings.count(fl::Severity::Error);
    const int warnings = models_.findings.count(fl::Severity::Warning);
    if (errors > 0) {
        right_.push_back({errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors), Token::Err});
    }
    if (warnings > 0) {
        right_.push_back(
            {warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings), Token::Warn});
    }
    if (right_.empty()) {
        right_.push_back({tr("alerts 0")});
    }
}

void StatusLine::refresh() {
    const QString before = text();
    left_.clear();
    right_.clear();
    addEngine();
    addLive();
    addPlan();
    addAlerts();
    if (text() != before) {
        setAccessibleName(text());
        update();
    }
}

QString StatusLine::text() const {
    QStringList words;
    for (const auto* side : {&left_, &right_}) {
        for (const Part& part : *side) {
            words << part.words;
        }
    }
    return words.join(QStringLiteral(" · "));
}

void StatusLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg2));
    painter.fillRect(QRect(0, 0, width(), 1), theme_.color(Token::Line));
    const int dot = theme_.px(8);
    int x = theme_.px(12);
    widgets::paintBox(painter, QRectF(x, (height() - dot + 1) / 2, dot, dot), theme_.color(dot_),
                      QColor(), dot / 2.0);
    x += dot + theme_.px(6);
    painter.setFont(theme_.font(TextRole::Small));
    const QFontMetrics metrics = painter.fontMetrics();
    int right = width() - theme_.px(12);
    for (auto part = right_.rbegin(); part != right_.rend(); ++part) {
        const int wide = metrics.horizontalAdvance(part->words) + 1;
        right -= wide;
        painter.setPen(theme_.color(part->color));
        painter.drawText(QRect(right, 1, wide, height() - 1), Qt::AlignVCenter, part->words);
        right -= theme_.px(16);
    }
    for (const Part& part : left_) {
        const int wide = metrics.horizontalAdvance(part.words) + 1;
        if (x + wide > right) {
            return;  // whole parts or none
        }
        painter.setPen(theme_.color(part.color));
        painter.drawText(QRect(x, 1, wide, height() - 1), Qt::AlignVCenter, part.words);
        x += wide + theme_.px(16);
    }
}

}  // namespace fl::shell
