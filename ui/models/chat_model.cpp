// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chat_model.h"

#include <utility>

#include "ui/models/text.h"

namespace fl::models {

namespace {

using State = ChatEntry::State;

State stateFor(const std::string& finish) {
    if (finish.empty())
        return State::Streaming;
    if (finish == "cancelled")
        return State::Stopped;
    return finish == "error" ? State::Failed : State::Done;
}

}  // namespace

int ChatModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(entries_.size());
}

QVariant ChatModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const ChatEntry& entry = entries_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return entry.text;
        case Qt::AccessibleTextRole:
            return entry.role + QStringLiteral(": ") + entry.text;
        case RoleRole:
            return entry.role;
        case StateRole:
            return int(entry.state);
        case RequestRole:
            return entry.request;
        case SummaryRole:
            return summary(entry);
        default:
            return {};
    }
}

QString ChatModel::summary(const ChatEntry& entry) {
    if (entry.role != QLatin1String("assistant"))
        return {};
    QStringList parts;
    if (entry.state == State::Waiting)
        parts << tr("waits for the first token");
    if (entry.state == State::Streaming)
        parts << tr("streaming");
    if (entry.state == State::Stopped)
        parts << tr("stopped");
    if (entry.state == State::Failed)
        parts << (entry.error.isEmpty() ? tr("failed") : entry.error);
    if (entry.finish == QLatin1String("length"))
        parts << tr("ended at its length limit");
    if (!entry.tokens.empty())
        parts << tr("%1 tokens").arg(countText(int(entry.tokens.size())));
    if (entry.timing.ttft > 0)
        parts << tr("TTFT %1").arg(durationText(entry.timing.ttft));
    if (entry.timing.tokensPerSecond > 0)
        parts << tr("%1 tok/s").arg(entry.timing.tokensPerSecond, 0, 'f', 1);
    if (entry.promptTokens > 0)
        parts << tr("prompt %1 tokens").arg(countText(entry.promptTokens));
    return parts.join(QStringLiteral("   "));
}

int ChatModel::streamingRow() const {
    for (int row = rowCount() - 1; row >= 0; --row) {
        const State state = entries_[std::size_t(row)].state;
        if (state == State::Waiting || state == State::Streaming)
            return row;
    }
    return -1;
}

std::vector<protocol::Message> ChatModel::messages() const {
    std::vector<protocol::Message> messages;
    for (const ChatEntry& entry : entries_) {
        if (entry.state != State::Failed && entry.state != State::Waiting)
            messages.push_back({entry.role.toStdString(), entry.text.toStdString()});
    }
    return messages;
}

bool ChatModel::knows(const QString& request) const {
    return rowOf(request.toStdString()) >= 0;
}

int ChatModel::rowOf(const std::string& request) const {
    const QString wanted = qt(request);
    for (int row = rowCount() - 1; row >= 0; --row) {
        const ChatEntry& entry = entries_[std::size_t(row)];
        if (entry.request == wanted && entry.role == QLatin1String("assistant"))
            return row;
    }
    return -1;
}

void ChatModel::touch(int row) {
    emit dataChanged(index(row), index(row));
}

void ChatModel::push(ChatEntry entry) {
    beginInsertRows({}, rowCount(), rowCount());
    entries_.push_back(std::move(entry));
    endInsertRows();
}

// Only what is not shown yet is added: a request repeats the whole conversation.
void ChatModel::ask(const protocol::ChatRequest& request) {
    const std::vector<protocol::Message> shown = messages();
    for (std::size_t i = shown.size(); i < request.messages.size(); ++i) {
        ChatEntry entry;
        entry.role = qt(request.messages[i].role);
        entry.text = qt(request.messages[i].content);
        entry.request = qt(request.request);
        push(std::move(entry));
    }
    if (request.messages.empty() && !request.raw.empty()) {
        ChatEntry raw;
        raw.role = QStringLiteral("user");
        raw.text = qt(request.raw);
        raw.request = qt(request.request);
        push(std::move(raw));
    }
    ChatEntry answer;
    answer.role = QStringLiteral("assistant");
    answer.request = qt(request.request);
    answer.state = State::Waiting;
    push(std::move(answer));
    emit streamingChanged();
}

void ChatModel::applyStarted(const protocol::ChatStarted& started) {
    const int row = rowOf(started.request);
    if (row < 0)
        return;
    entries_[std::size_t(row)].prompt = qt(started.prompt);
    entries_[std::size_t(row)].promptTokens = int(started.inputIds.size());
    touch(row);
}

void ChatModel::applyDelta(const protocol::ChatDelta& delta) {
    const int row = rowOf(delta.request);
    if (row < 0)
        return;
    ChatEntry& entry = entries_[std::size_t(row)];
    entry.text += qt(delta.text);
    entry.tokens.insert(entry.tokens.end(), delta.tokens.begin(), delta.tokens.end());
    if (entry.state == State::Waiting)
        entry.state = State::Streaming;
    touch(row);
}

void ChatModel::applyDone(const protocol::ChatDone& done) {
    const int row = rowOf(done.request);
    if (row < 0)
        return;
    ChatEntry& entry = entries_[std::size_t(row)];
    entry.text = qt(done.text);
    entry.error = qt(done.error);
    entry.finish = qt(done.finish);
    entry.timing = done.timing;
    entry.state = stateFor(done.finish);
    touch(row);
    emit streamingChanged();
}

void ChatModel::fail(const QString& request, const QString& reason) {
    const int row = rowOf(request.toStdString());
    if (row < 0)
        return;
    entries_[std::size_t(row)].state = State::Failed;
    entries_[std::size_t(row)].error = reason;
    touch(row);
    emit streamingChanged();
}

void ChatModel::truncate(int row) {
    if (row < 0 || row >= rowCount())
        return;
    beginRemoveRows({}, row, rowCount() - 1);
    entries_.erase(entries_.begin() + row, entries_.end());
    endRemoveRows();
    emit streamingChanged();
}

void ChatModel::restore(const std::vector<protocol::ChatRequest>& chats,
                        const std::vector<protocol::ChatDone>& answers) {
    reset();
    if (chats.empty())
        return;
    ask(chats.back());
    if (answers.size() == chats.size())
        applyDone(answers.back());
}

void ChatModel::reset() {
    beginResetModel();
    entries_.clear();
    endResetModel();
    emit streamingChanged();
}

}  // namespace fl::models
