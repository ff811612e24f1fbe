// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/census_model.h"

#include <QLocale>

#include "ui/models/text.h"

namespace fl::models {

QString parameterCountText(std::int64_t count) {
    const QLocale english(QLocale::English);
    if (count >= 1'000'000'000)
        return english.toString(double(count) / 1e9, 'f', 1) + QStringLiteral(" B");
    if (count >= 1'000'000)
        return english.toString(double(count) / 1e6, 'f', 1) + QStringLiteral(" M");
    return countText(count);
}

QString CensusModel::filesText() const {
    if (!census_)
        return {};
    const double decimal = double(census_->fileBytes);
    const QString size = decimal >= 1e9 ? tr("%1 GB").arg(decimal / 1e9, 0, 'f', 1)
                                        : tr("%1 MB").arg(decimal / 1e6, 0, 'f', 1);
    const QString files =
        census_->files == 1 ? tr("1 file") : tr("%1 files").arg(countText(census_->files));
    return tr("%1, %2 (%3)").arg(files, bytesText(census_->fileBytes), size);
}

QString CensusModel::parametersText() const {
    if (!census_)
        return {};
    const QString all = parameterCountText(census_->parameters);
    if (census_->activeParameters <= 0 || census_->activeParameters == census_->parameters)
        return tr("parameters %1").arg(all);
    return tr("parameters %1, active %2").arg(all, parameterCountText(census_->activeParameters));
}

void CensusModel::apply(const protocol::Census& census) {
    census_ = census;
    emit changed();
}

void CensusModel::reset() {
    census_.reset();
    emit changed();
}

}  // namespace fl::models
