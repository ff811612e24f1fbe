// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/stage_text.h"

#include <vector>

#include <QCoreApplication>
#include <QRegularExpression>

#include "ui/models/text.h"

namespace fl::models {

namespace {

struct Sentence {
    const char* pattern;  // of the engine; what it captures are the places of the translation
    const char* words;
};

constexpr Sentence kSentences[] = {
    {"^(\\S+) tensors in (\\S+) shards$",
     QT_TRANSLATE_NOOP("StageText", "%1 tensors in %2 shards")},
    {"^(\\S+) tensors in 1 shard$", QT_TRANSLATE_NOOP("StageText", "%1 tensors in 1 shard")},
    {"^Fits: (.+) of (.+)$", QT_TRANSLATE_NOOP("StageText", "Fits: %1 of %2")},
    {"^1 rank in (.+)$", QT_TRANSLATE_NOOP("StageText", "1 rank in %1")},
    {"^(\\S+) ranks in (.+)$", QT_TRANSLATE_NOOP("StageText", "%1 ranks in %2")},
    {"^(\\S+) of (\\S+) cases agree$", QT_TRANSLATE_NOOP("StageText", "%1 of %2 cases agree")},
    {"^case (.+)$", QT_TRANSLATE_NOOP("StageText", "case %1")},
    {"^TTFT (.+), (\\S+) tok/s$", QT_TRANSLATE_NOOP("StageText", "TTFT %1, %2 tok/s")},
    {"^([\\d.,]+ [KMGT]?i?B) in (.+)$", QT_TRANSLATE_NOOP("StageText", "%1 in %2")},
    {"^rank (\\d+) died: (.+)$", QT_TRANSLATE_NOOP("StageText", "rank %1 died: %2")},
    {"^an earlier stage ran again$", QT_TRANSLATE_NOOP("StageText", "an earlier stage ran again")},
    {"^the job was stopped$", QT_TRANSLATE_NOOP("StageText", "the job was stopped")},
    {"^cancelled$", QT_TRANSLATE_NOOP("StageText", "cancelled")},
};

// In the order of kSentences, compiled once: the rail asks at every change of a stage.
std::vector<QRegularExpression> compiled() {
    std::vector<QRegularExpression> forms;
    for (const Sentence& sentence : kSentences)
        forms.emplace_back(QString::fromLatin1(sentence.pattern));
    return forms;
}

}  // namespace

QString stageText(const std::string& said) {
    static const std::vector<QRegularExpression> forms = compiled();
    const QString text = shown(said);
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const auto found = forms[i].match(text);
        if (!found.hasMatch())
            continue;
        const QString words = QCoreApplication::translate("StageText", kSentences[i].words);
        switch (found.lastCapturedIndex()) {
            case 0:
                return words;
            case 1:
                return words.arg(found.captured(1));
            default:
                return words.arg(found.captured(1), found.captured(2));
        }
    }
    return text;
}

}  // namespace fl::models
