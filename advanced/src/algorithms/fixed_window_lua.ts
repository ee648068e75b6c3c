/** `fixed-window` in Lua; the same cells and formulas as `fixed_window.ts`. */
export const FIXED_WINDOW = `
A['fixed-window'] = {
  tag = 'f',
  width = function() return 2 end,
  room = function(p, s, now)
    if now < s[2] then return p.limit - s[1] end
    return p.limit
  end,
  take = function(p, s, now, n)
    if now >= s[2] then
      s[1] = 0
      s[2] = p.align == 'clock' and now - now % p.window + p.window or now + p.window
    end
    s[1] = s[1] + n
    return s[2]
  end,
  wait = function(p, s, now, n)
    if (now < s[2] and p.limit - s[1] or p.limit) >= n then return 0 end
    return s[2] - now
  end,
  reset = function(p, s, now) return math.max(0, s[2] - now) end,
  give = function(p, s, now, stamp, n)
    if now >= stamp or s[2] ~= stamp or s[1] == 0 then return false end
    s[1] = math.max(0, s[1] - n)
    if s[1] == 0 then s[2] = 0 end
    return true
  end,
  shorten = function(p, s, now)
    if s[2] - now <= p.window then return false end
    s[2] = p.align == 'clock' and now - now % p.window + p.window or now + p.window
    return true
  end,
  extend = function(p, s, now)
    if now < s[2] then s[2] = now + p.window end
    return s[2]
  end,
}
`;

/**
 * The end of the current calendar window, as a Lua function. The caller passes the boundaries around its time instead
 * of `align`, and the server's time selects one, because scripts do not know time zones. If the two clocks differ by
 * more than these boundaries, windows get their usual length.
 */
export const CALENDAR_END = `
local function calendar_end(edges, now, window)
  local last
  for text in string.gmatch(edges, '[^,]+') do
    local edge = tonumber(text)
    if now < edge then
      if last then return edge end
      return edge - math.floor((edge - now - 1) / window) * window
    end
    last = edge
  end
  return last + (math.floor((now - last) / window) + 1) * window
end
`;

/** Additional code for policies with calendar windows. */
export const FIXED_WINDOW_CALENDAR: string = /* @__PURE__ */ CALENDAR_END.concat(`
do
  local a = A['fixed-window']
  local take, shorten = a.take, a.shorten
  -- in one batch with others, which have a word there
  local function is_calendar(p) return string.find(p.align, ',', 1, true) end
  a.take = function(p, s, now, n)
    if is_calendar(p) and now >= s[2] then s[1], s[2] = 0, calendar_end(p.align, now, p.window) end
    return take(p, s, now, n)
  end
  a.shorten = function(p, s, now)
    if not is_calendar(p) then return shorten(p, s, now) end
    -- a day may be longer than usual
    if s[2] - now <= p.window or s[2] <= calendar_end(p.align, now, p.window) then return false end
    s[2] = calendar_end(p.align, now, p.window)
    return true
  end
end
`);

/** Additional code for policies with both calendar windows and `maxDebt`. */
export const FIXED_WINDOW_CALENDAR_DEBTS = `
do
  local a = A['fixed-window']
  local pay, wait, reset = a.pay, a.wait, a.reset
  local function is_both(p) return p.debt and string.find(p.align, ',', 1, true) end
  -- only of months, the mean is not the usual length
  local function mean(p) return p.window == 2678400000 and 2629746000 or p.window end
  -- where the present window begins and ends, and where the next one ends
  local function edges(p, now)
    local stop = calendar_end(p.align, now, p.window)
    local start, next, before
    for text in string.gmatch(p.align, '[^,]+') do
      local edge = tonumber(text)
      if edge == stop then start = before end
      if before == stop then next = edge end
      before = edge
    end
    return start or stop - mean(p), stop, next or stop + mean(p)
  end
  a.pay = function(p, s, now)
    if not is_both(p) then return pay(p, s, now) end
    if s[2] == 0 or now < s[2] then return false end
    local start, stop = edges(p, now)
    local left = s[1] - (1 + max(0, floor((start - s[2]) / mean(p) + 0.5))) * max(1, p.limit)
    if left > 0 then s[1], s[2] = left, stop else s[1], s[2] = 0, 0 end
    return true
  end
  local function later(p, s, now, n)
    local windows = ceil((s[1] + n - p.limit) / max(1, p.limit)) - 1
    if windows <= 0 then return 0 end
    local _, stop, next = edges(p, now)
    if s[2] < stop then
      windows = windows - 1
      if windows == 0 then return stop - s[2] end
    end
    if s[2] < next then
      windows = windows - 1
      if windows == 0 then return next - s[2] end
    end
    return min(2 ^ 52, max(s[2], next) + windows * mean(p) + mean(p) / 8 - s[2])
  end
  a.wait = function(p, s, now, n)
    if not is_both(p) then return wait(p, s, now, n) end
    if a.room(p, s, now) >= n then return 0 end
    return s[2] - now + later(p, s, now, n)
  end
  a.reset = function(p, s, now)
    if not is_both(p) then return reset(p, s, now) end
    return max(0, s[2] - now + later(p, s, now, p.limit))
  end
end
`;

/** Additional code for policies with `maxDebt`. */
export const FIXED_WINDOW_DEBTS = `
do
  local a = A['fixed-window']
  local function later(p, s, n)
    if not p.debt then return 0 end
    local windows = ceil((s[1] + n - p.limit) / max(1, p.limit))
    return min(2 ^ 52, max(0, windows - 1) * p.window)
  end
  a.wait = function(p, s, now, n)
    if a.room(p, s, now) >= n then return 0 end
    return s[2] - now + later(p, s, n)
  end
  a.reset = function(p, s, now) return max(0, s[2] - now + later(p, s, p.limit)) end
  a.pay = function(p, s, now)
    if s[2] == 0 or now < s[2] then return false end
    local windows = floor((now - s[2]) / p.window) + 1
    local left = s[1] - windows * max(1, p.limit)
    if left > 0 then s[1], s[2] = left, s[2] + windows * p.window else s[1], s[2] = 0, 0 end
    return true
  end
end
`;
