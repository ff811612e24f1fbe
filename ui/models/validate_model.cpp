// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/validate_model.h"

#include <algorithm>
#include <map>
#include <optional>

#include <QRegularExpression>

#include "ui/models/text.h"

namespace fl::models {

namespace {

// Text and ids agree or they do not: there is no distance.
bool isEquality(const protocol::Rung& rung) {
    return rung.tolerance <= 0;
}

struct LayerRung {
    int layer = 0;
    QString part;  // empty, attn, mlp
};

std::optional<LayerRung> layerRung(const std::string& name) {
    static const QRegularExpression kForm(QStringLiteral("^layer\\.(\\d+)(?:\\.(\\w+))?$"));
    const auto match = kForm.match(qt(name));
    if (!match.hasMatch())
        return std::nullopt;
    return LayerRung{match.captured(1).toInt(), match.captured(2)};
}

}  // namespace

QString ValidateModel::errorText(double error) {
    if (error == 0)
        return QStringLiteral("0");
    QString text = QString::number(error, 'e', 1);
    static const QRegularExpression kZeros(QStringLiteral("e([+-])0+(?=\\d)"));
    return text.replace(kZeros, QStringLiteral("e\\1")).remove(QLatin1Char('+'));
}

QString ValidateModel::rungText(const QString& rung) {
    const std::pair<const char*, QString> names[] = {{"prompt", tr("Template")},
                                                     {"input_ids", tr("Prompt to ids")},
                                                     {"position_ids", tr("Positions")},
                                                     {"pixel_values", tr("Image processor")},
                                                     {"image_features", tr("Image features")},
                                                     {"embed", tr("Embeddings")},
                                                     {"final_norm", tr("Final norm")},
                                                     {"logits", tr("Logits")},
                                                     {"greedy", tr("Greedy continuation")}};
    for (const auto& [key, name] : names) {
        if (rung == QLatin1String(key))
            return name;
    }
    const auto layer = layerRung(rung.toStdString());
    if (!layer)
        return rung;
    if (layer->part.isEmpty())
        return tr("Layer %1").arg(layer->layer);
    return layer->part == QLatin1String("attn") ? tr("Layer %1, token mixer").arg(layer->layer)
           : layer->part == QLatin1String("mlp")
               ? tr("Layer %1, MLP").arg(layer->layer)
               : tr("Layer %1, %2").arg(layer->layer).arg(layer->part);
}

int ValidateModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

void ValidateModel::buildRows() {
    rows_.clear();
    const auto& rungs = empty() ? std::vector<protocol::Rung>() : result().rungs;
    const int failure = firstFailure();
    const auto bad = failure < 0 ? std::nullopt : layerRung(rungs[std::size_t(failure)].name);
    const int badLayer = bad ? bad->layer : -1;
    int open = 0;  // side of the failing layer on which the last row's layers lie; 0: no layers
    for (int i = 0; i < int(rungs.size()); ++i) {
        const auto layer = layerRung(rungs[std::size_t(i)].name);
        const int side = !layer || layer->layer == badLayer        ? 0
                         : badLayer < 0 || layer->layer < badLayer ? -1
                                                                   : 1;
        if (side != 0 && side == open)
            rows_.back().last = i;
        else
            rows_.push_back({i, i});
        open = side;
    }
}

int ValidateModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

int ValidateModel::firstFailure() const {
    const auto& rungs = result().rungs;
    const auto found = std::find_if(rungs.begin(), rungs.end(),
                                    [](const auto& rung) { return rung.verdict == "fail"; });
    return found == rungs.end() ? -1 : int(found - rungs.begin());
}

int ValidateModel::firstFailedRow() const {
    const int failure = firstFailure();
    const auto found = std::find_if(rows_.begin(), rows_.end(),
                                    [&](const Row& row) { return row.last >= failure; });
    return failure < 0 || found == rows_.end() ? -1 : int(found - rows_.begin());
}

QString ValidateModel::verdictOf(int index) const {
    const protocol::Rung& rung = result().rungs[std::size_t(index)];
    const int first = firstFailure();
    const bool inside = layerRung(rung.name).has_value() || rung.name == "final_norm";
    return first >= 0 && index > first && inside ? QStringLiteral("follows") : qt(rung.verdict);
}

QString ValidateModel::nameOf(const Row& row) const {
    const auto& rungs = result().rungs;
    const auto first = layerRung(rungs[std::size_t(row.first)].name);
    const auto last = layerRung(rungs[std::size_t(row.last)].name);
    if (row.first == row.last || !first || !last)
        return rungText(qt(rungs[std::size_t(row.first)].name));
    return first->layer == last->layer ? tr("Layer %1").arg(first->layer)
                                       : tr("Layers %1–%2").arg(first->layer).arg(last->layer);
}

// Of several: the worst.
QString ValidateModel::errorOf(const Row& row) const {
    const auto& rungs = result().rungs;
    if (isEquality(rungs[std::size_t(row.first)]))
        return rungs[std::size_t(row.first)].verdict == "pass" ? tr("equal") : tr("parts");
    double worst = 0;
    for (int i = row.first; i <= row.last; ++i)
        worst = std::max(worst, rungs[std::size_t(i)].error);
    return errorText(worst);
}

QVariant ValidateModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row& row = rows_[std::size_t(index.row())];
    const protocol::Rung& rung = result().rungs[std::size_t(row.first)];
    const QString verdict = verdictOf(row.first);
    switch (role) {
        case VerdictRole:
            return verdict;
        case RungRole:
            return qt(rung.name);
        case FirstFailureRole:
            return index.row() == firstFailedRow();
        case Qt::TextAlignmentRole:
            return index.column() == NameColumn ? QVariant()
                                                : QVariant(Qt::AlignRight | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            return rung.parted > 0
                       ? tr("%1 tokens are left out: they took another expert where two "
                            "were as good")
                             .arg(rung.parted)
                       : QVariant();
        case Qt::AccessibleTextRole:
            return tr("%1: %2").arg(nameOf(row), verdict);
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    if (index.column() == NameColumn)
        return nameOf(row);
    if (index.column() == ErrorColumn)
        return errorOf(row);
    if (verdict == QLatin1String("follows"))
        return tr("not judged");
    return isEquality(rung) ? QString() : QStringLiteral("≤ ") + errorText(rung.tolerance);
}

QVariant ValidateModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section != NameColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Rung"), tr("Error"), tr("Limit")};
    return section >= 0 && section < ColumnCount ? titles[section] : QString();
}

QStringList ValidateModel::caseNames() const {
    const bool several =
        std::any_of(cases_.begin(), cases_.end(), [](const auto& one) { return one.replica > 0; });
    QStringList names;
    for (const protocol::CaseResult& one : cases_)
        names << (several ? tr("%1, replica %2").arg(shown(one.name)).arg(one.replica)
                          : shown(one.name));
    return names;
}

int ValidateModel::failedCases() const {
    return int(std::count_if(cases_.begin(), cases_.end(),
                             [](const auto& one) { return one.verdict == "fail"; }));
}

void ValidateModel::choose(int row) {
    if (row < 0 || row >= int(cases_.size()) || row == chosen_)
        return;
    beginResetModel();
    chosen_ = row;
    buildRows();
    endResetModel();
    emit changed();
}

QString ValidateModel::sentence() const {
    if (empty())
        return {};
    if (result().firstDivergence.empty()) {
        return failedCases() == 0 ? tr("All %1 cases agree with the reference").arg(cases_.size())
                                  : tr("This case agrees with the reference, %1 of %2 do not")
                                        .arg(failedCases())
                                        .arg(cases_.size());
    }
    const protocol::Divergence& first = result().firstDivergence.front();
    const QString where = rungText(qt(first.rung));
    const QString text = tr("First divergence: %1").arg(where.left(1).toLower() + where.mid(1));
    return first.rank < 0 ? text : tr("%1, rank %2").arg(text).arg(first.rank);
}

QString ValidateModel::detail() const {
    if (empty() || result().firstDivergence.empty())
        return {};
    const protocol::Divergence& first = result().firstDivergence.front();
    QStringList parts;
    const int row = firstFailure();
    if (row >= 0 && !isEquality(result().rungs[std::size_t(row)])) {
        const protocol::Rung& rung = result().rungs[std::size_t(row)];
        parts << tr("error %1, limit %2").arg(errorText(rung.error), errorText(rung.tolerance));
    }
    if (!first.slice.empty())
        parts << qt(first.slice);
    if (first.token >= 0)
        parts << tr("token %1").arg(first.token);
    return parts.join(QStringLiteral(" · "));
}

std::vector<LayerError> ValidateModel::layers(bool worstToken) const {
    std::map<int, LayerError> found;
    for (const protocol::Rung& rung : empty() ? std::vector<protocol::Rung>() : result().rungs) {
        const auto layer = layerRung(rung.name);
        if (!layer)
            continue;
        LayerError& error = found[layer->layer];
        error.layer = layer->layer;
        double& place = layer->part == QLatin1String("attn")  ? error.mixer
                        : layer->part == QLatin1String("mlp") ? error.mlp
                                                              : error.residual;
        place = worstToken ? rung.worstToken : rung.error;
    }
    std::vector<LayerError> list;
    for (const auto& [layer, error] : found)
        list.push_back(error);
    return list;
}

double ValidateModel::tolerance() const {
    for (const protocol::Rung& rung : empty() ? std::vector<protocol::Rung>() : result().rungs) {
        if (rung.tolerance > 0)
            return rung.tolerance;
    }
    return 0;
}

int ValidateModel::firstBadLayer() const {
    if (empty() || result().firstDivergence.empty())
        return -1;
    const auto layer = layerRung(result().firstDivergence.front().rung);
    return layer ? layer->layer : -1;
}

void ValidateModel::apply(const protocol::ValidateReply& reply) {
    beginResetModel();
    cases_ = reply.cases;
    const auto bad = std::find_if(cases_.begin(), cases_.end(),
                                  [](const auto& one) { return one.verdict == "fail"; });
    chosen_ = bad == cases_.end() ? 0 : int(bad - cases_.begin());
    buildRows();
    endResetModel();
    emit changed();
}

void ValidateModel::reset() {
    beginResetModel();
    cases_.clear();
    rows_.clear();
    chosen_ = 0;
    endResetModel();
    emit changed();
}

}  // namespace fl::models
