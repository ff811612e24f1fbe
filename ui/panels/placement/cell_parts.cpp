// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/cell_parts.h"

#include <algorithm>
#include <map>

#include "ui/models/text.h"

namespace fl::panels {

CellParts cellParts(const std::vector<protocol::SliceInfo>& slices) {
    CellParts parts;
    parts.slices = slices;
    std::map<int, CellExpert> experts;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const protocol::SliceInfo& slice = slices[i];
        parts.bytes += slice.bytes;
        if (slice.expertCount <= 0) {
            parts.others.push_back(i);
            continue;
        }
        for (int n = 0; n < slice.expertCount; ++n) {
            CellExpert& expert = experts[slice.firstExpert + n];
            expert.expert = slice.firstExpert + n;
            expert.bytes += slice.bytes / slice.expertCount;
            expert.families.push_back(i);
        }
    }
    for (auto& [number, expert] : experts)
        parts.experts.push_back(std::move(expert));
    std::stable_sort(parts.others.begin(), parts.others.end(), [&](std::size_t a, std::size_t b) {
        return slices[a].bytes > slices[b].bytes;
    });
    return parts;
}

QString tensorName(const protocol::SliceInfo& slice, int expert) {
    QString name = models::qt(slice.tensor);
    const qsizetype place = name.indexOf(QLatin1String("{}"));
    return place < 0 || expert < 0 ? name : name.replace(place, 2, QString::number(expert));
}

QString shortTensorName(const protocol::SliceInfo& slice, int expert) {
    const QString name = tensorName(slice, expert);
    const QString layer = QStringLiteral(".%1.").arg(slice.layer);
    const qsizetype at = slice.layer < 0 ? -1 : name.indexOf(layer);
    return models::shown((at < 0 ? name : name.mid(at + layer.size())).toStdString());
}

}  // namespace fl::panels
