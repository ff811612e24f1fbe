// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_loader.h"

#include "ui/models/text.h"

namespace fl::models {

TensorLoader::TensorLoader(QObject* parent) : QObject(parent), background_(this) {}

int TensorLoader::begin() {
    table_ = std::make_shared<TensorTable>();
    loading_ = true;
    received_ = 0;
    total_ = 0;
    return ++number_;
}

void TensorLoader::cancel() {
    ++number_;
    loading_ = false;
    table_.reset();
}

void TensorLoader::add(int number, protocol::TensorColumns page) {
    if (number != number_ || !loading_)
        return;
    received_ = page.offset + page.count;
    total_ = page.total;
    emit progressed();
    const bool last = received_ >= total_;
    background_.run(
        [table = table_, page = std::move(page), last]() -> Status {
            FL_DO(table->append(page));
            if (last)
                table->finish();
            return Done{};
        },
        [this, number, last, table = table_](const Status& status) {
            if (number == number_ && loading_ && (last || !status))
                end(status, table);
        });
}

void TensorLoader::fail(int number, const QString& reason) {
    if (number == number_ && loading_)
        end(Error{ErrorCode::Io, reason.toStdString()}, {});
}

void TensorLoader::end(const Status& status, const std::shared_ptr<const TensorTable>& table) {
    loading_ = false;
    table_.reset();
    if (status)
        emit ready(table);
    else
        emit failed(qt(status.error().message));
}

}  // namespace fl::models
