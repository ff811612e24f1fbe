// SPDX-License-Identifier: GPL-3.0-or-later
// The workbench as a program: it starts by itself, draws its first screen and ends; what it does
// not understand it refuses.
// Covers: app/workbench.cpp
#include <QElapsedTimer>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

class WorkbenchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void drawsItsFirstScreen_data();
    void drawsItsFirstScreen();
    void refusesUnknownOptions();
    void saysWhereItCannotWrite();

private:
    // Its exit code; −1 where it did not start or end.
    int run(const QStringList& arguments);

    QTemporaryDir folder_;
    QByteArray said_;
};

int WorkbenchTest::run(const QStringList& arguments) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}) {
        environment.insert(name, folder_.path());
    }
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QCoreApplication::applicationDirPath() + "/firstlight", arguments);
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit) {
        return -1;
    }
    said_ = process.readAll();
    return process.exitCode();
}

void WorkbenchTest::drawsItsFirstScreen_data() {
    QTest::addColumn<QString>("theme");
    QTest::newRow("dark") << "dark";
    QTest::newRow("light") << "light";
}

void WorkbenchTest::drawsItsFirstScreen() {
    QFETCH(QString, theme);
    const QString file = folder_.filePath(theme + ".png");
    QElapsedTimer clock;
    clock.start();
    const int code = run(
        {"--theme", theme, "--size", "1440x900", "--screenshot", file, "--screenshot-after", "0"});
    qInfo("started, drawn and ended within %lld ms", clock.elapsed());
    QVERIFY2(code == 0, said_);
    const QImage picture(file);
    QCOMPARE(picture.size(), QSize(1440, 900));
    const bool isDark = picture.pixelColor(picture.width() / 2, 200).lightness() < 128;
    QCOMPARE(isDark, theme == "dark");
}

void WorkbenchTest::refusesUnknownOptions() {
    QVERIFY(run({"--tpp", "3"}) > 0);
    QVERIFY2(said_.contains("tpp"), said_);
}

void WorkbenchTest::saysWhereItCannotWrite() {
    const QString file = folder_.filePath("no/such/folder.png");
    QCOMPARE(run({"--screenshot", file, "--screenshot-after", "0"}), 3);
    QVERIFY2(said_.contains(file.toUtf8()), said_);
}

QTEST_MAIN(WorkbenchTest)
#include "workbench_test.moc"
