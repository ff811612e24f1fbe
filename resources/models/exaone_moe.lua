-- SPDX-License-Identifier: Apache-2.0
-- K-EXAONE: norms of every head, three layers with a window that turn to one that sees everything
-- and does not, experts as in DeepSeek-V3 (transformers, modeling_exaone_moe.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local kinds = require "firstlight.layer_kinds"
local moe = require "firstlight.moe"

local function evidence()
  local mlp = "model.layers.{i}.mlp."
  return keys.joined { keys.frame(), keys.gated_mlp(true), keys.attention(),
    keys.experts("num_experts", "moe_intermediate_size"), {
    { tensor = mlp .. "e_score_correction_bias", shape = { "num_experts" } },
    keys.shared_experts("num_shared_experts"),
  } }
end

local function expert_sizes(c, m)
  m.experts = c.count("num_experts")
  m.chosen = c.count("num_experts_per_tok")
  m.expert_inner = c.count("moe_intermediate_size")
  m.shared_inner = m.expert_inner * c.count("num_shared_experts", 1, 0)
  m.normalise = c.boolean("norm_topk_prob", true)
  m.route_scale = c.real("routed_scaling_factor", 2.5)
  m.score = c.choice("scoring_func", "sigmoid", { "sigmoid" })
  c.expect("topk_method", "noaux_tc")
  m.moe = { bias = "e_score_correction_bias" }
  moe.groups(c, m, "n_group")
end

-- The period of the windows: a number, or as many letters.
local function period(c)
  local pattern = c.peek("sliding_window_pattern")
  c.ignore("sliding_window_pattern")
  if type(pattern) == "string" then
    return #pattern
  end
  return math.type(pattern) == "integer" and pattern or 4
end

return {
  name = "exaone_moe",
  architectures = { "ExaoneMoEForCausalLM", "ExaoneMoeForCausalLM" },
  model_types = { "exaone_moe" },
  keys = keys.decoder(keys.grouped_experts("num_experts", {
    num_shared_experts = keys.count { min = 0, absent = "fine", default = 1 },
    sliding_window = keys.count { absent = "fine" },
  })),
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.grouped(c)
    m.qk_norm = true
    expert_sizes(c, m)
    c.ignore("is_moe_layer", "num_nextn_predict_layers")
    local sparse = kinds.sparse(c, m)
    local windowed = c.has("sliding_window")
    local own = kinds.windows(c, m, windowed and period(c) or nil)
    for i = 0, m.layers - 1 do
      own[i].no_rope = windowed and not own[i].window or nil
    end
    b.format = formats.read(c)
    host.ignore("mtp.*")
    blocks.decoder(b, m, function(_, i, x)
      return moe.layer(b, m, blocks.attention(b, m, x, own[i]), sparse[i])
    end)
  end,
}
