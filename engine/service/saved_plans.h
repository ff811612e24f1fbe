// SPDX-License-Identifier: Apache-2.0
// Plans kept by name, each a file of its own that `firstlightctl --plan` takes too.
#pragma once

#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/plan_messages.h"

namespace fl::service {

// What `plan --json` prints, with the settings that make the same plan again: the file's content.
Json planDocument(const protocol::PlanInfo& plan, const protocol::JobSettings& settings);

struct PlanFile {
    protocol::PlanInfo plan;
    protocol::JobSettings settings;
};
// Reads such a file. An error names the file and, where it is no plan, what is wrong.
Result<PlanFile> readPlanFile(const std::string& path);
Status writePlanFile(const std::string& path,
                     const protocol::PlanInfo& plan,
                     const protocol::JobSettings& settings);

class SavedPlans {
public:
    explicit SavedPlans(std::string folder) : folder_(std::move(folder)) {}

    // Newest first; a file that cannot be read is left out, and logged.
    Result<protocol::SavedPlans> list() const;
    // A name has 1 to 40 letters, digits, points, lines and underscores, and no point in front.
    Result<protocol::SavedPlan> save(const std::string& name,
                                     const protocol::PlanInfo& plan,
                                     const protocol::JobSettings& settings) const;
    // NotFound names the nearest.
    Status forget(const std::string& name) const;

private:
    Result<std::string> pathOf(const std::string& name) const;

    std::string folder_;
};

}  // namespace fl::service
