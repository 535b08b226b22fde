-- A thousand different payments, written once and sent in turn: the client must cost less than the server.
dofile((debug.getinfo(1, "S").source:match("^@(.*)payment%.lua$")) .. "load.lua")

function init(args)
  for n = 1, 1000 do
    local body = string.format('{"payment_account_id":%d,"phone":"07%08d","amount":%d,"reference":"ORDER-%d"}',
      args[1], n * 48271 % 100000000, n, n)
    requests[n] = wrk.format("POST", nil, nil, body)
  end
end
