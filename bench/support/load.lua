-- What every load shares: requests that are sent in turn, and what the benchmark reads of a round.
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"p99Us":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(99), failed))
end

-- What is sent, in turn; filled by init.
requests = {}
local turn = 0

function request()
  turn = turn % #requests + 1
  return requests[turn]
end
