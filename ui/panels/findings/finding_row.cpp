// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/findings/finding_row.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QPainter>

#include "ui/models/text.h"
#include "ui/widgets/button.h"
#include "ui/widgets/state_icon.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::qt;
using widgets::Button;
using widgets::State;
using widgets::TextLabel;
using widgets::TextRole;
using widgets::Token;

FindingRow::FindingRow(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setProperty("ringInside", true);
    setCursor(Qt::PointingHandCursor);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(12), theme.px(4), theme.px(12), theme.px(5));
    row->setSpacing(theme.px(9));
    icon_ = new widgets::StateIcon(theme, 16, this);
    row->addWidget(icon_, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(theme.px(2));
    row->addLayout(column, 1);
    message_ = new TextLabel(theme, TextRole::Base, Token::T1, this);
    message_->setWordWrap(true);
    column->addWidget(message_);
    detail_ = new TextLabel(theme, TextRole::Small, Token::T2, this);
    detail_->setWordWrap(true);
    detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(detail_);
    buttons_ = new QWidget(this);
    auto* line = new QHBoxLayout(buttons_);
    line->setContentsMargins(0, theme.px(4), 0, theme.px(4));
    line->setSpacing(theme.px(8));
    again_ = new Button(theme, tr("Launch again"), Button::Kind::Normal, Button::Size::Compact,
                        buttons_);
    connect(again_, &Button::clicked, this, &FindingRow::launchWanted);
    line->addWidget(again_);
    auto* evidence = new Button(theme, tr("Show evidence"), Button::Kind::Quiet,
                                Button::Size::Compact, buttons_);
    connect(evidence, &Button::clicked, this, &FindingRow::evidenceWanted);
    line->addWidget(evidence);
    line->addStretch(1);
    column->addWidget(buttons_);
    place_ = new TextLabel(theme, TextRole::Small, Token::T3, this);
    row->addWidget(place_, 0, Qt::AlignTop);
    setOpen(false);
}

void FindingRow::setFinding(const fl::Finding& finding,
                            const QString& evidence,
                            const QString& place) {
    icon_->setState(finding.severity == fl::Severity::Error     ? State::Failed
                    : finding.severity == fl::Severity::Warning ? State::Warning
                                                                : State::Note);
    message_->setText(models::shown(finding.message));
    message_->setColor(finding.severity == fl::Severity::Info ? Token::T2 : Token::T1);
    QStringList parts;
    if (!evidence.isEmpty())
        parts << evidence;
    if (!finding.examples.empty()) {
        QStringList names;
        for (const std::string& name : finding.examples)
            names << models::shown(name);
        parts << tr("also %1").arg(names.join(QStringLiteral(", ")));
    }
    if (!finding.remedy.empty())
        parts << qt(finding.remedy);
    QString detail = parts.join(QStringLiteral(". "));
    // Names of files, tensors and keys keep their letters.
    const bool startsWithName =
        !finding.file.empty() || !finding.tensor.empty() || !finding.key.empty();
    if (!detail.isEmpty() && !startsWithName)
        detail[0] = detail[0].toUpper();
    detail_->setText(detail);
    place_->setText(place);
    again_->setVisible(finding.severity == fl::Severity::Error &&
                       (finding.stage == "launch" || finding.stage == "load"));
    setAccessibleName(qt(std::string(fl::name(finding.severity))) + QStringLiteral(": ") +
                      models::shown(finding.message));
    setAccessibleDescription(detail_->text());
    setOpen(open_);
}

void FindingRow::setOpen(bool open) {
    open_ = open;
    message_->setRole(open ? TextRole::Strong : TextRole::Base);
    detail_->setVisible(open && !detail_->text().isEmpty());
    buttons_->setVisible(open);
    updateGeometry();
    update();
}

void FindingRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(open_      ? Token::AccentBg
                                          : hovered_ ? Token::Bg2
                                                     : Token::Bg1));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme_.color(Token::Line));
}

void FindingRow::mousePressEvent(QMouseEvent*) {
    emit chosen();
}

void FindingRow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)
        emit stepped(event->key() == Qt::Key_Up ? -1 : 1);
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Space)
        emit chosen();
    else
        QWidget::keyPressEvent(event);
}

void FindingRow::enterEvent(QEnterEvent*) {
    hovered_ = true;
    update();
}

void FindingRow::leaveEvent(QEvent*) {
    hovered_ = false;
    update();
}

}  // namespace fl::panels
