-- Asks for one of the paths in a file, each equally likely.
local paths = {}

function init(args)
  math.randomseed(os.time())
  for line in io.lines(args[1]) do paths[#paths + 1] = line end
end

function request()
  return wrk.format('GET', paths[math.random(#paths)])
end
