// SPDX-License-Identifier: GPL-3.0-or-later
// Fills in the style sheet and the palette.
#include "ui/widgets/theme_style.h"

#include <memory>
#include <utility>

#include <QApplication>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QPalette>
#include <QPixmap>
#include <QPointer>
#include <QRegularExpression>
#include <QStyleFactory>
#include <QStyleHints>
#include <QTemporaryDir>

#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {

namespace {

// Style sheets take images only from files: the few icons they need, in the present colours.
struct SheetIcon {
    const char* name;
    Token color;
};
constexpr SheetIcon kSheetIcons[] = {{"chevron-down", Token::T3}, {"check", Token::AccentText}};

void writeIcons(const Theme& theme, const QString& folder) {
    for (const SheetIcon& one : kSheetIcons) {
        const QString name = QString::fromLatin1(one.name);
        QFile source(QStringLiteral(":/firstlight/icons/%1.svg").arg(name));
        QFile target(folder + QLatin1Char('/') + name + QStringLiteral(".svg"));
        if (source.open(QIODevice::ReadOnly) && target.open(QIODevice::WriteOnly)) {
            target.write(source.readAll().replace("currentColor", theme.css(one.color).toLatin1()));
        }
    }
}

// Windows are told when the desktop changes its theme.
class DesktopFollower : public QObject {
public:
    DesktopFollower(QObject* parent, Theme& theme, std::function<bool()> prefersDark)
        : QObject(parent),
          theme_(&theme),
          prefersDark_(std::move(prefersDark)) {}

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (theme_ && event->type() == QEvent::ThemeChange && watched->isWindowType()) {
            theme_->setDesktopDark(prefersDark_());
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QPointer<Theme> theme_;
    std::function<bool()> prefersDark_;
};

QPalette palette(const Theme& theme) {
    QPalette colors;
    const auto set = [&](QPalette::ColorRole role, Token token, Token disabled) {
        colors.setColor(role, theme.color(token));
        colors.setColor(QPalette::Disabled, role, theme.color(disabled));
    };
    set(QPalette::Window, Token::Bg1, Token::Bg1);
    set(QPalette::Base, Token::Bg1, Token::Bg2);
    set(QPalette::AlternateBase, Token::Bg2, Token::Bg2);
    set(QPalette::Button, Token::Bg3, Token::Bg2);
    set(QPalette::WindowText, Token::T1, Token::T3);
    set(QPalette::Text, Token::T1, Token::T3);
    set(QPalette::ButtonText, Token::T1, Token::T3);
    set(QPalette::BrightText, Token::AccentText, Token::T3);
    set(QPalette::PlaceholderText, Token::T3, Token::T3);
    set(QPalette::Highlight, Token::AccentFill, Token::Bg4);
    set(QPalette::HighlightedText, Token::AccentText, Token::T2);
    set(QPalette::Link, Token::Accent, Token::T3);
    set(QPalette::LinkVisited, Token::Accent, Token::T3);
    set(QPalette::ToolTipBase, Token::Bg2, Token::Bg2);
    set(QPalette::ToolTipText, Token::T1, Token::T1);
    set(QPalette::Light, Token::Line2, Token::Line);
    set(QPalette::Midlight, Token::Line, Token::Line);
    set(QPalette::Mid, Token::Line2, Token::Line);
    set(QPalette::Dark, Token::Line2, Token::Line);
    set(QPalette::Shadow, Token::Bg0, Token::Bg0);
    return colors;
}

}  // namespace

QString styleSheet(const Theme& theme, const QString& iconFolder) {
    QFile file(QStringLiteral(":/firstlight/themes/workbench.qss"));
    QString sheet = file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    // Longest names first: @accent is the beginning of @accent-bg.
    for (int i = kTokenCount - 1; i >= 0; --i) {
        const auto token = static_cast<Token>(i);
        sheet.replace(
            QRegularExpression(QStringLiteral("@%1(?![\\w-])").arg(Theme::tokenName(token))),
            theme.css(token));
    }
    static const QRegularExpression kLength(QStringLiteral("\\$(\\d+)px"));
    for (auto match = kLength.match(sheet); match.hasMatch(); match = kLength.match(sheet)) {
        sheet.replace(
            match.capturedStart(), match.capturedLength(),
            QString::number(theme.px(match.captured(1).toDouble())) + QStringLiteral("px"));
    }
    static const QRegularExpression kIcon(QStringLiteral("%([a-z-]+)"));
    sheet.replace(kIcon, QStringLiteral("\"%1/\\1.svg\"").arg(iconFolder));
    return sheet;
}

bool desktopPrefersDark() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    const Qt::ColorScheme scheme = QGuiApplication::styleHints()->colorScheme();
    if (scheme != Qt::ColorScheme::Unknown) {
        return scheme == Qt::ColorScheme::Dark;
    }
#endif
    // Our own palette hides the desktop's: it is taken off for a moment.
    const QPalette ours = QApplication::palette();
    QApplication::setPalette(QPalette());
    const QPalette colors = QApplication::palette();
    QApplication::setPalette(ours);
    return colors.color(QPalette::Window).lightness() <
           colors.color(QPalette::WindowText).lightness();
}

void followDesktop(QApplication& application, Theme& theme, std::function<bool()> prefersDark) {
    theme.setDesktopDark(prefersDark());
    application.installEventFilter(
        new DesktopFollower(&application, theme, std::move(prefersDark)));
}

void applyTheme(QApplication& application, const Theme& theme) {
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    auto icons = std::make_shared<QTemporaryDir>();
    const auto apply = [&application, &theme, icons] {
        writeIcons(theme, icons->path());
        application.setPalette(palette(theme));
        application.setFont(theme.font(TextRole::Base));
        application.setStyleSheet(styleSheet(theme, icons->path()));
    };
    apply();
    QObject::connect(&theme, &Theme::changed, &application, apply);
}

}  // namespace fl::widgets
