// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/finding_model.h"

#include <algorithm>

#include "ui/models/text.h"

namespace fl::models {

namespace {

bool sameButPlace(const fl::Finding& a, const fl::Finding& b) {
    return a.code == b.code && a.severity == b.severity && a.stage == b.stage &&
           a.message == b.message && a.rank == b.rank;
}

QString evidence(const fl::Finding& finding) {
    QStringList parts;
    if (!finding.file.empty())
        parts << shown(finding.file);
    if (!finding.tensor.empty())
        parts << shown(finding.tensor);
    if (!finding.key.empty())
        parts << shown(finding.key);
    if (!finding.expected.empty())
        parts << FindingModel::tr("expected %1").arg(shown(finding.expected));
    if (!finding.found.empty())
        parts << FindingModel::tr("found %1").arg(shown(finding.found));
    return parts.join(QStringLiteral(", "));
}

QString place(const fl::Finding& finding) {
    if (finding.count > 1)
        return FindingModel::tr("%1 ×").arg(countText(finding.count));
    if (finding.rank >= 0)
        return QStringLiteral("r%1").arg(finding.rank);
    return {};
}

QString severityWord(fl::Severity severity) {
    if (severity == fl::Severity::Error)
        return QStringLiteral("error");
    return severity == fl::Severity::Warning ? QStringLiteral("warning") : QStringLiteral("note");
}

}  // namespace

int FindingModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(findings_.size());
}

QVariant FindingModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const fl::Finding& finding = findings_[std::size_t(index.row())];
    const QString proof = evidence(finding);
    switch (role) {
        case Qt::DisplayRole:
            return shown(finding.message);
        case Qt::AccessibleTextRole:
            return tr("%1: %2").arg(severityWord(finding.severity), shown(finding.message));
        case CodeRole:
            return qt(finding.code);
        case SeverityRole:
            return severityWord(finding.severity);
        case StageRole:
            return qt(finding.stage);
        case EvidenceRole:
            return proof;
        case RemedyRole:
            return qt(finding.remedy);
        case DetailRole:
            return proof.isEmpty() || finding.remedy.empty()
                       ? proof + qt(finding.remedy)
                       : proof + QStringLiteral(". ") + qt(finding.remedy);
        case PlaceRole:
            return place(finding);
        case RankRole:
            return finding.rank;
        case TensorRole:
            return qt(finding.tensor);
        case CountRole:
            return qlonglong(finding.count);
        default:
            return {};
    }
}

int FindingModel::count(fl::Severity severity) const {
    return int(std::count_if(findings_.begin(), findings_.end(),
                             [=](const fl::Finding& f) { return f.severity == severity; }));
}

QString FindingModel::asText(int row) const {
    QStringList lines;
    for (int i = 0; i < rowCount(); ++i) {
        if (row < 0 || row == i)
            lines << qt(fl::text(findings_[std::size_t(i)]));
    }
    return lines.join(QLatin1Char('\n'));
}

void FindingModel::add(const fl::Finding& finding) {
    for (std::size_t row = 0; row < findings_.size(); ++row) {
        fl::Finding& known = findings_[row];
        if (!sameButPlace(known, finding))
            continue;
        known.count += finding.count;
        if (!finding.tensor.empty() && known.examples.size() < 5)
            known.examples.push_back(finding.tensor);
        emit dataChanged(index(int(row)), index(int(row)));
        emit changed();
        return;
    }
    // Behind all that are as bad, so that the first one stays the first.
    const auto after = std::find_if(findings_.begin(), findings_.end(), [&](const fl::Finding& f) {
        return f.severity < finding.severity;
    });
    const int row = int(after - findings_.begin());
    beginInsertRows({}, row, row);
    findings_.insert(after, finding);
    endInsertRows();
    emit changed();
}

void FindingModel::setAll(const std::vector<fl::Finding>& findings) {
    beginResetModel();
    findings_ = findings;
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const auto& a, const auto& b) { return a.severity > b.severity; });
    endResetModel();
    emit changed();
}

void FindingModel::forgetStage(const QString& stage) {
    const std::string gone = stage.toStdString();
    const auto isGone = [&](const fl::Finding& f) { return f.stage == gone; };
    if (std::none_of(findings_.begin(), findings_.end(), isGone))
        return;
    beginResetModel();
    findings_.erase(std::remove_if(findings_.begin(), findings_.end(), isGone), findings_.end());
    endResetModel();
    emit changed();
}

void FindingModel::reset() {
    beginResetModel();
    findings_.clear();
    endResetModel();
    emit changed();
}

}  // namespace fl::models
