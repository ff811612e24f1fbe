// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/recipe_draft.h"
#include "engine/service/reports.h"

namespace fl::service {

protocol::RecipeDraft draftReport(const recipe::RecipeDraft& draft) {
    protocol::RecipeDraft out;
    out.recipe = draft.name;
    out.text = draft.text;
    out.nearest = draft.nearestName;
    out.likeness = draft.nearest.score;
    out.keys = draft.nearest.keys;
    out.tensors = draft.nearest.tensors;
    out.openKeys = draft.nearest.openKeys;
    out.openTensors = draft.nearest.openTensors;
    out.lackingKeys = draft.nearest.lackingKeys;
    out.lackingTensors = draft.nearest.lackingTensors;
    return out;
}

}  // namespace fl::service
