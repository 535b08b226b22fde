-- Checks the status of the payments whose ids are in a file.
dofile((debug.getinfo(1, "S").source:match("^@(.*)status%.lua$")) .. "load.lua")

function init(args)
  for id in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", nil, nil, string.format('{"checkout_request_id":"%s"}', id))
  end
end
