-- SPDX-License-Identifier: Apache-2.0
-- Builder functions of the operators of vision towers.
local M = {}

-- Adds them to the builder b; `inside` is what firstlight.builder shares.
function M.add(b, inside)
  local value, node = inside.value, inside.node
  local made, vector, widths = inside.made, inside.vector, inside.widths

  function b.patch_embed(t)
    local used = {
      b.weight { tensor = t.tensor .. ".weight", shape = t.shape, split = "replicate", kind = t.kind },
    }
    if t.bias then
      used[2] = vector(t.tensor .. ".bias", t.shape[1], t.kind)
    end
    local y = value { name = t.as, width = t.shape[1], rows = "patches" }
    node { op = "patch_embed", inputs = {}, outputs = { y }, weights = used, site = t.site }
    return y
  end

  function b.position_grid(x, t)
    local used = b.weight {
      tensor = t.tensor, shape = t.shape, split = "replicate", kind = t.kind,
    }
    return made("position_grid", { x }, widths[x], { used }, t, { resample = t.resample })
  end

  function b.image_attention(x, t)
    return made("image_attention", { x }, t.heads * t.head_dim, {}, t,
      { heads = t.heads, head_dim = t.head_dim })
  end

  function b.patch_merge(x, t)
    return made("patch_merge", { x }, t.side * t.side * widths[x], {},
      { as = t.as, site = t.site, rows = "tokens" }, { side = t.side })
  end

  -- t.add: the images' rows are added to those that are there.
  function b.place_images(x, images, t)
    return made("place_images", { x, images }, widths[x], {}, t, { add = t.add and 1 or 0 })
  end
end

return M
