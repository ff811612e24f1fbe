// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a table of the pages that the engine sends, beside the window's thread.
#pragma once

#include <memory>

#include <QObject>
#include <QString>

#include "engine/protocol/messages.h"
#include "ui/models/background.h"
#include "ui/models/tensor_table.h"

namespace fl::models {

class TensorLoader : public QObject {
    Q_OBJECT

public:
    explicit TensorLoader(QObject* parent = nullptr);

    // A new list begins; pages of an older one are not taken any more. Returns its number.
    int begin();
    int number() const { return number_; }
    // The next page of list `number`. The last one, which reaches the total, makes the table ready.
    void add(int number, protocol::TensorColumns page);
    void cancel();
    // The engine would not say: the list ends here.
    void fail(int number, const QString& reason);
    // True from begin() until the table is ready or could not be made.
    bool loading() const { return loading_; }
    qint64 received() const { return received_; }
    qint64 total() const { return total_; }

signals:
    void progressed();
    void ready(std::shared_ptr<const fl::models::TensorTable> table);
    void failed(const QString& reason);

private:
    void end(const Status& status, const std::shared_ptr<const TensorTable>& table);

    std::shared_ptr<TensorTable> table_;  // belongs to the thread until it is ready
    int number_ = 0;
    bool loading_ = false;
    qint64 received_ = 0;
    qint64 total_ = 0;
    Background background_;
};

}  // namespace fl::models
