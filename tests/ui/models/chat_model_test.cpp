// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chat_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

using State = ChatEntry::State;

static protocol::ChatRequest question(const char* request,
                                      std::vector<protocol::Message> before,
                                      const char* text) {
    protocol::ChatRequest value;
    value.request = request;
    value.messages = std::move(before);
    value.messages.push_back({"user", text});
    return value;
}

class ChatModelTest : public QObject {
    Q_OBJECT

private slots:
    void growsTheLastAnswer() {
        ChatModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.ask(question("q1", {}, "Capital of France?"));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.entry(1).state, State::Waiting);
        QCOMPARE(model.streamingRow(), 1);
        model.applyStarted({"q1", "<|im_start|>user", {1, 2, 3}});
        protocol::TokenInfo token;
        token.text = "Par";
        model.applyDelta({"q1", "Par", {token}});
        model.applyDelta({"q1", "is", {}, {}, {}});
        QCOMPARE(model.entry(1).text, QStringLiteral("Paris"));
        QCOMPARE(model.entry(1).state, State::Streaming);
        protocol::ChatDone done;
        done.request = "q1";
        done.finish = "stop";
        done.text = "Paris.";
        done.timing.ttft = 0.31;
        model.applyDone(done);
        QCOMPARE(model.entry(1).text, QStringLiteral("Paris."));
        QCOMPARE(model.streamingRow(), -1);
        QVERIFY(ChatModel::summary(model.entry(1)).contains(QStringLiteral("TTFT 0.31 s")));
        QVERIFY(ChatModel::summary(model.entry(1)).contains(QStringLiteral("prompt 3 tokens")));
    }
    void addsOnlyWhatIsNewOfARequest() {
        ChatModel model;
        model.ask(question("q1", {}, "One?"));
        protocol::ChatDone done;
        done.request = "q1";
        done.finish = "stop";
        done.text = "1";
        model.applyDone(done);
        model.ask(question("q2", model.messages(), "Two?"));
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.entry(2).text, QStringLiteral("Two?"));
        QVERIFY(model.knows(QStringLiteral("q2")));
        model.truncate(2);
        QCOMPARE(model.rowCount(), 2);
    }
    void keepsWhatWasSaidBeforeAStop() {
        ChatModel model;
        model.ask(question("q1", {}, "Count"));
        model.applyDelta({"q1", "1 2", {}, {}, {}});
        protocol::ChatDone done;
        done.request = "q1";
        done.finish = "cancelled";
        done.text = "1 2";
        model.applyDone(done);
        QCOMPARE(model.entry(1).state, State::Stopped);
        QCOMPARE(model.messages().size(), std::size_t(2));
    }
    void leavesAFailedAnswerOut() {
        ChatModel model;
        model.ask(question("q1", {}, "Hi"));
        QSignalSpy streaming(&model, &ChatModel::streamingChanged);
        model.fail(QStringLiteral("q1"), QStringLiteral("prompt is longer than 4,096 tokens"));
        QCOMPARE(model.entry(1).state, State::Failed);
        QCOMPARE(streaming.count(), 1);
        QCOMPARE(model.messages().size(), std::size_t(1));
        model.applyDelta({"unknown", "x", {}, {}, {}});
        QCOMPARE(model.rowCount(), 2);
    }
    void restoresTheLastConversation() {
        ChatModel model;
        const protocol::Snapshot snapshot = smollmServing();
        model.restore(snapshot.chats, snapshot.answers);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.entry(2).text, QStringLiteral("The capital of France is Paris."));
        model.restore({}, {});
        QCOMPARE(model.rowCount(), 0);
    }
};

std::unique_ptr<QObject> chatModelTest() {
    return std::make_unique<ChatModelTest>();
}

}  // namespace fl::test

#include "chat_model_test.moc"
