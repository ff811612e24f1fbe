// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/placement_cards.h"

#include "ui/models/slice_model.h"
#include "ui/models/text.h"
#include "ui/panels/placement/placement_panel.h"
#include "ui/widgets/hover_card.h"

namespace fl::panels {

using models::bytesText;
using models::qt;
using widgets::State;

namespace {

const protocol::SliceInfo& sliceOf(const CellParts& parts, const CellPlace& place) {
    return parts
        .slices[place.expert >= 0 ? parts.experts[std::size_t(place.expert)].families.front()
                                  : parts.others[std::size_t(place.other)]];
}

// "gate_proj, up_proj, down_proj"
QString familiesText(const CellParts& parts, const CellExpert& expert) {
    QStringList names;
    for (const std::size_t family : expert.families) {
        const QString name = shortTensorName(parts.slices[family], expert.expert);
        names << name.section(QLatin1Char('.'), -2, -2);
    }
    return names.join(QStringLiteral(", "));
}

}  // namespace

QString partsText(const models::PlacementCells& cells, int rank, int row) {
    const models::PlacementCell& cell = cells.at(rank, row);
    if (cell.kind < 0 || cell.dtype < 0)
        return {};
    return cells.kinds[std::size_t(cell.kind)] + QStringLiteral(", ") +
           cells.dtypes[std::size_t(cell.dtype)];
}

void fillCellCard(widgets::HoverCard& card,
                  const QString& row,
                  const protocol::RankInfo& rank,
                  std::int64_t bytes,
                  const QString& parts) {
    card.setTitle(row);
    card.setSubtitle(QStringLiteral("r%1 · %2 · %3")
                         .arg(rank.rank)
                         .arg(models::shown(rank.node), models::shown(rank.device)));
    const std::int64_t held = rank.ledger.weights + rank.ledger.scales;
    const double share = held > 0 ? double(bytes) / double(held) : 0;
    std::vector<widgets::KeyValue> rows = {
        {PlacementPanel::tr("Bytes"), bytesText(bytes), State::Idle},
        {PlacementPanel::tr("Of the rank's weights"),
         PlacementPanel::tr("%1 %").arg(share * 100, 0, 'f', 1), State::Idle},
        {PlacementPanel::tr("Place"),
         PlacementPanel::tr("PP %1, TP %2, DP %3").arg(rank.pp).arg(rank.tp).arg(rank.dp),
         State::Idle}};
    if (!parts.isEmpty())
        rows.push_back({PlacementPanel::tr("Most of it"), parts, State::Idle});
    rows.push_back(
        {PlacementPanel::tr("Tensors"), PlacementPanel::tr("click to look inside"), State::Idle});
    card.setRows(std::move(rows));
}

void fillPartCard(widgets::HoverCard& card,
                  const CellParts& parts,
                  const CellPlace& place,
                  int rank,
                  const std::function<QString(const QString&)>& shardOf) {
    const protocol::SliceInfo& slice = sliceOf(parts, place);
    const bool whole = place.expert >= 0;
    const CellExpert* expert = whole ? &parts.experts[std::size_t(place.expert)] : nullptr;
    card.setTitle(whole ? PlacementPanel::tr("expert %1").arg(expert->expert)
                        : shortTensorName(slice, -1));
    card.setSubtitle(whole ? familiesText(parts, *expert) : qt(slice.kind));
    // An expert may be whole, or cut like any other tensor.
    protocol::SliceInfo cut = slice;
    cut.expertCount = 0;
    const QString shard = shardOf(partName(parts, place));
    std::vector<widgets::KeyValue> rows = {
        {PlacementPanel::tr("Rank"), QStringLiteral("r%1").arg(rank), State::Idle},
        {PlacementPanel::tr("Type"), qt(slice.dtype), State::Idle},
        {PlacementPanel::tr("Slice"), models::cutText(cut), State::Idle},
        {PlacementPanel::tr("Bytes"), bytesText(whole ? expert->bytes : slice.bytes), State::Idle},
        {PlacementPanel::tr("Shard"), shard.isEmpty() ? models::shown(slice.file) : shard,
         State::Idle}};
    card.setRows(std::move(rows));
}

QString partName(const CellParts& parts, const CellPlace& place) {
    const bool whole = place.expert >= 0;
    return tensorName(sliceOf(parts, place),
                      whole ? parts.experts[std::size_t(place.expert)].expert : -1);
}

}  // namespace fl::panels
