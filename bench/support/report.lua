-- What the benchmark reads of a round of load.
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"p99Us":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(99), failed))
end
