-- SPDX-License-Identifier: Apache-2.0
-- How checkpoints pack matrices. A format is a function (t, stem, module, shape_of) that completes a
-- weight's table: stored tensor, companions with scales, blocks. t.shape is that of the values,
-- [rows, columns]; shape_of(name) gives the shape that a tensor has in the checkpoint, or nil.
-- Sources: DeepSeek-V3 README_WEIGHTS.md; compressed-tensors, compressors; transformers,
-- quantizer_finegrained_fp8.py; AutoAWQ, gemm.py; GPTQModel, nn_modules/qlinear; NVIDIA ModelOpt,
-- export/quant_utils.py.
local M = {}

local function blocks(extent, block)
  return (extent + block - 1) // block
end

local function plain(t, stem)
  t.tensor = stem .. ".weight"
end
M.plain = plain

-- One fp8 value per weight and one scale per block. `scale`: suffix of the scales' name.
function M.fp8(rows, columns, scale, scale_dtypes)
  return function(t, stem)
    t.tensor = stem .. ".weight"
    t.packing = "fp8 e4m3 in blocks of " .. rows .. " × " .. columns
    t.dtypes = { "F8_E4M3" }
    t.block_rows, t.block_columns = rows, columns
    t.companions = {
      {
        tensor = stem .. scale, dtypes = scale_dtypes,
        shape = { blocks(t.shape[1], rows), blocks(t.shape[2], columns) },
      },
    }
  end
end

-- `each` values in one stored element, one scale per `group` columns.
local function grouped(packing, suffixes, dtype, each, group, scale_dtypes)
  return function(t, stem)
    local rows, columns = t.shape[1], t.shape[2]
    t.tensor = stem .. suffixes[1]
    t.packing = packing .. ", groups of " .. group
    t.dtypes = { dtype }
    t.stored = { rows, blocks(columns, each) }
    t.per_element = each
    t.block_rows, t.block_columns = 1, group
    t.companions = {
      { tensor = stem .. suffixes[2], shape = { rows, blocks(columns, group) }, dtypes = scale_dtypes },
    }
  end
end

function M.int4(group)
  local pack = grouped("int4", { ".weight_packed", ".weight_scale" }, "I32", 8, group,
    { "BF16", "F16", "F32" })
  return function(t, stem)
    pack(t, stem)
    t.companions[2] = { tensor = stem .. ".weight_shape", shape = { 2 }, dtypes = { "I32", "I64" } }
  end
end

function M.mxfp4(group)
  return grouped("mxfp4", { ".weight_packed", ".weight_scale" }, "U8", 2, group, { "U8" })
end

-- DeepSeek-V4's experts: e2m1 pairs in int8 beside e8m0 scales.
function M.fp4(group)
  return grouped("fp4 e2m1", { ".weight", ".scale" }, "I8", 2, group, { "F8_E8M0" })
end

-- gpt-oss: pairs of e2m1 in 16 bytes for each 32 columns, all experts of a layer in one tensor.
function M.mxfp4_blocks(t, stem)
  local rows, groups = t.shape[1], blocks(t.shape[2], 32)
  t.tensor = stem .. "_blocks"
  t.packing = "mxfp4, groups of 32"
  t.dtypes = { "U8" }
  t.stored = { rows, groups, 16 }
  t.per_element = 2
  t.block_rows, t.block_columns = 1, 32
  t.companions = { { tensor = stem .. "_scales", shape = { rows, groups }, dtypes = { "U8" } } }
end

local floats = { "F32", "BF16", "F16" }

-- Scales of a whole matrix or of its rows: as the checkpoint has them where that is legal.
local function whole_scale(name, shape_of, rows)
  local found = shape_of(name)
  local per_row = found and (#found == 1 or #found == 2 and found[2] == 1) and found[1] == rows
  local one = found and #found == 1 and found[1] == 1
  return { tensor = name, dtypes = floats, shape = (per_row or one) and found or {} }
end

-- One byte for each value (dtype), and scales of whole matrices or rows; `fixed`: also one for the
-- layer's input.
function M.bytes(name, dtype, fixed)
  return function(t, stem, _, shape_of)
    t.tensor = stem .. ".weight"
    t.packing = name
    t.dtypes = { dtype }
    local suffix = shape_of(stem .. ".weight_scale_inv") and ".weight_scale_inv" or ".weight_scale"
    t.companions = { whole_scale(stem .. suffix, shape_of, t.shape[1]) }
    for i, each in ipairs { ".input_scale", ".activation_scale" } do
      if shape_of(stem .. each) or (fixed and i == 1 and not shape_of(stem .. ".activation_scale")) then
        t.companions[#t.companions + 1] = whole_scale(stem .. each, shape_of)
      end
    end
  end
end

-- NVFP4: e2m1 pairs, an e4m3 scale for each 16 columns, and one for the matrix. compressed-tensors
-- and ModelOpt name the tensors differently.
function M.nvfp4(names)
  local pack = grouped("nvfp4", { names.weight, ".weight_scale" }, "U8", 2, 16, { "F8_E4M3" })
  return function(t, stem, _, shape_of)
    pack(t, stem)
    t.companions[2] = whole_scale(stem .. names.whole, shape_of)
    if shape_of(stem .. names.input) then
      t.companions[3] = whole_scale(stem .. names.input, shape_of)
    end
  end
end

-- Eight values of four bits in each word, the matrix turned over. `along`: which side the eight lie
-- on; `order`: there may be a table of the columns' order.
local function turned_over(name, bits, group, along, order)
  local each = 32 // bits
  return function(t, stem, _, shape_of)
    local rows, columns = t.shape[1], t.shape[2]
    local groups = group > 0 and blocks(columns, group) or 1
    t.tensor = stem .. ".qweight"
    t.packing = name .. " of " .. bits .. " bits"
    t.dtypes = { "I32" }
    t.stored = along == "columns" and { blocks(columns, each), rows } or
      { columns, blocks(rows, each) }
    t.per_element = each
    t.block_rows, t.block_columns = each, group > 0 and group or columns
    t.companions = {
      { tensor = stem .. ".qzeros", shape = { groups, blocks(rows, each) }, dtypes = { "I32" } },
      { tensor = stem .. ".scales", shape = { groups, rows }, dtypes = floats },
    }
    if order and shape_of(stem .. ".g_idx") then
      t.companions[3] = { tensor = stem .. ".g_idx", shape = { columns }, dtypes = { "I32" } }
    end
  end
end

function M.gptq(bits, group)
  return turned_over("gptq", bits, group, "columns", true)
end
function M.awq(bits, group)
  return turned_over("awq", bits, group, "rows", false)
end

return M
