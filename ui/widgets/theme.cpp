// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the colour files and hands out colours and fonts.
#include "ui/widgets/theme.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

// Resources of a static library are linked in only when asked for, and only from the global
// namespace.
static void initialiseResources() {
    Q_INIT_RESOURCE(workbench);
}

namespace fl::widgets {

namespace {

constexpr std::array<const char*, kTokenCount> kTokenNames = {
    "bg0", "bg1",    "bg2",         "bg3",         "bg4",       "line", "line2", "t1",   "t2",
    "t3",  "accent", "accent-fill", "accent-text", "accent-bg", "ok",   "ok-bg", "warn", "warn-bg",
    "err", "err-bg", "stale",       "stale-bg",    "link",      "grid", "axis"};

struct RoleFont {
    int pixels;
    int line;
    bool strong;
    bool mono;
};
constexpr std::array<RoleFont, 12> kRoles = {{{26, 32, true, false},
                                              {20, 24, true, false},
                                              {16, 22, true, false},
                                              {14, 22, false, false},
                                              {13, 18, false, false},
                                              {13, 18, true, false},
                                              {12, 18, false, false},
                                              {12, 18, true, false},
                                              {11, 16, false, false},
                                              {11, 16, true, false},
                                              {12, 18, false, true},
                                              {11, 19, false, true}}};

struct PartLook {
    int series;
    const char* name;
};
constexpr std::array<PartLook, 8> kParts = {{{1, QT_TRANSLATE_NOOP("Ledger", "Weights")},
                                             {7, QT_TRANSLATE_NOOP("Ledger", "Scales")},
                                             {3, QT_TRANSLATE_NOOP("Ledger", "KV cache")},
                                             {4, QT_TRANSLATE_NOOP("Ledger", "Fixed state")},
                                             {2, QT_TRANSLATE_NOOP("Ledger", "Activations")},
                                             {5, QT_TRANSLATE_NOOP("Ledger", "Communication")},
                                             {8, QT_TRANSLATE_NOOP("Ledger", "Context")},
                                             {6, QT_TRANSLATE_NOOP("Ledger", "Staging")}}};

// Share of a series' colour in an area larger than a mark.
constexpr double kAreaOpacity = 0.82;
constexpr float kBandOpacity = 0.18F;

std::vector<QColor> readList(const QJsonValue& list) {
    std::vector<QColor> colors;
    for (const QJsonValue& value : list.toArray()) {
        colors.emplace_back(value.toString());
    }
    return colors;
}

QColor interpolated(const std::vector<QColor>& stops, double value) {
    const double place =
        std::clamp(std::isnan(value) ? 0.0 : value, 0.0, 1.0) * double(stops.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    return mixed(stops[below], stops[below + 1], place - double(below));
}

}  // namespace

QColor mixed(const QColor& under, const QColor& over, double part) {
    const auto mix = [part](int a, int b) { return int(std::lround(a + (b - a) * part)); };
    return QColor(mix(under.red(), over.red()), mix(under.green(), over.green()),
                  mix(under.blue(), over.blue()));
}

Theme::Theme(QObject* parent) : QObject(parent) {
    initialiseResources();
    darkColors_ = read(QStringLiteral("dark"));
    lightColors_ = read(QStringLiteral("light"));
}

Theme::Colors Theme::read(const QString& name) {
    QFile file(QStringLiteral(":/firstlight/themes/%1.json").arg(name));
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    const QJsonObject root =
        QJsonDocument::fromJson(opened ? file.readAll() : QByteArray()).object();
    const QJsonObject tokens = root["tokens"].toObject();
    Colors colors;
    for (std::size_t i = 0; i < kTokenNames.size(); ++i) {
        colors.tokens[i] = QColor(tokens[QLatin1String(kTokenNames[i])].toString());
    }
    colors.series = readList(root["series"]);
    colors.sequential = readList(root["sequential"]);
    colors.diverging = readList(root["diverging"]);
    return colors;
}

void Theme::setChoice(ThemeChoice choice) {
    choice_ = choice;
    update(choice == ThemeChoice::Desktop ? desktopDark_ : choice == ThemeChoice::Dark, scale_);
}

void Theme::setDesktopDark(bool dark) {
    desktopDark_ = dark;
    setChoice(choice_);
}

void Theme::setScale(double scale) {
    update(dark_, scale);
}

void Theme::update(bool dark, double scale) {
    if (dark == dark_ && qFuzzyCompare(scale, scale_)) {
        return;
    }
    dark_ = dark;
    scale_ = scale;
    Q_EMIT changed();
}

QColor Theme::color(Token token) const {
    return colors().tokens[static_cast<std::size_t>(token)];
}

QColor Theme::color(Token token, double opacity) const {
    QColor result = color(token);
    result.setAlphaF(float(opacity));
    return result;
}

QColor Theme::series(int n) const {
    const auto& list = colors().series;
    return n <= 0 ? color(Token::Link) : list[static_cast<std::size_t>(n - 1) % list.size()];
}

QColor Theme::seriesArea(int n) const {
    return mixed(color(Token::Bg1), series(n), kAreaOpacity);
}

QColor Theme::seriesBand(int n) const {
    QColor band = series(n);
    band.setAlphaF(kBandOpacity);
    return band;
}

int Theme::ledgerSeries(LedgerPart part) {
    return kParts[static_cast<std::size_t>(part)].series;
}

QString Theme::ledgerName(LedgerPart part) {
    return QCoreApplication::translate("Ledger", kParts[static_cast<std::size_t>(part)].name);
}

QColor Theme::sequential(double value) const {
    return interpolated(colors().sequential, value);
}

QColor Theme::diverging(double value) const {
    return interpolated(colors().diverging, value);
}

QFont Theme::font(TextRole role) const {
    const RoleFont& look = kRoles[static_cast<std::size_t>(role)];
    QFont font;
    if (look.mono) {
        font.setFamilies({"JetBrains Mono", "DejaVu Sans Mono", "Noto Sans CJK SC"});
        font.setStyleHint(QFont::Monospace);
        // Otherwise <|im_end|>, != and >= become ligatures.
        font.setStyleStrategy(QFont::PreferNoShaping);
    } else {
        font.setFamilies({"Roboto", "Noto Sans", "Open Sans", "DejaVu Sans", "Noto Sans CJK SC"});
        font.setStyleHint(QFont::SansSerif);
    }
    font.setPixelSize(px(look.pixels));
    font.setWeight(look.strong ? QFont::Medium : QFont::Normal);
    return font;
}

int Theme::lineHeight(TextRole role) const {
    return px(kRoles[static_cast<std::size_t>(role)].line);
}

int Theme::px(double length) const {
    return int(std::lround(length * scale_));
}

QString Theme::css(Token token) const {
    return color(token).name();
}

QString Theme::tokenName(Token token) {
    return QString::fromLatin1(kTokenNames[static_cast<std::size_t>(token)]);
}

}  // namespace fl::widgets
