// SPDX-License-Identifier: GPL-3.0-or-later
// The states' shapes, words and colours.
#include "ui/widgets/state.h"

#include <array>
#include <cstddef>

#include <QCoreApplication>
#include <QHash>

namespace fl::widgets {

namespace {
struct Look {
    const char* icon;
    const char* word;
    Token color;
    Token tint;
};
constexpr std::array<Look, 8> kLooks = {{
    {"idle", QT_TRANSLATE_NOOP("State", "not started"), Token::T3, Token::Bg4},
    {"running", QT_TRANSLATE_NOOP("State", "running"), Token::Accent, Token::AccentBg},
    {"passed", QT_TRANSLATE_NOOP("State", "passed"), Token::Ok, Token::OkBg},
    {"warning", QT_TRANSLATE_NOOP("State", "warning"), Token::Warn, Token::WarnBg},
    {"failed", QT_TRANSLATE_NOOP("State", "failed"), Token::Err, Token::ErrBg},
    {"stale", QT_TRANSLATE_NOOP("State", "stale"), Token::Stale, Token::StaleBg},
    {"stopped", QT_TRANSLATE_NOOP("State", "stopped"), Token::T3, Token::Bg4},
    {"note", QT_TRANSLATE_NOOP("State", "note"), Token::T2, Token::Bg4},
}};
const Look& look(State state) {
    return kLooks[static_cast<std::size_t>(state)];
}
}  // namespace

QString stateIcon(State state) {
    return QString::fromLatin1(look(state).icon);
}
QString stateWord(State state) {
    return QCoreApplication::translate("State", look(state).word);
}
Token stateColor(State state) {
    return look(state).color;
}
Token stateTint(State state) {
    return look(state).tint;
}

State stateFromWord(const QString& word) {
    static const QHash<QString, State> kStates = {
        {"running", State::Running},   {"passed", State::Passed},   {"ok", State::Passed},
        {"warnings", State::Warning},  {"warning", State::Warning}, {"failed", State::Failed},
        {"error", State::Failed},      {"errors", State::Failed},   {"stale", State::Stale},
        {"cancelled", State::Stopped}, {"stopped", State::Stopped}, {"lost", State::Failed},
        {"info", State::Note},
    };
    return kStates.value(word, State::Idle);
}

}  // namespace fl::widgets
