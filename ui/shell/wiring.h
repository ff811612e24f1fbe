// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of the engine into the models: each event of the client goes to the slot of its name.
#pragma once

namespace fl::client {
class EngineClient;
}
namespace fl::models {
struct Models;
}

namespace fl::shell {

void wire(client::EngineClient& client, models::Models& models);

}  // namespace fl::shell
