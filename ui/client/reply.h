// SPDX-License-Identifier: GPL-3.0-or-later
// The answer to one request that has been sent: exactly one of finished and failed comes, later,
// from the event loop; then the reply deletes itself.
#pragma once

#include <QObject>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/codec.h"

namespace fl::client {

class Reply : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // Calls `use` with the decoded result, or `refuse` with the reason, unless `context` is gone by
    // then.
    template <class T, class Use, class Refuse>
    void then(QObject* context, Use use, Refuse refuse) {
        connect(this, &Reply::finished, context, [use, refuse](const fl::Json& result) {
            auto value = protocol::decode<T>(result);
            if (value) {
                use(*value);
            } else {
                refuse(value.error());
            }
        });
        connect(this, &Reply::failed, context, refuse);
    }

Q_SIGNALS:
    void finished(const fl::Json& result);
    void failed(const fl::Error& error);
};

}  // namespace fl::client
