-- wrk's load: prepared requests in turn, so that the client costs less than the server. The first argument says which.
local turn = 0
local requests = {}

local function post(...) requests[#requests + 1] = wrk.format("POST", nil, nil, string.format(...)) end

function init(args)
  if args[1] == "payments" then
    -- From 20,000 different phones; the second argument is the payment account.
    for n = 1, 20000 do
      post('{"payment_account_id":%d,"phone":"07%08d","amount":%d,"reference":"ORDER-%d"}', args[2],
        n * 61803399 % 100000000, n % 1000 + 1, n)
    end
  else
    -- The status of the payments whose ids are in a file, one a line.
    for id in io.lines(args[2]) do post('{"checkout_request_id":"%s"}', id) end
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"failed":%d}\n',
    summary.requests, summary.duration, failed))
end
