-- SPDX-License-Identifier: Apache-2.0
-- DeepSeek-V3, V3.1, R1 and models of the same form (Kimi-K2): latent attention, experts in groups
-- chosen with a bias, fp8 in blocks.
local deepseek = require "firstlight.deepseek"
local formats = require "firstlight.formats"
local gguf = require "firstlight.gguf"

return {
  name = "deepseek_v3",
  architectures = { "DeepseekV3ForCausalLM" },
  model_types = { "deepseek_v3", "kimi_k2" },
  keys = deepseek.keys(),
  evidence = deepseek.evidence(),
  gguf = {
    architecture = "deepseek2",
    config = gguf.deepseek_config(),
    constants = { scoring_func = "sigmoid" },
    harmless = gguf.harmless,
    tensors = gguf.deepseek_tensors(),
  },
  build = function(b, c)
    local m = deepseek.sizes(c)
    b.format = formats.read(c)
    deepseek.decoder(b, m)
  end,
}
