-- Drives Neovim's own client: opens a spec with a mistake, asks what an editor asks, mends it and saves.
local root, spec, out, server = unpack(vim.split(os.getenv("EVOTRAINER_TRY"), "\n"))
local function finish(result)
  local file = assert(io.open(out, "w"))
  file:write(vim.json.encode(result))
  file:close()
  vim.cmd("qall!")
end
local ok, failure = pcall(function()
  vim.cmd("edit " .. vim.fn.fnameescape(root .. "/" .. spec))
  local config = { name = "evotrainer", cmd = { os.getenv("EVOTRAINER_NODE"), server, "lsp" }, root_dir = root }
  -- vim.lsp.start is there from 0.8 on; it does the other two.
  local client_id
  if vim.lsp.start then
    client_id = vim.lsp.start(config)
  else
    client_id = vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(0, client_id)
  end
  local result = { version = tostring(vim.version().minor), client = client_id ~= nil }
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
