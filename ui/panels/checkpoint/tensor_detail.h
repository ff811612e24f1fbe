// SPDX-License-Identifier: GPL-3.0-or-later
// One tensor: what it is, where it lies, and on demand how its values are spread.
#pragma once

#include <QWidget>

#include "engine/protocol/messages.h"
#include "ui/widgets/theme.h"

namespace fl::client {
class EngineClient;
}
namespace fl::widgets {
class Button;
class KeyValueList;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class HistogramView;

struct TensorFacts {
    QString name;
    QString type;
    QString shape;
    QString bytes;
    QString file;
    QString kind;
    QString contract;
};

class TensorDetail : public QWidget {
    Q_OBJECT

public:
    TensorDetail(const widgets::Theme& theme,
                 client::EngineClient& client,
                 QWidget* parent = nullptr);

    void setTensor(const TensorFacts& facts);
    const QString& tensor() const { return facts_.name; }
    // Reads the tensor from disk, in the engine.
    void askHistogram();
    void setHistogram(const protocol::HistogramReply& reply);
    void setFailure(const QString& reason);

signals:
    void closed();

private:
    void showFacts();
    void callOff();
    void buildUi();

    const widgets::Theme& theme_;
    client::EngineClient& client_;
    TensorFacts facts_;
    int asked_ = 0;         // older answers are dropped
    bool reading_ = false;  // the engine reads the tensor
    widgets::TextLabel* name_ = nullptr;
    widgets::KeyValueList* list_ = nullptr;
    widgets::Button* ask_ = nullptr;
    widgets::TextLabel* reason_ = nullptr;
    HistogramView* histogram_ = nullptr;
    widgets::KeyValueList* values_ = nullptr;
};

}  // namespace fl::panels
