-- For wrk: sends the requests of a file, one after the other. Arguments: the file, and the index of the first request.
local texts, count, at = {}, 0, 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  count = file:read("*n")
  for i = 1, count do
    local length = file:read("*n")
    file:read(1)
    texts[i] = file:read(length)
  end
  file:close()
  at = tonumber(args[2])
  io.stdout:setvbuf("no")
  io.stdout:write("ready\n")
  -- wrk has not connected yet, and waits here until there is a line to read
  io.stdin:read("*l")
end

function request()
  at = at % count + 1
  return texts[at]
end
