// SPDX-License-Identifier: GPL-3.0-or-later
// Fills in the style sheet and the palette.
#include "ui/widgets/theme_style.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QIcon>
#include <QMainWindow>
#include <QPalette>
#include <QPixmap>
#include <QPointer>
#include <QRegularExpression>
#include <QStyleHints>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolTip>

#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/workbench_style.h"

namespace fl::widgets {

namespace {

// Style sheets take images only from files: the few icons they need, in the present colours.
struct SheetIcon {
    const char* name;
    Token color;
};
constexpr SheetIcon kSheetIcons[] = {{"chevron-down", Token::T3}};

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

// A part of the sheet and the classes it is for.
struct SheetPart {
    QList<QByteArray> classes;
    QString rules;
};

std::vector<SheetPart> partsOf(const QString& sheet) {
    std::vector<SheetPart> parts;
    static const QRegularExpression kHead(QStringLiteral("/\\* for ([A-Za-z ]+) \\*/"));
    auto head = kHead.match(sheet);
    while (head.hasMatch()) {
        const auto next = kHead.match(sheet, head.capturedEnd());
        const qsizetype end = next.hasMatch() ? next.capturedStart() : sheet.size();
        parts.push_back({head.captured(1).toLatin1().split(' '),
                         sheet.mid(head.capturedEnd(), end - head.capturedEnd())});
        head = next;
    }
    return parts;
}

// Gives each widget its part of the sheet: when it is first shown, and when the theme changes. The
// sheet of the application would be matched against all of the hundreds of widgets.
class SheetGiver : public QObject {
public:
    SheetGiver(QObject* parent, const Theme& theme) : QObject(parent), theme_(theme) { fill(); }

    void restyle() {
        fill();
        for (QWidget* widget : QApplication::allWidgets()) {
            if (widget->testAttribute(Qt::WA_WState_Polished)) {
                give(*widget);
            }
        }
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Polish && watched->isWidgetType()) {
            give(*static_cast<QWidget*>(watched));
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void fill() {
        writeIcons(theme_, icons_.path());
        parts_ = partsOf(styleSheet(theme_, icons_.path()));
        // What draws such icons is loaded from disk: now, not in the middle of a first picture.
        QIcon(icons_.filePath(QStringLiteral("chevron-down.svg"))).pixmap(1);
    }

    void give(QWidget& widget) const {
        // The field of a spin box is reached by the sheet of that, and tabs that are no docks' draw
        // themselves.
        if (qobject_cast<const QAbstractSpinBox*>(widget.parentWidget()) ||
            (qobject_cast<const QTabBar*>(&widget) &&
             !qobject_cast<const QMainWindow*>(widget.parentWidget()))) {
            return;
        }
        const auto meant = [&](const QByteArray& name) {
            return widget.inherits(name.constData());
        };
        for (const SheetPart& part : parts_) {
            if (std::any_of(part.classes.begin(), part.classes.end(), meant)) {
                widget.setStyleSheet(part.rules);
                return;
            }
        }
    }

    const Theme& theme_;
    QTemporaryDir icons_;
    std::vector<SheetPart> parts_;
};

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

void clearGround(QAbstractScrollArea& area) {
    QPalette colors = area.palette();
    colors.setColor(QPalette::Base, Qt::transparent);
    area.setPalette(colors);
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
    auto* style = new WorkbenchStyle(theme);
    application.setStyle(style);
    auto* sheets = new SheetGiver(style, theme);
    application.installEventFilter(sheets);
    const auto apply = [&application, &theme] {
        application.setPalette(palette(theme));
        application.setFont(theme.font(TextRole::Base));
        QToolTip::setPalette(palette(theme));
        QToolTip::setFont(theme.font(TextRole::Small));
    };
    apply();
    QObject::connect(&theme, &Theme::changed, sheets, [apply, sheets] {
        apply();
        sheets->restyle();
    });
}

}  // namespace fl::widgets
