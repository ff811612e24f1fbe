// SPDX-License-Identifier: GPL-3.0-or-later
// Settings survive, keep each model once, and drop layouts of other versions.
#include "ui/shell/settings.h"

#include <QElapsedTimer>
#include <QLockFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fl;
using shell::RecentModel;
using shell::Settings;

class SettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void startsWithTheDefaults();
    void keepsChoices();
    void remembersEachModelOnce();
    void forgetsLayouts();
    void waitsForNoDisk();

private:
    QString path() { return folder_.filePath(QString("%1.ini").arg(++number_)); }
    QTemporaryDir folder_;
    int number_ = 0;
};

void SettingsTest::startsWithTheDefaults() {
    Settings settings(path());
    QCOMPARE(settings.theme(), widgets::ThemeChoice::Desktop);
    QCOMPARE(settings.scale(), 1.0);
    QCOMPARE(settings.cluster(), "local");
    QVERIFY(settings.recent().empty());
}

void SettingsTest::keepsChoices() {
    const QString file = path();
    {
        Settings settings(file);
        settings.setTheme(widgets::ThemeChoice::Light);
        settings.setCluster("cpu:cards=6");
        settings.setScale(1.25);
    }
    Settings settings(file);
    QCOMPARE(settings.theme(), widgets::ThemeChoice::Light);
    QCOMPARE(settings.cluster(), "cpu:cards=6");
    QCOMPARE(settings.scale(), 1.25);
}

void SettingsTest::remembersEachModelOnce() {
    Settings settings(path());
    for (int i = 0; i < 20; ++i) {
        RecentModel model;
        model.checkpoint = QString("/models/%1").arg(i % 15);
        model.name = QString::number(i);
        settings.remember(model);
    }
    const auto recent = settings.recent();
    QCOMPARE(int(recent.size()), 12);
    QCOMPARE(recent.front().name, "19");
    QCOMPARE(recent.front().checkpoint, "/models/4");
}

void SettingsTest::forgetsLayouts() {
    Settings settings(path());
    settings.setLayout("workspace", "state");
    QCOMPARE(settings.layout("workspace"), QByteArray("state"));
    settings.forgetLayout();
    QVERIFY(settings.layout("workspace").isEmpty());
}

// Another window holds the file: what this one remembers is written once it lets go.
void SettingsTest::waitsForNoDisk() {
    const QString file = path();
    QLockFile other(file + ".lock");
    QVERIFY(other.lock());
    {
        Settings settings(file);
        QElapsedTimer clock;
        clock.start();
        settings.setCluster("cpu:cards=6");
        settings.remember({"/models/a", "a", {}, {}, "passed", {}, {}});
        QTest::qWait(1);
        QVERIFY2(clock.elapsed() < 1000, "it waited for the file");
        QCOMPARE(settings.recent().size(), 1U);
        other.unlock();
    }
    const Settings written(file);
    QCOMPARE(written.cluster(), "cpu:cards=6");
    QCOMPARE(written.recent().size(), 1U);
}

QTEST_GUILESS_MAIN(SettingsTest)
#include "settings_test.moc"
