-- SPDX-License-Identifier: Apache-2.0
-- GLM-5, 5.1 and 5.2: latent attention to the tokens that a sparse indexer chose, experts as in
-- DeepSeek-V3. Pairs that turn lie interleaved, also in the indexer.
local deepseek = require "firstlight.deepseek"
local formats = require "firstlight.formats"
local indexer = require "firstlight.indexer"
local keys = require "firstlight.keys"

return {
  name = "glm_moe_dsa",
  architectures = { "GlmMoeDsaForCausalLM" },
  model_types = { "glm_moe_dsa" },
  keys = deepseek.keys {
    index_n_heads = keys.count(), index_head_dim = keys.count(), index_topk = keys.count { usual = 2048 },
  },
  evidence = keys.joined { deepseek.evidence(), indexer.evidence() },
  build = function(b, c)
    local m = deepseek.sizes(c)
    m.latent_epsilon = 1e-6
    indexer.sizes(c, m, c.boolean("indexer_rope_interleave", true))
    c.expect("qk_head_dim", m.nope + m.rotary)
    c.expect("head_dim", m.rotary)
    b.format = formats.read(c)
    deepseek.decoder(b, m)
  end,
}
