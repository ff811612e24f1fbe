// SPDX-License-Identifier: GPL-3.0-or-later
// One conversation: messages in order, the last answer growing as its tokens come.
#pragma once

#include <vector>

#include <QAbstractListModel>

#include "engine/protocol/messages.h"

namespace fl::models {

struct ChatEntry {
    enum class State { Sent, Waiting, Streaming, Done, Stopped, Failed };
    QString role;     // system, user, assistant
    QString request;  // that this entry belongs to
    QString text;
    QString error;
    QString prompt;  // as the template rendered it; of an answer
    State state = State::Sent;
    int promptTokens = 0;
    std::vector<protocol::TokenInfo> tokens;
    protocol::Timing timing;
    QString finish;  // stop, length, cancelled, error
};

class ChatModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { RoleRole = Qt::UserRole, StateRole, RequestRole, SummaryRole };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    const ChatEntry& entry(int row) const { return entries_[std::size_t(row)]; }
    bool knows(const QString& request) const;
    int streamingRow() const;  // −1: nothing is being answered
    // Everything said so far that the next request must carry.
    std::vector<protocol::Message> messages() const;
    // "24 tokens  TTFT 0.31 s  42 tok/s  prompt 1,243 tokens"
    static QString summary(const ChatEntry& entry);

public slots:
    // Shows what is being asked and an answer that waits for its first token.
    void ask(const fl::protocol::ChatRequest& request);
    void applyStarted(const fl::protocol::ChatStarted& started);
    void applyDelta(const fl::protocol::ChatDelta& delta);
    void applyDone(const fl::protocol::ChatDone& done);
    // The send itself was refused.
    void fail(const QString& request, const QString& reason);
    // Takes `row` and all behind it away, to ask anew from there.
    void truncate(int row);
    // From a snapshot: the last conversation of `chats`, which carries its own history.
    void restore(const std::vector<fl::protocol::ChatRequest>& chats,
                 const std::vector<fl::protocol::ChatDone>& answers);
    void reset();

signals:
    void streamingChanged();

private:
    int rowOf(const std::string& request) const;  // of the answer
    void touch(int row);
    void push(ChatEntry entry);

    std::vector<ChatEntry> entries_;
};

}  // namespace fl::models
