-- 20,000 requests from different phones, made once and sent in turn, so that the client costs less than the server.
dofile((debug.getinfo(1, "S").source:match("^@(.*)payment%.lua$")) .. "load.lua")

function init(args)
  for n = 1, 20000 do
    local body = string.format('{"payment_account_id":%d,"phone":"07%08d","amount":%d,"reference":"ORDER-%d"}',
      args[1], n * 61803399 % 100000000, n % 1000 + 1, n)
    requests[n] = wrk.format("POST", nil, nil, body)
  end
end
