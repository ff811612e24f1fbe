// SPDX-License-Identifier: GPL-3.0-or-later
// The chat panel against an engine that only speaks: what it sends, what it shows, what it refuses.
// Covers: ui/panels/chat/
#include "ui/panels/chat/chat_panel.h"

#include <QAbstractButton>
#include <QApplication>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QTest>

#include "engine/protocol/codec.h"
#include "tests/ui/client/fake_engine.h"
#include "tests/ui/support/recorded.h"
#include "tests/ui/support/screenshot.h"
#include "tests/ui/support/window_checks.h"
#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/panels/chat/alternatives_view.h"
#include "ui/panels/chat/composer.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/theme_style.h"

namespace fl::test {

namespace {

protocol::TokenInfo token(int id, const std::string& text, double logprob) {
    return {id, text, logprob, {id, id + 1}, {text, " other"}, {logprob, -3.0}};
}

protocol::ChatStarted started(std::string name, std::string prompt, std::vector<int> ids) {
    protocol::ChatStarted out;
    out.request = std::move(name);
    out.prompt = std::move(prompt);
    out.inputIds = std::move(ids);
    return out;
}
protocol::ChatDone stopped(std::string name, std::string text, protocol::Timing timing = {}) {
    protocol::ChatDone out;
    out.request = std::move(name);
    out.finish = "stop";
    out.text = std::move(text);
    out.timing = timing;
    return out;
}

// Panel, models and client wired as the shell wires them.
struct Bench {
    explicit Bench(bool loaded) {
        theme.setChoice(widgets::ThemeChoice::Dark);
        widgets::applyTheme(*qApp, theme);
        protocol::Snapshot snapshot = loaded ? smollmServing() : smollmPlanned();
        snapshot.chats.clear();
        snapshot.answers.clear();
        engine.answer = [](const protocol::RpcMessage& message) {
            const auto request = protocol::decode<protocol::ChatRequest>(message.params);
            if (message.method != protocol::method::kChatSend || !request)
                return Json();
            return protocol::encode(started(request->request, "<user>hello", {1, 2, 3}));
        };
        models.applySnapshot(snapshot);
        client.attach(engine.path());
        QObject::connect(&client, &client::EngineClient::chatDelta, &models,
                         &models::Models::applyChatDelta);
        QObject::connect(&client, &client::EngineClient::chatDone, &models,
                         &models::Models::applyChatDone);
        panel.resize(370, 700);
        panel.show();
    }
    // The last request of that method, or nullptr.
    const protocol::RpcMessage* sent(std::string_view method) const {
        for (auto at = engine.requests.rbegin(); at != engine.requests.rend(); ++at) {
            if (at->method == method)
                return &*at;
        }
        return nullptr;
    }
    std::string asked() const {
        return models.chat.entry(models.chat.rowCount() - 1).request.toStdString();
    }

    FakeEngine engine;
    widgets::Theme theme;
    models::Models models;
    client::EngineClient client;
    panels::ChatPanel panel{{theme, models, client}};
};

QAbstractButton* button(QWidget& root, const QString& name) {
    for (auto* candidate : root.findChildren<QAbstractButton*>()) {
        const bool named = candidate->text() == name || candidate->accessibleName() == name;
        if (named && candidate->isVisible())
            return candidate;
    }
    return nullptr;
}

}  // namespace

class ChatPanelTest : public QObject {
    Q_OBJECT

private slots:
    void cannotSendBeforeTheModelIsLoaded() {
        Bench bench(false);
        QTRY_VERIFY(bench.client.isConnected());
        bench.panel.ask("hello");
        QCOMPARE(bench.models.chat.rowCount(), 0);
        auto* send = button(bench.panel, "Send");
        QVERIFY(send && !send->isEnabled());
        QCOMPARE(send->toolTip(), QString("Waits for Load"));
        saveScreenshot(bench.panel, "chat-waiting");
    }

    void showsALongConversationInBothThemes() {
        Bench bench(true);
        protocol::ChatRequest request;
        request.request = "r";
        request.messages = {
            {"system", "You are a careful observer. Answer in one or two sentences."},
            {"user", "What stands on the table, from left to right? How many are round?"}};
        bench.models.chat.ask(request);
        bench.models.applyChatStarted(
            started("r", "<|im_start|>user\nWhat …<|im_end|>", {1, 2, 3, 4}));
        protocol::ChatDelta delta;
        delta.request = "r";
        for (const char* word :
             {"A",     " green", " triangle", ", a", " red",   " ball",   ", a",
              " blue", " box",   " and",      " a",  " tall",  " yellow", " block",
              ".",     " Only",  " one",      " is", " round", "."}) {
            delta.tokens.push_back(token(7, word, delta.tokens.size() % 5 == 0 ? -1.0 : -0.02));
            delta.text += word;
        }
        bench.models.applyChatDelta(delta);
        bench.models.applyChatDone(stopped("r", delta.text, {0.31, 42, 0.023, 0.033, 0.9}));
        for (const auto choice : {widgets::ThemeChoice::Dark, widgets::ThemeChoice::Light}) {
            bench.theme.setChoice(choice);
            QVERIFY(QTest::qWaitForWindowExposed(&bench.panel));
            QCOMPARE(cutTexts(bench.panel), QStringList());
            QCOMPARE(namelessControls(bench.panel), QStringList());
            saveScreenshot(bench.panel,
                           choice == widgets::ThemeChoice::Dark ? "chat-dark" : "chat-light");
        }
        button(bench.panel, "Sampling and system prompt")->click();
        button(bench.panel, "Rendered prompt")->click();
        QTest::qWait(0);
        saveScreenshot(bench.panel, "chat-settings-light");
    }

    void sendsTheWholeConversationAndShowsTheAnswerGrow() {
        Bench bench(true);
        QTRY_VERIFY(bench.client.isConnected());
        bench.panel.ask("What is it?");
        QTRY_VERIFY(bench.sent(protocol::method::kChatSend));
        const auto request = protocol::decode<protocol::ChatRequest>(
            bench.sent(protocol::method::kChatSend)->params);
        QVERIFY(request);
        QCOMPARE(request->messages.size(), std::size_t(1));
        QCOMPARE(request->messages[0].content, std::string("What is it?"));
        QCOMPARE(request->sampling.temperature, 0.0);
        QVERIFY(button(bench.panel, "Stop the answer"));

        const std::string id = bench.asked();
        bench.engine.sendEvent(
            protocol::event::kChatDelta,
            protocol::ChatDelta{
                id, "A star", {token(5, "A", -0.05), token(6, " star", -1.4)}, {}, {}});
        QTRY_COMPARE(bench.models.chat.entry(1).text, QString("A star"));
        saveScreenshot(bench.panel, "chat-streaming");
        protocol::ChatDone done = stopped(id, "A star", {0.31, 42, 0.02, 0.03, 0.4});
        done.ids = {5, 6};
        bench.engine.sendEvent(protocol::event::kChatDone, done);
        QTRY_COMPARE(bench.models.chat.streamingRow(), -1);
        QVERIFY(button(bench.panel, "Send"));
        QVERIFY(models::ChatModel::summary(bench.models.chat.entry(1)).contains("42.0 tok/s"));

        bench.panel.ask("And then?");
        QTRY_COMPARE(
            protocol::decode<protocol::ChatRequest>(bench.sent(protocol::method::kChatSend)->params)
                ->messages.size(),
            std::size_t(3));
    }

    void stopCancelsTheRunningAnswer() {
        Bench bench(true);
        QTRY_VERIFY(bench.client.isConnected());
        bench.panel.ask("Count to a million");
        button(bench.panel, "Stop the answer")->click();
        QTRY_VERIFY(bench.sent(protocol::method::kChatCancel));
        QCOMPARE(bench.sent(protocol::method::kChatCancel)->params["request"].string(),
                 bench.asked());
    }

    void editTakesTheQuestionBackIntoTheComposer() {
        Bench bench(true);
        QTRY_VERIFY(bench.client.isConnected());
        bench.panel.ask("Frist question");
        bench.models.chat.applyDone(stopped(bench.asked(), "yes"));
        button(bench.panel, "Edit and ask again from here")->click();
        QCOMPARE(bench.models.chat.rowCount(), 0);
        QCOMPARE(bench.panel.findChild<panels::Composer*>()->text(), QString("Frist question"));
    }

    void ctrlEnterSends() {
        Bench bench(true);
        QTRY_VERIFY(bench.client.isConnected());
        auto* composer = bench.panel.findChild<panels::Composer*>();
        composer->setText("typed");
        auto* edit = composer->findChild<QPlainTextEdit*>();
        QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(bench.sent(protocol::method::kChatSend));
        QVERIFY(composer->text().isEmpty());
    }

    void aRefusalStandsAtTheAnswer() {
        Bench bench(true);
        bench.client.detach();
        bench.panel.ask("hello");
        QTRY_COMPARE(int(bench.models.chat.entry(1).state), int(models::ChatEntry::State::Failed));
        QVERIFY(!bench.models.chat.entry(1).error.isEmpty());
        QVERIFY(button(bench.panel, "Answer again"));
    }
};

}  // namespace fl::test

QTEST_MAIN(fl::test::ChatPanelTest)
#include "chat_panel_test.moc"
