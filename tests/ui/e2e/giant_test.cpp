// SPDX-License-Identifier: GPL-3.0-or-later
// Inspect and plan with a model of twenty thousand tensors on a cluster that is only a description:
// no rank runs. A broken checkpoint shows what its contract lacks, one of an architecture that
// nobody knows gets a recipe; a whole one is searched, cut in other ways, into a violated rule and
// back, committed, kept and compared.
//
// FIRSTLIGHT_GIANT names a checkpoint of which pictures are made too, on 256 cards.
#include <csignal>
#include <memory>

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "tests/ui/support/own_folders.h"
#include "tests/ui/support/screenshot.h"
#include "tests/ui/support/sparse_checkpoint.h"
#include "ui/client/engine_client.h"
#include "ui/client/loop_watchdog.h"
#include "ui/models/models.h"
#include "ui/panels/checkpoint/checkpoint_panel.h"
#include "ui/panels/checkpoint/histogram_view.h"
#include "ui/panels/checkpoint/recipe_writer.h"
#include "ui/panels/checkpoint/tensor_detail.h"
#include "ui/panels/placement/cell_view.h"
#include "ui/panels/placement/compare_view.h"
#include "ui/panels/placement/placement_map.h"
#include "ui/panels/placement/placement_panel.h"
#include "ui/panels/placement/plans_page.h"
#include "ui/panels/placement/what_if.h"
#include "ui/shell/actions.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"
#include "ui/shell/wiring.h"
#include "ui/shell/workspace.h"
#include "ui/widgets/button.h"
#include "ui/widgets/hover_card.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/theme_style.h"

using namespace fl;
using panels::PlacementPanel;
using widgets::ThemeChoice;

namespace {

constexpr int kPatience = 60'000;  // of every wait, in milliseconds
constexpr const char* kCluster = "/../../resources/clusters/lab-4x8.json";  // of the test data

struct Workbench {
    Workbench(widgets::Theme& theme, const QString& settingsFile) : settings(settingsFile) {
        shell::wire(client, models);
        window = std::make_unique<shell::MainWindow>(
            shell::WindowParts{theme, models, client, settings, panels::panelList(), {}});
        window->resize(1440, 900);
        window->show();
    }
    template <class T>
    T& panel(const char* id) const {
        window->workspace().showPanel(QString::fromLatin1(id));
        return *qobject_cast<T*>(window->workspace().panel(QString::fromLatin1(id)));
    }
    QString stage(const char* name) const { return models.stages.stateOf(QLatin1String(name)); }

    client::EngineClient client;
    models::Models models;
    shell::Settings settings;
    std::unique_ptr<shell::MainWindow> window;
};

}  // namespace

class GiantTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void listsWhatTheContractLacks();
    void writesARecipeForAnUnknownArchitecture();
    void opensAndSearches();
    void countsTheValuesOfATensor();
    void showsItsPlacement();
    void looksIntoOneCell();
    void goesIntoAViolationAndBack();
    void commitsAnotherCut();
    void savesAndCompares();
    void searchesAllPlans();
    void showsTheGiantAskedFor();
    void leavesNothingBehind();
    void cleanupTestCase();

private:
    QString path(const char* name) const { return folder_.filePath(name); }
    void open(const char* name, const QString& until);
    void picture(const QString& moment);
    void openOneCell(int layer, int column);
    void pictureCheckpoint();
    void picturePlacement();
    void pictureTopology();
    panels::WhatIf& whatIf() const {
        return *bench_->panel<PlacementPanel>("placement").findChild<panels::WhatIf*>();
    }

    QTemporaryDir folder_{QDir::tempPath() + "/fl-giant-XXXXXX"};
    widgets::Theme theme_;
    std::unique_ptr<Workbench> bench_;
    test::SparseModel model_;
};

void GiantTest::initTestCase() {
    QVERIFY(test::useFoldersBelow(folder_.path()));
    const QString like = qEnvironmentVariable("FIRSTLIGHT_TEST_DATA") + "/models/tiny-qwen3-moe";
    QVERIFY(test::writeSparseModel(model_, like, path("whole")));
    test::SparseModel broken = model_;
    broken.layers = 4;
    broken.files = 2;
    broken.leaveOneOut = broken.addOne = true;
    QVERIFY(test::writeSparseModel(broken, like, path("broken")));
    test::SparseModel unknown = broken;
    unknown.leaveOneOut = unknown.addOne = false;
    unknown.type = "nova";
    QVERIFY(test::writeSparseModel(unknown, like, path("unknown")));
    widgets::applyTheme(*qApp, theme_);
    bench_ = std::make_unique<Workbench>(theme_, path("workbench.ini"));
}

void GiantTest::open(const char* name, const QString& until) {
    protocol::JobSettings settings;
    settings.job = "giant";
    settings.checkpoint = path(name).toStdString();
    settings.cluster = (qEnvironmentVariable("FIRSTLIGHT_TEST_DATA") + kCluster).toStdString();
    settings.maxContext = 32768;
    bench_->window->openJob(settings, until);
}

void GiantTest::picture(const QString& moment) {
    for (const bool dark : {false, true}) {
        theme_.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        QTest::qWait(120);
        QPixmap shot = bench_->window->grab();
        QPainter painter(&shot);
        for (auto* card : bench_->window->findChildren<widgets::HoverCard*>()) {
            if (card->isVisible())
                painter.drawPixmap(bench_->window->mapFromGlobal(card->pos()), card->grab());
        }
        painter.end();
        const QString theme = dark ? "-dark" : "-light";
        QVERIFY(shot.save(test::screenshotFile("giant-" + moment + theme)));
    }
}

void GiantTest::listsWhatTheContractLacks() {
    open("broken", "plan");
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("inspect"), "failed", kPatience);
    models::TensorTreeModel& tensors = bench_->models.tensors;
    QTRY_VERIFY_WITH_TIMEOUT(tensors.table().size() > 0, kPatience);
    bench_->panel<panels::CheckpointPanel>("checkpoint");
    tensors.showContract("missing");
    QTRY_COMPARE_WITH_TIMEOUT(tensors.contractState(), "missing", kPatience);
    QCOMPARE(tensors.table().size(), std::size_t(1));
    QCOMPARE(tensors.table().name(0), std::string_view("model.layers.3.self_attn.o_proj.weight"));
    picture("contract-missing");
    tensors.showContract("unexpected");
    QTRY_COMPARE_WITH_TIMEOUT(tensors.contractState(), "unexpected", kPatience);
    QCOMPARE(tensors.table().name(0), std::string_view("model.layers.3.self_attn.sinks"));
}

// From "no recipe knows it" to a contract that is whole, without a word on the command line.
void GiantTest::writesARecipeForAnUnknownArchitecture() {
    open("unknown", "plan");
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("inspect"), "failed", kPatience);
    auto& panel = bench_->panel<panels::CheckpointPanel>("checkpoint");
    auto* strip = panel.findChild<widgets::MessageStrip*>();
    QTRY_COMPARE_WITH_TIMEOUT(strip->sentence(), "No recipe knows this architecture", kPatience);
    picture("unknown-architecture");
    auto* writer = panel.findChild<panels::RecipeWriter*>();
    writer->write(path("nova.lua"));
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("inspect"), "passed", kPatience);
    QVERIFY(writer->draft() != nullptr);
    QCOMPARE(writer->draft()->nearest, std::string("qwen3_moe"));
    QCOMPARE(bench_->models.census.census().recipe, std::string("nova"));
    QCOMPARE(bench_->models.census.census().contract.missing, 0);
    QTRY_VERIFY_WITH_TIMEOUT(bench_->models.tensors.table().size() > 0, kPatience);
    picture("own-recipe");
    QFile recipe(path("nova.lua"));
    QVERIFY(recipe.open(QIODevice::ReadOnly));
    const QByteArray good = recipe.readAll();
    recipe.close();
    // Saved with a fault, then without: the contract follows.
    QVERIFY(recipe.open(QIODevice::WriteOnly | QIODevice::Truncate));
    recipe.write("return 1");
    recipe.close();
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("inspect"), "failed", kPatience);
    QVERIFY(recipe.open(QIODevice::WriteOnly | QIODevice::Truncate));
    recipe.write(good);
    recipe.close();
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("inspect"), "passed", kPatience);
}

void GiantTest::opensAndSearches() {
    open("whole", "plan");
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("plan"), "passed", kPatience);
    models::TensorTreeModel& tensors = bench_->models.tensors;
    QCOMPARE(bench_->models.census.census().tensors, model_.tensors());
    QTRY_COMPARE_WITH_TIMEOUT(int(tensors.table().size()), model_.tensors(), kPatience);
    auto& panel = bench_->panel<panels::CheckpointPanel>("checkpoint");
    QTest::keyClicks(panel.findChild<QLineEdit*>(), "34 101");
    QTRY_COMPARE_WITH_TIMEOUT(tensors.hitCount(), 3, kPatience);
    const QModelIndex shown = panel.findChild<QTreeView*>()->currentIndex();
    QCOMPARE(shown.data(models::TensorTreeModel::PathRole).toString(),
             "model.layers.34.mlp.experts.101.down_proj.weight");
    picture("checkpoint");
    tensors.showContract("matched");
    QTRY_COMPARE_WITH_TIMEOUT(tensors.contractState(), "matched", kPatience);
    QCOMPARE(int(tensors.table().size()), model_.tensors());
    tensors.showContract({});
    QTRY_COMPARE_WITH_TIMEOUT(tensors.contractState(), QString(), kPatience);
}

// Its file is a hole: all its values are zero, which is worth a warning.
void GiantTest::countsTheValuesOfATensor() {
    auto& panel = bench_->panel<panels::CheckpointPanel>("checkpoint");
    panel.reveal("model.layers.34.mlp.experts.101.up_proj.weight");
    auto* detail = panel.findChild<panels::TensorDetail*>();
    QVERIFY(detail->isVisible());
    detail->askHistogram();
    QTRY_VERIFY_WITH_TIMEOUT(detail->findChild<panels::HistogramView*>()->isVisible(), kPatience);
    picture("histogram");
}

void GiantTest::showsItsPlacement() {
    auto& panel = bench_->panel<PlacementPanel>("placement");
    const models::PlanModel& plan = bench_->models.plan;
    QTRY_VERIFY_WITH_TIMEOUT(plan.cells() != nullptr, kPatience);
    QCOMPARE(plan.cells()->layers, model_.layers);
    panel.setColourBy(panels::ColourBy::Kind);
    QVERIFY(!panel.findChild<panels::PlacementMap*>()->grid().categories.empty());
    picture("placement-kinds");
    panel.setColourBy(panels::ColourBy::Bytes);
}

void GiantTest::looksIntoOneCell() {
    openOneCell(34, 0);
    auto& panel = bench_->panel<PlacementPanel>("placement");
    const auto* cell = panel.findChild<panels::CellView*>();
    auto* map = panel.findChild<panels::PlacementMap*>();
    QVERIFY(!cell->parts().others.empty());
    std::int64_t bytes = 0;
    for (const protocol::SliceInfo& slice : cell->parts().slices)
        bytes += slice.bytes;
    QCOMPARE(bytes, map->grid().at(map->selected().x(), map->selected().y()).bytes);
    picture("placement-cell");
    map->fit();
}

void GiantTest::goesIntoAViolationAndBack() {
    const models::PlanModel& plan = bench_->models.plan;
    whatIf().setNumber("tp", 3);
    QTRY_VERIFY_WITH_TIMEOUT(plan.proposal() != nullptr, kPatience);
    QVERIFY(hasErrors(plan.proposal()->violations));
    QVERIFY(!plan.showsProposal());
    picture("placement-violation");
    whatIf().setNumber("tp", 4);
    whatIf().setNumber("pp", 8);
    whatIf().setNumber("ep", 4);
    whatIf().setNumber("dp", 1);
    QTRY_VERIFY_WITH_TIMEOUT(plan.showsProposal(), kPatience);
    QCOMPARE(plan.proposal()->mesh.tp, 4);
    QTRY_VERIFY_WITH_TIMEOUT(plan.cells() != nullptr, kPatience);
    picture("placement-proposal");
}

void GiantTest::commitsAnotherCut() {
    const models::PlanModel& plan = bench_->models.plan;
    QVERIFY(plan.plan().mesh.pp != 8 || plan.plan().mesh.tp != 4);
    auto* commit = whatIf().findChild<widgets::Button*>("commit");
    QTRY_VERIFY_WITH_TIMEOUT(commit->isEnabled(), kPatience);
    QTest::mouseClick(commit, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(plan.plan().mesh.tp == 4 && plan.plan().mesh.pp == 8, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(bench_->models.settings.tp, 4, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("plan"), "passed", kPatience);
}

void GiantTest::savesAndCompares() {
    auto& panel = bench_->panel<PlacementPanel>("placement");
    panel.showSide(PlacementPanel::Side::Plans);
    QLineEdit* name = nullptr;
    for (QLineEdit* field : panel.findChildren<QLineEdit*>()) {
        if (field->accessibleName() == "Name to keep the plan under")
            name = field;
    }
    QVERIFY(name);
    name->setText("eight-stages");
    QTest::keyClick(name, Qt::Key_Return);
    const models::SavedPlanModel& saved = bench_->models.savedPlans;
    QTRY_COMPARE_WITH_TIMEOUT(saved.rowCount(), 1, kPatience);
    picture("placement-plans");
    whatIf().setNumber("tp", 8);
    whatIf().setNumber("pp", 4);
    whatIf().setNumber("ep", 8);
    QTRY_VERIFY_WITH_TIMEOUT(bench_->models.plan.showsProposal(), kPatience);
    panel.showSide(PlacementPanel::Side::Compare);
    auto* compare = panel.findChild<panels::CompareView*>();
    compare->choose("Proposal", "eight-stages");
    QTRY_VERIFY_WITH_TIMEOUT(compare->model().rowCount() > 0, kPatience);
    QVERIFY(compare->model().differences() > 0);
    picture("placement-compare");
    bench_->window->workspace().showPanel("memory");
    bench_->window->workspace().showPanel("topology");
    picture("topology");
}

void GiantTest::searchesAllPlans() {
    auto& panel = bench_->panel<PlacementPanel>("placement");
    panel.showSide(PlacementPanel::Side::Plans);
    auto* page = panel.findChild<panels::PlansPage*>();
    const models::PlanModel& plan = bench_->models.plan;
    emit page->searchRequested();
    QTRY_VERIFY_WITH_TIMEOUT(plan.search() != nullptr && plan.search()->done, kPatience);
    QVERIFY(!plan.search()->cancelled);
    QVERIFY(plan.search()->legal > 0);
    QVERIFY(plan.rowCount() > 0);
    picture("placement-searched");
    emit page->searchRequested();
    emit page->searchCancelled();
    QTRY_VERIFY_WITH_TIMEOUT(plan.search() != nullptr && plan.search()->done, kPatience);
}

void GiantTest::openOneCell(int layer, int column) {
    auto& panel = bench_->panel<PlacementPanel>("placement");
    auto* map = panel.findChild<panels::PlacementMap*>();
    const int row = map->grid().rowOfLayer(layer);
    while (!map->grid().at(column, row).present)
        ++column;
    QTest::mouseClick(map, Qt::LeftButton, {}, map->cellRect(column, row).center());
    auto* cell = panel.findChild<panels::CellView*>();
    QTRY_VERIFY_WITH_TIMEOUT(cell->isVisible(), kPatience);
    QVERIFY(!cell->parts().experts.empty());
    const std::size_t middle = cell->parts().experts.size() / 2;
    cell->selectExpert(cell->parts().experts[middle].expert);
    map->zoom(3, map->cellRect(column, row).center());
    QTest::mouseMove(cell, cell->expertRect(middle).center());
}

void GiantTest::pictureCheckpoint() {
    auto& panel = bench_->panel<panels::CheckpointPanel>("checkpoint");
    picture("asked-checkpoint");
    panel.search("34 251 down");
    QTRY_VERIFY_WITH_TIMEOUT(bench_->models.tensors.hitCount() > 0, kPatience);
    auto* detail = panel.findChild<panels::TensorDetail*>();
    detail->askHistogram();
    QTRY_VERIFY_WITH_TIMEOUT(detail->findChild<panels::HistogramView*>()->isVisible(), kPatience);
    picture("asked-checkpoint-histogram");
}

void GiantTest::picturePlacement() {
    auto& panel = bench_->panel<PlacementPanel>("placement");
    QTRY_VERIFY_WITH_TIMEOUT(bench_->models.plan.cells() != nullptr, kPatience);
    panel.showSide(PlacementPanel::Side::Ledger);
    picture("asked-placement");
    panel.setColourBy(panels::ColourBy::Kind);
    picture("asked-placement-kinds");
    panel.setColourBy(panels::ColourBy::Bytes);
    openOneCell(34, 60);
    picture("asked-placement-expert");
    panel.findChild<panels::PlacementMap*>()->fit();
    emit panel.findChild<panels::PlansPage*>()->searchRequested();
    const models::PlanModel& plan = bench_->models.plan;
    QTRY_VERIFY_WITH_TIMEOUT(plan.search() != nullptr && plan.search()->done, kPatience);
    panel.showSide(PlacementPanel::Side::Plans);
    picture("asked-placement-plans");
    whatIf().setPlanned(plan.other(std::min(3, plan.rowCount() - 1)));
    QTRY_VERIFY_WITH_TIMEOUT(plan.showsProposal(), kPatience);
    panel.showSide(PlacementPanel::Side::Compare);
    panel.findChild<panels::CompareView*>()->choose("In use", "Proposal");
    picture("asked-placement-compare");
}

void GiantTest::pictureTopology() {
    bench_->panel<panels::Panel>("topology");
    const auto slow = bench_->models.topology.slowGroups();
    if (!slow.empty())
        bench_->models.selection.selectGroup(QString::fromStdString(slow.front()->name));
    picture("asked-topology");
}

void GiantTest::showsTheGiantAskedFor() {
    const QString folder = qEnvironmentVariable("FIRSTLIGHT_GIANT");
    if (folder.isEmpty())
        QSKIP("FIRSTLIGHT_GIANT names no checkpoint");
    // 256 cards of the largest example.
    QFile example(qEnvironmentVariable("FIRSTLIGHT_TEST_DATA") +
                  "/../../resources/clusters/superpod-128x8.json");
    QVERIFY(example.open(QIODevice::ReadOnly));
    QFile cluster(path("superpod-32x8.json"));
    QVERIFY(cluster.open(QIODevice::WriteOnly));
    cluster.write(
        example.readAll().replace("128x8", "32x8").replace("\"count\": 128", "\"count\": 32"));
    cluster.close();
    bench_->client.detach();
    protocol::JobSettings settings;
    settings.job = "giant";
    settings.checkpoint = folder.toStdString();
    settings.cluster = cluster.fileName().toStdString();
    bench_->window->openJob(settings, "plan");
    QTRY_VERIFY_WITH_TIMEOUT(
        bench_->stage("plan") == "passed" || bench_->stage("plan") == "warnings", kPatience);
    const models::TensorTreeModel& tensors = bench_->models.tensors;
    QTRY_COMPARE_WITH_TIMEOUT(std::int64_t(tensors.table().size()),
                              bench_->models.census.census().tensors, kPatience);
    bench_->window->workspace().setChartsHidden(true);
    pictureCheckpoint();
    picturePlacement();
    pictureTopology();
    bench_->window->workspace().setChartsHidden(false);
}

void GiantTest::leavesNothingBehind() {
    bench_->window->actions()[shell::Command::ShutDown]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!bench_->client.isConnected(), kPatience);
}

// Also after a step that failed.
void GiantTest::cleanupTestCase() {
    bench_.reset();
    const QByteArray mark = "XDG_RUNTIME_DIR=" + path("run").toLocal8Bit();
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile environment("/proc/" + pid + "/environ");
        if (environment.open(QIODevice::ReadOnly) &&
            environment.readAll().split('\0').contains(mark) &&
            pid.toLongLong() != QCoreApplication::applicationPid())
            ::kill(pid.toInt(), SIGKILL);
    }
}

QTEST_MAIN(GiantTest)
#include "giant_test.moc"
