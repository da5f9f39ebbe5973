-- Drives Neovim's own client, set up by the lines of docs/editors.md: opens a spec with a mistake, asks what an editor asks,
-- mends it and saves.
local root, spec, out, lines = unpack(vim.split(os.getenv("EVOTRAINER_TRY"), "\n"))
local function finish(result)
  local file = assert(io.open(out, "w"))
  file:write(vim.json.encode(result))
  file:close()
  vim.cmd("qall!")
end
local ok, failure = pcall(function()
  local minor = vim.version().minor
  if minor >= 11 then
    vim.lsp.config("evotrainer", dofile(lines .. "/0.11.lua"))
    vim.lsp.enable("evotrainer")
  else
    dofile(lines .. (minor == 10 and "/0.10.lua" or "/0.7.lua"))
  end
  vim.cmd("filetype on")
  vim.cmd("edit " .. vim.fn.fnameescape(root .. "/" .. spec))
  local result = {}
  local clients = vim.lsp.get_clients or vim.lsp.get_active_clients
  local function found()
    return vim.diagnostic.get(0)
  end
  local function wait(what, holds)
    if not vim.wait(40000, holds, 20) then
      error("waited in vain for " .. what)
    end
  end
  wait("a finding", function()
    return #found() > 0
  end)
  local client_id = clients()[1].id
  result.findings = vim.tbl_map(function(d)
    return { line = d.lnum, column = d.col, source = d.source, message = d.message }
  end, found())
  local function ask(method, line, column, more)
    local params = vim.tbl_extend("force", {
      textDocument = { uri = vim.uri_from_bufnr(0) },
      position = { line = line, character = column },
    }, more or {})
    local replies, failed = vim.lsp.buf_request_sync(0, method, params, 20000)
    assert(replies and replies[client_id], method .. ": " .. tostring(failed))
    return replies[client_id].result
  end
  local first = found()[1]
  local completion = ask("textDocument/completion", first.lnum, first.col + 3)
  result.completion = vim.tbl_map(function(item)
    return item.label
  end, completion.items or completion)
  result.hover = vim.json.encode(ask("textDocument/hover", first.lnum - 1, first.col + 1).contents)
  local diagnostic = first.user_data and first.user_data.lsp or {}
  diagnostic = vim.tbl_extend("force", {
    range = {
      start = { line = first.lnum, character = first.col },
      ["end"] = { line = first.end_lnum, character = first.end_col },
    },
    message = first.message,
    source = first.source,
    code = first.code,
  }, diagnostic)
  local actions = ask("textDocument/codeAction", first.lnum, first.col, {
    range = diagnostic.range,
    context = { diagnostics = { diagnostic } },
  })
  result.actions = vim.tbl_map(function(action)
    return action.title
  end, actions)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  wait("the finding to go", function()
    return #found() == 0
  end)
  vim.cmd("write")
  finish(result)
end)
if not ok then
  finish({ failure = tostring(failure) })
end
