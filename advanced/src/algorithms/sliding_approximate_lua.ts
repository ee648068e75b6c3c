/** `sliding-approximate` in Lua; the same cells and formulas as `sliding_approximate.ts`. */
export const SLIDING_APPROXIMATE = `
do
  local function paid(p, current, windows)
    local each = max(1, p.limit)
    return max(0, current - windows * each), max(0, min(each, current - (windows - 1) * each))
  end
  local function seen(p, s, now)
    local window = s[1] ~= 0 and s[1] or p.window
    local number = math.max(math.floor(now / window), s[2])
    local left = (number + 1) * window - now
    local behind = number - s[2]
    if behind <= 0 then return s[3], s[4], left, window end
    if p.debt then
      local current, previous = paid(p, s[3], behind)
      return current, previous, left, window
    end
    return 0, behind == 1 and s[3] or 0, left, window
  end
  local function room(p, s, now)
    local current, previous, left, window = seen(p, s, now)
    return p.limit - current - math.ceil(previous * math.min(left, window) / window)
  end
  local function take(p, s, now, n)
    local current, previous = seen(p, s, now)
    local same = s[1] == p.window
    s[1] = p.window
    s[2] = math.max(math.floor(now / p.window), same and s[2] or 0)
    s[3] = (same and current or current + previous) + n
    s[4] = same and previous or 0
    return s[2]
  end
  A['sliding-approximate'] = {
    tag = 'a',
    width = function() return 4 end,
    room = room,
    take = take,
    wait = function(p, s, now, n)
      if room(p, s, now) >= n then return 0 end
      local current, previous, left, window = seen(p, s, now)
      if current + n <= p.limit then
        return math.ceil(window - (p.limit - current - n) * window / previous) - (window - left)
      end
      local windows, later, before = 1, 0, current
      if p.debt then
        windows = ceil((current + n - p.limit) / p.limit)
        later, before = paid(p, current, windows)
      end
      local decayed = max(0, ceil(window - (p.limit - later - n) * window / before))
      return min(2 ^ 52, left + (windows - 1) * window + decayed)
    end,
    reset = function(p, s, now)
      local current, previous, left, window = seen(p, s, now)
      if current == 0 then return previous > 0 and left or 0 end
      return min(2 ^ 52, left + (p.debt and ceil(current / max(1, p.limit)) or 1) * window)
    end,
    give = function(p, s, now, stamp, n)
      if s[1] ~= p.window or s[2] ~= stamp or math.floor(now / p.window) ~= stamp or s[3] == 0 then return false end
      s[3] = math.max(0, s[3] - n)
      return true
    end,
    shorten = function(p, s, now)
      local current, previous = seen(p, s, now)
      if s[1] <= p.window or current + previous == 0 then return false end
      take(p, s, now, 0)
      return true
    end,
    extend = function(p, s, now)
      local current, previous = seen(p, s, now)
      s[1], s[2], s[3], s[4] = 0, 0, 0, 0
      return take(p, s, now, current + previous)
    end,
  }
end
`;
