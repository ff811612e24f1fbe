// SPDX-License-Identifier: GPL-3.0-or-later
// Work that would hold the window up, one piece after the other on a thread of its own; what comes
// of it is handed over in the owner's thread.
#pragma once

#include <memory>
#include <utility>

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>

namespace fl::models {

// Make it the last member of its owner: it waits for the work that goes on when it is destroyed.
class Background {
public:
    explicit Background(QObject* owner) : owner_(owner) { pool_.setMaxThreadCount(1); }

    // `work` runs on the thread and touches nothing that the owner's thread may change; `done` gets
    // its value later, from the owner's event loop.
    template <class Work, class Done>
    void run(Work work, Done done) {
        pool_.start([owner = owner_, work = std::move(work), done = std::move(done)]() mutable {
            // Shared, because a queued call has to be copyable.
            auto value = std::make_shared<decltype(work())>(work());
            QMetaObject::invokeMethod(
                owner, [value, done = std::move(done)]() mutable { done(std::move(*value)); },
                Qt::QueuedConnection);
        });
    }

private:
    QObject* owner_;
    QThreadPool pool_;
};

}  // namespace fl::models
