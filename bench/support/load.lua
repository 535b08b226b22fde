-- Shared by all loads: sends requests in turn, and prints the result of a round.
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"p99Us":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(99), failed))
end

-- The requests; init fills the table.
requests = {}
local turn = 0

function request()
  turn = turn % #requests + 1
  return requests[turn]
end
