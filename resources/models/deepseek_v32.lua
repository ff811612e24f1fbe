-- SPDX-License-Identifier: Apache-2.0
-- DeepSeek-V3.2: DeepSeek-V3 with attention to the tokens that a sparse indexer chose. In the
-- indexer pairs that turn lie half a head apart, in the attention side by side.
local deepseek = require "firstlight.deepseek"
local formats = require "firstlight.formats"
local indexer = require "firstlight.indexer"
local keys = require "firstlight.keys"

return {
  name = "deepseek_v32",
  architectures = { "DeepseekV32ForCausalLM" },
  chat = "firstlight.chat_deepseek_three",
  model_types = { "deepseek_v32" },
  keys = deepseek.keys {
    index_n_heads = keys.count(), index_head_dim = keys.count(), index_topk = keys.count { usual = 2048 },
  },
  evidence = keys.joined { deepseek.evidence(), indexer.evidence() },
  build = function(b, c)
    local m = deepseek.sizes(c)
    indexer.sizes(c, m, false)
    b.format = formats.read(c)
    deepseek.decoder(b, m)
  end,
}
