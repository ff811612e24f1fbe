// SPDX-License-Identifier: GPL-3.0-or-later
// Colours, fonts and lengths of the window. The values come from resources/themes; nothing else in
// ui/ names a colour.
//
// One Theme is made by the program and handed to every widget; it outlives them all. A widget
// repaints on changed() and asks again: it never keeps a colour.
#pragma once

#include <array>
#include <vector>

#include <QColor>
#include <QFont>
#include <QObject>

namespace fl::widgets {

enum class Token {
    Bg0,
    Bg1,
    Bg2,
    Bg3,
    Bg4,
    Line,
    Line2,
    T1,
    T2,
    T3,
    Accent,
    AccentFill,
    AccentText,
    AccentBg,
    Ok,
    OkBg,
    Warn,
    WarnBg,
    Err,
    ErrBg,
    Stale,
    StaleBg,
    Link,
    Grid,
    Axis
};
constexpr int kTokenCount = 25;

// Parts of a rank's memory; their colours are the same in every panel.
enum class LedgerPart { Weights, Scales, Kv, State, Activations, Communication, Context, Staging };

enum class TextRole {
    Title,        // 26, of the first screen
    Clock,        // 20
    Verdict,      // 16, of a panel or an empty state
    Answer,       // 14, the model's words
    Base,         // 13: labels, buttons, findings
    Strong,       // 13/500: names, panel titles
    Small,        // 12: tables, sub-lines, status bar
    SmallStrong,  // 12/500
    Axis,         // 11: axes, legends, device cards
    AxisStrong,   // 11/500: badges
    Mono,         // 12, names of tensors and files
    Log           // 11
};

enum class ThemeChoice { Desktop, Dark, Light };

class Theme : public QObject {
    Q_OBJECT

public:
    explicit Theme(QObject* parent = nullptr);

    ThemeChoice choice() const { return choice_; }
    bool isDark() const { return dark_; }
    // Presenter mode and density: all sizes times this; 1, or 1.25 for presenters.
    double scale() const { return scale_; }

    void setChoice(ThemeChoice choice);
    // What the desktop prefers; counts while the choice is Desktop.
    void setDesktopDark(bool dark);
    void setScale(double scale);

    QColor color(Token token) const;
    QColor color(Token token, double opacity) const;
    // Number n of the series, from 1, wrapping after 8; 0 or less is the neutral `link`.
    QColor series(int n) const;
    // For areas larger than a mark: 82 % over the panel.
    QColor seriesArea(int n) const;
    QColor seriesBand(int n) const;  // 18 %, translucent: filled below a line
    static int ledgerSeries(LedgerPart part);
    static QString ledgerName(LedgerPart part);  // translated
    // Colour maps, `value` from 0 to 1 (clamped); 0.5 of the diverging map is "equal".
    QColor sequential(double value) const;
    QColor diverging(double value) const;

    QFont font(TextRole role) const;
    int lineHeight(TextRole role) const;
    // A length given for scale 1.
    int px(double length) const;

    // Text of a token as style sheets write it.
    QString css(Token token) const;
    static QString tokenName(Token token);  // "accent-bg"

Q_SIGNALS:
    // Colours or sizes are different now. The application's palette and sheet follow at once.
    void changed();

private:
    struct Colors {
        std::array<QColor, kTokenCount> tokens;
        std::vector<QColor> series;
        std::vector<QColor> sequential;
        std::vector<QColor> diverging;
    };
    static Colors read(const QString& name);
    const Colors& colors() const { return dark_ ? darkColors_ : lightColors_; }
    void update(bool dark, double scale);

    Colors darkColors_;
    Colors lightColors_;
    ThemeChoice choice_ = ThemeChoice::Desktop;
    bool desktopDark_ = true;
    bool dark_ = true;
    double scale_ = 1;
};

// Mix of two colours, `part` of `over` upon `under`, opaque.
QColor mixed(const QColor& under, const QColor& over, double part);

}  // namespace fl::widgets
