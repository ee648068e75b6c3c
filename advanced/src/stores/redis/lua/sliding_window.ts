/** `sliding-window` in Lua; the same rule as `algorithms/sliding_window.ts`, without its running total. */
export const SLIDING_WINDOW = `
do
  local function ring(p, window) return math.min(p.buckets, window) + 1 end
  local function part(p, window) return math.ceil(window / (ring(p, window) - 1)) end
  local function oldest(p, s, now)
    if s[1] == 0 then return 1 end
    local current = math.floor(now / part(p, s[1]))
    return math.min(math.max(s[2], current) - ring(p, s[1]) + 1, s[2] + 1)
  end
  local function used(p, s, now)
    local sum, r = 0, ring(p, s[1])
    for b = oldest(p, s, now), s[2] do sum = sum + s[3 + b % r] end
    return sum
  end
  local function advance(p, s, now)
    local r = ring(p, p.window)
    local current = math.floor(now / part(p, p.window))
    if s[1] ~= p.window then
      local units = 0
      if s[1] ~= 0 then units = used(p, s, now) end
      for i = 3, 3 + p.buckets do s[i] = 0 end
      s[1] = p.window
      s[3 + current % r] = units
    else
      if current <= s[2] then return s[2] end
      for b = math.max(s[2], current - r) + 1, current do s[3 + b % r] = 0 end
    end
    s[2] = current
    return current
  end
  local function take(p, s, now, n)
    local latest = advance(p, s, now)
    local i = 3 + latest % ring(p, p.window)
    s[i] = s[i] + n
    return latest
  end
  A['sliding-window'] = {
    tag = 'w',
    width = function(p) return p.buckets + 3 end,
    room = function(p, s, now) return p.limit - used(p, s, now) end,
    take = take,
    wait = function(p, s, now, n)
      local missing = used(p, s, now) + n - p.limit
      if missing <= 0 then return 0 end
      local r = ring(p, s[1])
      local b = oldest(p, s, now)
      while b <= s[2] do
        missing = missing - s[3 + b % r]
        if missing <= 0 then break end
        b = b + 1
      end
      return (b + r) * part(p, s[1]) - now
    end,
    reset = function(p, s, now)
      local r = ring(p, s[1])
      for b = s[2], oldest(p, s, now), -1 do
        if s[3 + b % r] > 0 then return (b + r) * part(p, s[1]) - now end
      end
      return 0
    end,
    give = function(p, s, now, stamp, n)
      if s[1] ~= p.window or stamp > s[2] or stamp < oldest(p, s, now) then return false end
      local i = 3 + stamp % ring(p, p.window)
      if s[i] == 0 then return false end
      s[i] = math.max(0, s[i] - n)
      return true
    end,
    extend = function(p, s, now)
      local units = used(p, s, now)
      for i = 1, 3 + p.buckets do s[i] = 0 end
      return take(p, s, now, units)
    end,
  }
end
`;
