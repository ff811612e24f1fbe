// SPDX-License-Identifier: GPL-3.0-or-later
// The workbench's end of the connection to one engine: requests out, replies and facts back as
// signals. Lives in the UI thread and never waits.
#pragma once

#include <memory>

#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>

#include "engine/protocol/framing.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/names.h"
#include "engine/protocol/rpc.h"
#include "ui/client/reply.h"

class QLocalSocket;

namespace fl::client {

enum class Connection { None, Connecting, Connected };

class EngineClient : public QObject {
    Q_OBJECT

public:
    explicit EngineClient(QObject* parent = nullptr);
    ~EngineClient() override;

    // Connects to the engine behind this socket and says hello. Then connected() or refused().
    // An earlier connection is dropped first; the engine behind it goes on.
    void attach(const QString& socketPath);
    void detach();

    Connection connection() const { return connection_; }
    bool isConnected() const { return connection_ == Connection::Connected; }
    QString socketPath() const { return socketPath_; }
    // What the engine knew when we came; kept as it was then.
    const protocol::Snapshot& snapshot() const { return snapshot_; }

    // Sends a request. The reply fails at once (from the event loop) if there is no connection.
    Reply* request(std::string_view method, const fl::Json& params = {});
    template <class T>
    Reply* send(std::string_view method, const T& params) {
        return request(method, protocol::encode(params));
    }

Q_SIGNALS:
    // The handshake is done: take the whole state from the snapshot.
    void connected(const fl::protocol::Snapshot& snapshot);
    // No connection came about, or the engine speaks another protocol.
    void refused(const fl::Error& error);
    // The engine is gone, or sent what cannot be understood.
    void disconnected(const fl::Error& error);

    // Facts, one signal per event.
    void jobChanged(const fl::protocol::JobChanged& job);
    void settingsChanged(const fl::protocol::JobSettings& settings);
    void stageChanged(const fl::protocol::StageState& stage);
    void censusChanged(const fl::protocol::Census& census);
    void topologyChanged(const fl::protocol::Topology& topology);
    void planChanged(const fl::protocol::PlanInfo& plan);
    void planSearching(const fl::protocol::SearchProgress& progress);  // of any client's search
    void rankChanged(const fl::protocol::RankState& rank);
    void rankLost(const fl::protocol::RankLost& lost);
    void findingAdded(const fl::Finding& finding);
    void chatStarted(const fl::protocol::ChatRequest& request);
    void chatDelta(const fl::protocol::ChatDelta& delta);
    void chatDone(const fl::protocol::ChatDone& done);
    void logLine(const fl::protocol::LogLine& line);
    void loadProgress(const fl::protocol::LoadProgress& progress);
    void memorySampled(const fl::protocol::MemorySample& sample);
    void stepSampled(const fl::protocol::StepSample& sample);
    void samplesDropped(const fl::protocol::SamplesDropped& dropped);

private:
    void read();
    // Works through what was read, for one slice of the event loop's time or to its end.
    void takeMessages(bool all);
    void take(const protocol::RpcMessage& message);
    void takeEvents(const fl::Json& params);
    void takeEvent(const std::string& name, const fl::Json& data);
    void sayHello();
    void welcome(const fl::Json& result);
    void end(const fl::Error& error);
    template <class T>
    void emitDecoded(void (EngineClient::*signal)(const T&), const fl::Json& data);
    template <auto kSignal>
    static void emitAs(EngineClient& self, const fl::Json& data);

    std::unique_ptr<QLocalSocket> socket_;
    std::unique_ptr<protocol::FrameReader> reader_;
    QTimer later_;  // for what a slice left over
    QHash<qint64, Reply*> pending_;
    qint64 nextId_ = 1;
    Connection connection_ = Connection::None;
    QString socketPath_;
    protocol::Snapshot snapshot_;
};

}  // namespace fl::client
