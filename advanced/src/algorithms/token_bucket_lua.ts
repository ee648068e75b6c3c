/** `token-bucket` in Lua; the same cells and formulas as `token_bucket.ts`. */
export const TOKEN_BUCKET = `
do
  local function debt(p, s, now)
    if s[3] == 0 then return 0 end
    local scaled = s[1] == p.window and s[3] or math.ceil(s[3] / s[1] * p.window)
    return math.max(0, scaled - (now - s[2]) * p.limit)
  end
  local function write(p, s, now, amount) s[1], s[2], s[3] = p.window, now, amount end
  A['token-bucket'] = {
    tag = 't',
    width = function() return 3 end,
    room = function(p, s, now)
      if p.limit == 0 then return 0 end
      return math.floor((p.capacity * p.window - debt(p, s, now)) / p.window)
    end,
    take = function(p, s, now, n)
      local before = debt(p, s, now)
      write(p, s, now, before + n * p.window)
      return p.limit == 0 and now or math.floor(now + before / p.limit)
    end,
    wait = function(p, s, now, n)
      if p.limit == 0 then return -1 end
      return math.max(0, math.ceil((debt(p, s, now) + (n - p.capacity) * p.window) / p.limit))
    end,
    reset = function(p, s, now)
      return math.ceil(debt(p, s, now) / math.max(1, p.limit))
    end,
    give = function(p, s, now, stamp, n)
      local amount = n * p.window - math.max(0, now - stamp) * p.limit
      local present = debt(p, s, now)
      if amount <= 0 or present == 0 then return false end
      write(p, s, now, math.max(0, present - amount))
      return true
    end,
    extend = function(p, s, now)
      write(p, s, now, math.max(p.capacity * p.window, debt(p, s, now)))
      return now
    end,
  }
end
`;
