/**
 * `sliding-window` in Lua; the same rule as `sliding_window.ts`, without its running total.
 *
 * A state with a different bucket count is read as such; its length gives the count. During a deployment, processes
 * with different counts must not discard each other's usage.
 */
export const SLIDING_WINDOW = `
do
  local function ring(buckets, window) return math.ceil(window / math.ceil(window / buckets)) + 1 end
  local function ringOf(s) return ring(#s - 3, s[1]) end
  local function part(r, window) return math.ceil(window / (r - 1)) end
  local function fits(p, s) return s[1] == p.window and #s == p.buckets + 3 end
  local function oldest(s, now)
    if s[1] == 0 then return 1 end
    local r = ringOf(s)
    local current = math.floor(now / part(r, s[1]))
    return math.min(math.max(s[2], current) - r + 1, s[2] + 1)
  end
  local function used(s, now)
    local sum, r = 0, ringOf(s)
    for b = oldest(s, now), s[2] do sum = sum + s[3 + b % r] end
    return sum
  end
  local function clear(p, s)
    for i = #s, p.buckets + 4, -1 do s[i] = nil end
    for i = 1, p.buckets + 3 do s[i] = 0 end
  end
  local function take(p, s, now, n)
    local r = ring(p.buckets, p.window)
    local current = math.floor(now / part(r, p.window))
    if not fits(p, s) then
      local units = 0
      if s[1] ~= 0 then units = used(s, now) end
      clear(p, s)
      s[1], s[2] = p.window, current
      s[3 + current % r] = units
    elseif current > s[2] then
      for b = math.max(s[2], current - r) + 1, current do s[3 + b % r] = 0 end
      s[2] = current
    end
    local i = 3 + s[2] % r
    s[i] = s[i] + n
    return s[2]
  end
  A['sliding-window'] = {
    tag = 'w',
    load = function(blob, p)
      local width, rest = 0, 0
      if blob then width, rest = floor((#blob - 1) / 8), (#blob - 1) % 8 end
      -- four more bytes tell what is owed
      if width >= 4 and (rest == 0 or rest == 4) then
        local s = { unpackd('<' .. string.rep('d', width), blob, 2) }
        s[#s] = nil
        return s
      end
      local s = {}
      clear(p, s)
      return s
    end,
    room = function(p, s, now) return p.limit - used(s, now) end,
    take = take,
    wait = function(p, s, now, n)
      local missing = used(s, now) + n - p.limit
      if missing <= 0 then return 0 end
      local r = ringOf(s)
      local b = oldest(s, now)
      while b <= s[2] do
        missing = missing - s[3 + b % r]
        if missing <= 0 then break end
        b = b + 1
      end
      return (b + r) * part(r, s[1]) - now
    end,
    reset = function(p, s, now)
      local r = ringOf(s)
      for b = s[2], oldest(s, now), -1 do
        if s[3 + b % r] > 0 then return (b + r) * part(r, s[1]) - now end
      end
      return 0
    end,
    give = function(p, s, now, stamp, n)
      if not fits(p, s) or stamp > s[2] or stamp < oldest(s, now) then return false end
      local i = 3 + stamp % ringOf(s)
      if s[i] == 0 then return false end
      s[i] = math.max(0, s[i] - n)
      return true
    end,
    shorten = function(p, s, now)
      if s[1] <= p.window or used(s, now) == 0 then return false end
      take(p, s, now, 0)
      return true
    end,
    extend = function(p, s, now)
      local units = used(s, now)
      clear(p, s)
      return take(p, s, now, units)
    end,
  }
end
`;

/** Additional code for policies with `maxDebt`: buckets hold the counted units, and `debt` the owed units. */
export const SLIDING_WINDOW_DEBTS = `
do
  local a = A['sliding-window']
  local load, room, wait, reset, give = a.load, a.room, a.wait, a.reset, a.give
  local function ringOf(s) return ceil(s[1] / ceil(s[1] / (#s - 3))) + 1 end
  local function part(s, r) return ceil(s[1] / (r - 1)) end
  local function counted(s)
    local sum = 0
    for i = 3, #s do sum = sum + s[i] end
    return sum
  end
  local function leavesAt(s, unit)
    local sum, r = max(1, counted(s)), ringOf(s)
    local left, b = (unit - 1) % sum + 1, max(0, s[2] - r + 1)
    while b < s[2] do
      left = left - s[3 + b % r]
      if left <= 0 then break end
      b = b + 1
    end
    return min(2 ^ 52, (b + (floor((unit - 1) / sum) + 1) * r) * part(s, r))
  end
  a.load = function(blob, p)
    local s = load(blob, p)
    s.debt = 0
    if blob and (#blob - 1) % 8 == 4 then s.debt = (unpackd('<I4', blob, #blob - 3)) end
    return s
  end
  a.dump = function(s)
    return pack('<' .. string.rep('d', #s), unpack(s)) .. (s.debt > 0 and pack('<I4', s.debt) or '')
  end
  a.room = function(p, s, now) return room(p, s, now) - s.debt end
  a.wait = function(p, s, now, n)
    if s.debt == 0 then return wait(p, s, now, n) end
    local missing = counted(s) + s.debt + n - p.limit
    return missing <= 0 and 0 or leavesAt(s, missing) - now
  end
  a.reset = function(p, s, now)
    if s.debt == 0 then return reset(p, s, now) end
    return leavesAt(s, counted(s) + s.debt) - now
  end
  a.owe = function(p, s, now, n) s.debt = s.debt + n end
  a.pay = function(p, s, now)
    if s.debt == 0 then return false end
    local before, latest = s.debt, s[2]
    local r, sum = ringOf(s), counted(s)
    local current = floor(now / part(s, r))
    local turns = max(0, min(floor((current - s[2]) / r), floor(s.debt / sum)))
    s[2], s.debt = s[2] + turns * r, s.debt - turns * sum
    while s[2] < current and s.debt > 0 do
      s[2] = s[2] + 1
      local i = 3 + s[2] % r
      s[i] = min(s.debt, s[i])
      s.debt = s.debt - s[i]
    end
    local free = min(s.debt, p.limit - counted(s))
    if free > 0 then
      local i = 3 + s[2] % r
      s[i], s.debt = s[i] + free, s.debt - free
    end
    return s.debt ~= before or s[2] ~= latest
  end
  a.give = function(p, s, now, stamp, n)
    if not give(p, s, now, stamp, n) then return false end
    a.pay(p, s, now)
    return true
  end
end
`;
