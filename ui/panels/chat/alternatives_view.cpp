// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/chat/alternatives_view.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "ui/widgets/paint.h"
#include "ui/widgets/theme.h"

namespace fl::panels {

using widgets::TextRole;
using widgets::Token;

namespace {

constexpr double kRowHeight = 18;

// A token of spaces or line breaks alone would be an empty row.
QString shownText(const std::string& text) {
    QString shown = QString::fromStdString(text);
    shown.replace(QLatin1Char('\n'), QStringLiteral("⏎"));
    return shown.trimmed().isEmpty() ? shown.replace(QLatin1Char(' '), QStringLiteral("␣")) : shown;
}

}  // namespace

AlternativesView::AlternativesView(const widgets::Theme& theme,
                                   const protocol::TokenInfo& token,
                                   QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    const std::size_t count = std::min(token.alternatives.size(), token.alternativeLogprobs.size());
    bool seen = false;
    for (std::size_t i = 0; i < count; ++i) {
        const bool chosen = token.alternatives[i] == token.id;
        seen = seen || chosen;
        const std::string text =
            i < token.alternativeTexts.size() ? token.alternativeTexts[i] : std::string();
        rows_.push_back({shownText(text), std::exp(token.alternativeLogprobs[i]), chosen});
    }
    if (!seen)
        rows_.insert(rows_.begin(), {shownText(token.text), std::exp(token.logprob), true});
}

QSize AlternativesView::sizeHint() const {
    return {theme_.px(250), theme_.px(kRowHeight * double(rows_.size()) + 4)};
}

void AlternativesView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const double nameWidth = theme_.px(92);
    const double valueWidth = theme_.px(40);
    const double height = theme_.px(kRowHeight);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const double y = double(i) * height;
        painter.setFont(theme_.font(row.chosen ? TextRole::SmallStrong : TextRole::Small));
        widgets::paintLine(painter, {0, y, nameWidth - 8, height}, row.text,
                           theme_.color(row.chosen ? Token::T1 : Token::T2), Qt::AlignLeft);
        const QRectF bar(nameWidth, y + height / 2 - 3, width() - nameWidth - valueWidth, 6);
        painter.fillRect(bar, theme_.color(Token::Bg4));
        painter.fillRect(QRectF(bar.topLeft(), QSizeF(bar.width() * row.probability, 6)),
                         theme_.color(row.chosen ? Token::Accent : Token::Link));
        painter.setFont(theme_.font(TextRole::Small));
        widgets::paintLine(painter, {width() - valueWidth, y, valueWidth, height},
                           QString::number(row.probability, 'f', 2), theme_.color(Token::T1),
                           Qt::AlignRight);
    }
}

}  // namespace fl::panels
