-- SPDX-License-Identifier: Apache-2.0
-- The sparse indexer of DeepSeek-V3.2: which tokens a row attends to.
local blocks = require "firstlight.blocks"
local M = {}

-- Which tensors prove the keys index_n_heads and index_head_dim.
function M.evidence()
  local base = "model.layers.{i}.self_attn.indexer."
  return {
    { tensor = base .. "wq_b.weight", shape = { "index_n_heads * index_head_dim", "q_lora_rank" } },
    { tensor = base .. "wk.weight", shape = { "index_head_dim", "hidden_size" } },
    { tensor = base .. "weights_proj.weight", shape = { "index_n_heads", "hidden_size" } },
  }
end

-- Adds index_heads, index_dim, top_k and `select` to the sizes of a latent attention. `interleaved`:
-- how pairs lie that turn here.
function M.sizes(c, m, interleaved)
  m.index_heads = c.count("index_n_heads")
  m.index_dim = c.count("index_head_dim")
  m.top_k = c.count("index_topk")
  m.index_rope = { head_dim = m.index_dim, interleaved = interleaved and 1 or 0 }
  -- Layers of type "shared" take what the last "full" one before them chose.
  local types = c.list("indexer_types")
  local chosen
  m.select = function(b, _, y, q_latent)
    if types[b.index + 1] ~= "shared" then
      chosen = M.choose(b, m, y, q_latent)
    end
    return chosen
  end
end

function M.choose(b, m, y, q_latent)
  local base = "model.layers.{i}.self_attn.indexer."
  local function linear(x, name, out, plain)
    return b.linear(x, {
      tensor = base .. name, out = out, split = "replicate", kind = "attention", plain = plain,
      as = "layer.{i}.index." .. name, site = "indexer",
    })
  end
  local q = linear(q_latent, "wq_b", m.index_heads * m.index_dim)
  local key = b.layer_norm(linear(y, "wk", m.index_dim), {
    tensor = base .. "k_norm", epsilon = 1e-6, bias = true, as = "layer.{i}.index.key",
    site = "indexer",
  })
  q = b.rope(q, {
    attributes = blocks.rope_for(m, m.index_heads, m.index_rope), site = "indexer",
  })
  key = b.rope(key, { attributes = blocks.rope_for(m, 1, m.index_rope), site = "indexer" })
  return b.sparse_index(q, key, linear(y, "weights_proj", m.index_heads, true), {
    heads = m.index_heads, dim = m.index_dim, top_k = m.top_k, as = "layer.{i}.index.ids",
    site = "indexer",
  })
end

return M
