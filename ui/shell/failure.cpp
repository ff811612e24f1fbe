// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/failure.h"

#include <QCoreApplication>

#include "ui/models/models.h"
#include "ui/models/text.h"

namespace fl::shell {

using models::qt;
using widgets::StripMessage;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(fl::shell::MainWindow)
};

StripMessage lostMessage(const protocol::RankLost& lost) {
    StripMessage message;
    message.state = widgets::State::Failed;
    message.sentence = models::lostSentence(lost);
    QStringList detail;
    if (!lost.host.empty()) {
        detail << qt(lost.host);
    }
    if (!lost.collective.empty()) {
        detail << Words::tr("in %1").arg(qt(lost.collective));
    }
    message.detail = detail.join(QStringLiteral(", "));
    message.detail += (message.detail.isEmpty() ? QString() : QStringLiteral(". ")) +
                      Words::tr("Noticed after %1; the other ranks were stopped.")
                          .arg(models::durationText(lost.noticedSeconds));
    message.quoteName = Words::tr("last line");
    message.quote = qt(lost.lastLine);
    return message;
}

}  // namespace

std::optional<StripMessage> failureMessage(const models::Models& models, const QString& error) {
    if (const protocol::RankLost* lost = models.ranks.lost()) {
        return lostMessage(*lost);
    }
    if (error.isEmpty()) {
        return std::nullopt;
    }
    StripMessage message;
    message.state = widgets::State::Failed;
    message.sentence = error.left(1).toUpper() + error.mid(1);
    return message;
}

QString failureText(const StripMessage& message) {
    return QStringList{message.sentence, message.detail, message.quote}.join(QLatin1Char('\n'));
}

}  // namespace fl::shell
