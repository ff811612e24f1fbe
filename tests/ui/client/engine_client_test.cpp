// SPDX-License-Identifier: GPL-3.0-or-later
// The client against an engine inside the test: handshake, refusal, events, replies, garbage.
#include "ui/client/engine_client.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/ui/client/fake_engine.h"

using namespace fl;
using client::EngineClient;

class EngineClientTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesTheSnapshotOnAttaching();
    void refusesAnotherProtocol();
    void refusesWhereNobodyListens();
    void decodesEachEvent();
    void decodesEventsThatComeByteByByte();
    void pairsRepliesWithRequests();
    void failsRequestsWithoutAnEngine();
    void failsWaitingRequestsWhenTheEngineGoes();
    void endsOnGarbage();
    void attachesAgain();

private:
    static bool attached(EngineClient& client, test::FakeEngine& engine);
};

bool EngineClientTest::attached(EngineClient& client, test::FakeEngine& engine) {
    QSignalSpy connected(&client, &EngineClient::connected);
    client.attach(engine.path());
    return connected.wait(5000);
}

void EngineClientTest::takesTheSnapshotOnAttaching() {
    test::FakeEngine engine;
    engine.snapshot.settings.job = "smol";
    engine.snapshot.openedAt = 12.5;
    EngineClient client;
    QVERIFY(attached(client, engine));
    QVERIFY(client.isConnected());
    QCOMPARE(client.snapshot().settings.job, std::string("smol"));
    QCOMPARE(engine.requests.front().method, std::string("hello"));
}

void EngineClientTest::refusesAnotherProtocol() {
    test::FakeEngine engine;
    engine.snapshot.protocol = protocol::kProtocolVersion + 1;
    EngineClient client;
    QSignalSpy refused(&client, &EngineClient::refused);
    client.attach(engine.path());
    QVERIFY(refused.wait(5000));
    const auto error = refused.front().front().value<fl::Error>();
    QVERIFY(error.message.find("speaks protocol") != std::string::npos);
    QVERIFY(!client.isConnected());
}

void EngineClientTest::refusesWhereNobodyListens() {
    EngineClient client;
    QSignalSpy refused(&client, &EngineClient::refused);
    client.attach("/nonexistent/firstlight.sock");
    QTRY_COMPARE(refused.count(), 1);
}

void EngineClientTest::decodesEachEvent() {
    test::FakeEngine engine;
    EngineClient client;
    QVERIFY(attached(client, engine));
    QSignalSpy stages(&client, &EngineClient::stageChanged);
    QSignalSpy lost(&client, &EngineClient::rankLost);
    QSignalSpy lines(&client, &EngineClient::logLine);
    protocol::StageState stage;
    stage.stage = "load";
    stage.progress = 0.64;
    engine.sendEvent(protocol::event::kStageChanged, stage);
    protocol::RankLost gone;
    gone.rank = 13;
    engine.sendEvent(protocol::event::kRankLost, gone);
    engine.sendEvent(protocol::event::kLogLine, protocol::LogLine{});
    QTRY_COMPARE(lines.count(), 1);
    QCOMPARE(stages.count(), 1);
    QCOMPARE(lost.count(), 1);
}

void EngineClientTest::decodesEventsThatComeByteByByte() {
    test::FakeEngine engine;
    EngineClient client;
    QVERIFY(attached(client, engine));
    QSignalSpy deltas(&client, &EngineClient::chatDelta);
    QObject::connect(&client, &EngineClient::chatDelta, &client,
                     [](const auto& delta) { QCOMPARE(delta.text, std::string("Pariß")); });
    protocol::EventList events;
    protocol::ChatDelta delta;
    delta.text = "Pariß";
    events.list.push_back({std::string(protocol::event::kChatDelta), protocol::encode(delta)});
    for (const char byte :
         protocol::frameNotification(protocol::event::kEvents, protocol::encode(events))) {
        engine.send(std::string(1, byte));
        QCoreApplication::processEvents();
    }
    QTRY_COMPARE(deltas.count(), 1);
}

void EngineClientTest::pairsRepliesWithRequests() {
    test::FakeEngine engine;
    engine.answer = [](const protocol::RpcMessage& message) {
        return Json::object().set("total", message.params["offset"]);
    };
    EngineClient client;
    QVERIFY(attached(client, engine));
    std::vector<std::int64_t> totals;
    for (const std::int64_t offset : {7, 8}) {
        protocol::TensorsRequest request;
        request.offset = offset;
        client.send(protocol::method::kTensors, request)
            ->then<protocol::TensorsReply>(
                this, [&totals](const auto& reply) { totals.push_back(reply.total); },
                [](const fl::Error& error) { QFAIL(error.message.c_str()); });
    }
    QTRY_COMPARE(totals.size(), std::size_t(2));
    QCOMPARE(totals[0], 7);
    QCOMPARE(totals[1], 8);
}

void EngineClientTest::failsRequestsWithoutAnEngine() {
    EngineClient client;
    QSignalSpy failed(client.request(protocol::method::kJobStop), &client::Reply::failed);
    QVERIFY(failed.wait(5000));
}

void EngineClientTest::failsWaitingRequestsWhenTheEngineGoes() {
    auto engine = std::make_unique<test::FakeEngine>();
    EngineClient client;
    QVERIFY(attached(client, *engine));
    QSignalSpy gone(&client, &EngineClient::disconnected);
    QSignalSpy failed(client.request(protocol::method::kJobStop), &client::Reply::failed);
    engine.reset();
    QTRY_COMPARE(gone.count(), 1);
    QCOMPARE(failed.count(), 1);
    QVERIFY(!client.isConnected());
}

void EngineClientTest::endsOnGarbage() {
    test::FakeEngine engine;
    EngineClient client;
    QVERIFY(attached(client, engine));
    QSignalSpy gone(&client, &EngineClient::disconnected);
    engine.send("Content-Length: 99999999999\r\n\r\n");
    QTRY_COMPARE(gone.count(), 1);
}

void EngineClientTest::attachesAgain() {
    test::FakeEngine first;
    test::FakeEngine second;
    second.snapshot.settings.job = "second";
    EngineClient client;
    QVERIFY(attached(client, first));
    QVERIFY(attached(client, second));
    QCOMPARE(client.snapshot().settings.job, std::string("second"));
}

QTEST_GUILESS_MAIN(EngineClientTest)
#include "engine_client_test.moc"
