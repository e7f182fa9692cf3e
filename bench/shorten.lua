-- Shortens a long URL that was never seen before, every time.
local count = 0
local mark

function init(args)
  mark = args[2]
  wrk.headers['Authorization'] = 'Bearer ' .. args[1]
  wrk.headers['Content-Type'] = 'application/json'
end

function request()
  count = count + 1
  return wrk.format('POST', '/v4/shorten', nil, '{"long_url":"https://example.com/' .. mark .. '/' .. count .. '?utm_source=bench"}')
end
