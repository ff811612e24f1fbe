// SPDX-License-Identifier: GPL-3.0-or-later
// Where a question is written: the text, Send, and Stop while an answer streams.
#pragma once

#include <QWidget>

class QPlainTextEdit;

namespace fl::widgets {
class Button;
class Theme;
}  // namespace fl::widgets

namespace fl::panels {

class Composer : public QWidget {
    Q_OBJECT

public:
    explicit Composer(const widgets::Theme& theme, QWidget* parent = nullptr);

    // While `reason` is not empty nothing can be sent; it says why.
    void setBlocked(const QString& reason);
    void setStreaming(bool streaming);
    void setText(const QString& text);
    QString text() const;
    void takeFocus();

signals:
    void sendRequested(const QString& text);
    void stopRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void send();
    void showState();

    QPlainTextEdit* edit_;
    widgets::Button* send_;
    widgets::Button* stop_;
    QString blocked_;
    bool streaming_ = false;
};

}  // namespace fl::panels
