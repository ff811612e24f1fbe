// SPDX-License-Identifier: GPL-3.0-or-later
// Panels at the size of a model with a trillion parameters, drawn offscreen: how long it takes
// until something is seen, and how long the window was kept from its event loop meanwhile.
//
// `slot_ms` is the longest block of the event loop, `p99_ms` the time of a picture that 1 of 100
// exceeds.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QImage>
#include <QSignalSpy>

#include "engine/protocol/codec.h"
#include "tests/ui/support/recorded.h"
#include "ui/client/engine_client.h"
#include "ui/client/loop_watchdog.h"
#include "ui/models/models.h"
#include "ui/panels/checkpoint/checkpoint_panel.h"
#include "ui/panels/placement/placement_map.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/theme_style.h"

namespace fl::test {
namespace {

// The shape of Kimi-K3: 93 layers, 92 of them with 896 experts of six tensors each, 96 files.
constexpr int kLayers = 93;
constexpr int kExperts = 896;
constexpr std::size_t kTensors = 497'220;
constexpr std::size_t kPage = 32768;  // as the window asks

std::vector<protocol::TensorRow> giantTensors() {
    std::vector<protocol::TensorRow> rows;
    rows.reserve(kTensors);
    const auto add = [&rows](const std::string& name, const char* dtype,
                             std::vector<std::int64_t> shape, std::int64_t bytes, const char* kind,
                             int layer) {
        rows.push_back(
            {name, dtype, std::move(shape), layer * 95 / kLayers, 0, bytes, "matched", kind});
    };
    for (int layer = 1; layer < kLayers; ++layer) {
        const std::string at = "language_model.model.layers." + std::to_string(layer) + ".";
        for (int expert = 0; expert < kExperts; ++expert) {
            const std::string of = at + "mlp.experts." + std::to_string(expert) + ".";
            for (const char* part : {"down_proj", "gate_proj", "up_proj"}) {
                add(of + part + ".weight_packed", "U8", {3584, 1536}, 5505024, "expert", layer);
                add(of + part + ".weight_scale", "F8_E8M0", {3584, 96}, 344064, "expert", layer);
            }
        }
    }
    for (int i = 0; rows.size() < kTensors; ++i)
        add("language_model.model.layers." + std::to_string(i % kLayers) + ".self_attn.part_" +
                std::to_string(i / kLayers) + ".weight",
            "BF16", {7168, 1536}, 22020096, "attention", i % kLayers);
    return rows;
}

// As they come over the socket.
const std::vector<std::string>& giantPages() {
    static const std::vector<std::string> pages = [] {
        std::vector<std::string> all;
        for (const protocol::TensorColumns& page : columnsOf(giantTensors(), kPage))
            all.push_back(protocol::encode(page).dump());
        return all;
    }();
    return pages;
}

const protocol::Census& giantCensus() {
    static const protocol::Census made = [] {
        protocol::Census census = kimiCensus();
        census.tensors = std::int64_t(kTensors);
        census.files = 96;
        census.contract.matched = census.tensors;
        return census;
    }();
    return made;
}

struct Bench {
    Bench() {
        widgets::applyTheme(*qApp, theme);
        panel =
            std::make_unique<panels::CheckpointPanel>(panels::PanelContext{theme, models, client});
        panel->resize(876, 800);
        panel->setVisible(true);
        QCoreApplication::processEvents();
    }

    // What the client does with the replies, each when the event loop comes to it.
    void open() {
        QSignalSpy ready(&models.tensorLoader, &models::TensorLoader::ready);
        models.applyCensus(giantCensus());
        const int number = models.tensorLoader.number();
        for (const std::string& wire : giantPages()) {
            QMetaObject::invokeMethod(
                &models,
                [this, number, &wire] {
                    const auto json = Json::parse(wire);
                    const auto read = protocol::decode<protocol::TensorColumns>(*json);
                    models.tensorLoader.add(number, *read);
                },
                Qt::QueuedConnection);
        }
        while (ready.isEmpty())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        panel->grab();
    }

    widgets::Theme theme;
    models::Models models;
    client::EngineClient client;
    std::unique_ptr<panels::CheckpointPanel> panel;
};

void openCensus(benchmark::State& state) {
    giantPages();
    giantCensus();
    double longest = 0;
    for (auto _ : state) {
        state.PauseTiming();
        Bench bench;
        client::LoopWatchdog watchdog;
        watchdog.start();
        state.ResumeTiming();
        bench.open();
        state.PauseTiming();
        QCoreApplication::processEvents();
        longest = std::max(longest, watchdog.longest());
        state.ResumeTiming();
    }
    state.counters["slot_ms"] = longest;
    state.counters["tensors"] = double(kTensors);
}
BENCHMARK(openCensus)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

void searchCensus(benchmark::State& state) {
    Bench bench;
    bench.open();
    client::LoopWatchdog watchdog;
    watchdog.start();
    QCoreApplication::processEvents();
    watchdog.reset();
    const char* const words[] = {"34 251", "layers down_proj", "self_attn", "nothing"};
    std::size_t next = 0;
    for (auto _ : state) {
        QSignalSpy searched(&bench.models.tensors, &models::TensorTreeModel::searched);
        bench.panel->search(QString::fromLatin1(words[next++ % std::size(words)]));
        while (searched.isEmpty())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        bench.panel->grab();
    }
    QCoreApplication::processEvents();
    state.counters["slot_ms"] = watchdog.longest();
    state.counters["hits"] = double(bench.models.tensors.hitCount());
}
BENCHMARK(searchCensus)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(20);

void chooseContract(benchmark::State& state) {
    Bench bench;
    bench.open();
    client::LoopWatchdog watchdog;
    watchdog.start();
    QCoreApplication::processEvents();
    watchdog.reset();
    for (auto _ : state) {
        QSignalSpy searched(&bench.models.tensors, &models::TensorTreeModel::searched);
        const bool all = !bench.models.tensors.contractState().isEmpty();
        bench.models.tensors.showContract(all ? QString() : QStringLiteral("matched"));
        while (searched.isEmpty())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        bench.panel->grab();
    }
    QCoreApplication::processEvents();
    state.counters["slot_ms"] = watchdog.longest();
}
BENCHMARK(chooseContract)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(6);

// `ranks` over `layers`, a pipeline of eight stages: what a map of that size looks like.
panels::PlacementGrid giantGrid(int ranks, int layers) {
    protocol::PlanInfo plan;
    plan.layers = layers;
    const int stages = 8;
    for (int rank = 0; rank < ranks; ++rank) {
        protocol::RankInfo info;
        info.rank = rank;
        info.node = "node-" + std::to_string(rank / 8);
        info.pp = rank * stages / ranks;
        info.firstLayer = layers * info.pp / stages;
        info.endLayer = layers * (info.pp + 1) / stages;
        for (int layer = info.firstLayer; layer < info.endLayer; ++layer)
            info.layerBytes.push_back(std::int64_t{1} << (20 + (layer * 7 + rank) % 10));
        info.embedBytes = info.pp == 0 ? 1 << 20 : 0;
        info.headBytes = info.pp == stages - 1 ? 1 << 20 : 0;
        plan.ranks.push_back(std::move(info));
    }
    return panels::placementGrid(plan, nullptr, panels::ColourBy::Bytes);
}

double p99(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times.empty() ? 0 : times[times.size() * 99 / 100];
}

constexpr QSize kMapSize(1100, 640);

void firstMap(benchmark::State& state) {
    widgets::Theme theme;
    widgets::applyTheme(*qApp, theme);
    const panels::PlacementGrid grid = giantGrid(int(state.range(0)), int(state.range(1)));
    QImage target(kMapSize, QImage::Format_RGB32);
    for (auto _ : state) {
        panels::PlacementMap map(theme);
        map.resize(kMapSize);
        map.setGrid(grid, panels::ColourBy::Bytes);
        map.render(&target);
    }
    state.counters["cells"] = double(grid.cells.size());
}
BENCHMARK(firstMap)->Args({256, 93})->Args({640, 93})->Unit(benchmark::kMillisecond);

// Zooms in and out and drags about, a picture each time.
void panAndZoom(benchmark::State& state) {
    widgets::Theme theme;
    widgets::applyTheme(*qApp, theme);
    const panels::PlacementGrid grid = giantGrid(int(state.range(0)), int(state.range(1)));
    panels::PlacementMap map(theme);
    map.resize(kMapSize);
    map.setGrid(grid, panels::ColourBy::Bytes);
    QImage target(kMapSize, QImage::Format_RGB32);
    std::vector<double> times;
    int step = 0;
    for (auto _ : state) {
        QElapsedTimer clock;
        clock.start();
        const QPoint about(100 + step * 37 % 900, 80 + step * 23 % 480);
        map.zoom(step % 40 < 20 ? 1.25 : 0.8, about);
        map.render(&target);
        times.push_back(double(clock.nsecsElapsed()) / 1e6);
        ++step;
    }
    state.counters["cells"] = double(grid.cells.size());
    state.counters["p99_ms"] = p99(times);
}
BENCHMARK(panAndZoom)
    ->Args({256, 93})
    ->Args({640, 93})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1000);

}  // namespace
}  // namespace fl::test

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
