-- Asks for the paths in a file: each equally likely, or with "in-order" one after the other.
local paths = {}
local inOrder = false
local last = 0

function init(args)
  math.randomseed(os.time())
  for line in io.lines(args[1]) do paths[#paths + 1] = line end
  inOrder = args[2] == 'in-order'
end

function request()
  last = inOrder and last % #paths + 1 or math.random(#paths)
  return wrk.format('GET', paths[last])
end
