// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/stage_text.h"

#include <QCoreApplication>
#include <QTest>
#include <QTranslator>

#include "tests/ui/models/tests.h"

namespace fl::test {

using fl::models::stageText;

namespace {

// Marks what was translated.
class Marked : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* text, const char*, int) const override {
        return qstrcmp(context, "StageText") == 0
                   ? QStringLiteral("⟨%1⟩").arg(QString::fromUtf8(text))
                   : QString();
    }
};

}  // namespace

class StageTextTest : public QObject {
    Q_OBJECT

private slots:
    void keepsEnglishAsItIs() {
        for (const char* said :
             {"272 tensors in 1 shard", "208,550 tensors in 64 shards", "Fits: 172 MiB of 512 MiB",
              "6 ranks in 1.30 s", "1 rank in 0.62 s", "121 MiB in 0.41 s", "3 of 3 cases agree",
              "TTFT 20.3 ms, 1,676 tok/s", "rank 1 died: signal 9 (SIGKILL)", "case 100 %1",
              "64 %, 3.43 GiB/s", "something new"})
            QCOMPARE(stageText(said), QString::fromUtf8(said));
    }
    void translatesWhatTheEngineEndsStagesWith() {
        Marked marked;
        QCoreApplication::installTranslator(&marked);
        for (const char* said :
             {"272 tensors in 1 shard", "208,550 tensors in 64 shards", "Fits: 172 MiB of 512 MiB",
              "6 ranks in 1 min 04 s", "1 rank in 0.62 s", "121 MiB in 0.41 s", "178 B in 2.00 ms",
              "3 of 3 cases agree", "TTFT 20.3 ms, 1,676 tok/s", "rank 1 died: signal 9 (SIGKILL)",
              "an earlier stage ran again", "cancelled"})
            QCOMPARE(stageText(said), QStringLiteral("⟨%1⟩").arg(QString::fromUtf8(said)));
        QCOMPARE(stageText("64 %, 3.43 GiB/s"), QStringLiteral("64 %, 3.43 GiB/s"));
        QCoreApplication::removeTranslator(&marked);
    }
};

std::unique_ptr<QObject> stageTextTest() {
    return std::make_unique<StageTextTest>();
}

}  // namespace fl::test

#include "stage_text_test.moc"
