-- Sends a thousand long URLs that were never seen before, every time.
local count = 0
local mark

function init(args)
  mark = args[2]
  wrk.headers['Authorization'] = 'Bearer ' .. args[1]
  wrk.headers['Content-Type'] = 'application/json'
end

function request()
  local rows = {}
  for row = 1, 1000 do
    count = count + 1
    rows[row] = '{"long_url":"https://example.com/' .. mark .. '/' .. count .. '?utm_source=bench"}'
  end
  return wrk.format('POST', '/v4/bulk/shorten', nil, '{"links":[' .. table.concat(rows, ',') .. ']}')
end
