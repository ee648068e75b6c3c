/**
 * `sliding-log` in Lua; the same rule as `sliding_log.ts`.
 *
 * A log may be long, so it stays packed: the total first, then pairs of time and units. Expired entries are dropped on
 * load; only the ends of the rest are read.
 */
export const SLIDING_LOG = `
do
  local function at(s, i) return struct.unpack('<dd', s.log, 16 * (i - 1) + 1) end
  local function count(s) return #s.log / 16 end
  local function take(p, s, now, n)
    s.total = s.total + n
    local last = count(s)
    if last > 0 then
      local time, u = at(s, last)
      -- a clock that was set back must not put the log out of order
      now = math.max(now, math.ceil(time))
      if time == now then
        s.log = string.sub(s.log, 1, -17) .. struct.pack('<dd', now, u + n)
        return now
      end
    end
    s.log = s.log .. struct.pack('<dd', now, n)
    return now
  end
  A['sliding-log'] = {
    tag = 'l',
    load = function(blob, p)
      if not blob then return { total = 0, log = '' } end
      local total, from = struct.unpack('<d', blob, 2)
      while from < #blob do
        local time, units = struct.unpack('<dd', blob, from)
        if time > now - p.window then break end
        total = total - units
        from = from + 16
      end
      return { total = total, log = string.sub(blob, from) }
    end,
    dump = function(s) return struct.pack('<d', s.total) .. s.log end,
    room = function(p, s) return p.limit - s.total end,
    take = take,
    wait = function(p, s, now, n)
      local missing = n - p.limit + s.total
      if missing <= 0 then return 0 end
      for i = 1, count(s) do
        local time, units = at(s, i)
        missing = missing - units
        if missing <= 0 then return math.ceil(time) + p.window - now end
      end
      return p.window
    end,
    reset = function(p, s, now)
      local last = count(s)
      if last == 0 then return 0 end
      local time = at(s, last)
      return math.max(0, math.ceil(time) + p.window - now)
    end,
    give = function(p, s, now, stamp, n)
      for i = count(s), 1, -1 do
        local time, units = at(s, i)
        if time == stamp then
          local left = math.max(0, units - n)
          local before, after = string.sub(s.log, 1, 16 * (i - 1)), string.sub(s.log, 16 * i + 1)
          s.log = before .. (left > 0 and struct.pack('<dd', time, left) or '') .. after
          s.total = s.total - units + left
          return true
        end
      end
      return false
    end,
    extend = function(p, s, now)
      local units = s.total
      s.total, s.log = 0, ''
      if units > 0 then take(p, s, now, units) end
      return now
    end,
  }
end
`;

/** Additional code for policies with `maxDebt`. */
export const SLIDING_LOG_DEBTS = `
do
  local a = A['sliding-log']
  local give = a.give
  local function at(s, i) return struct.unpack('<dd', s.log, 16 * (i - 1) + 1) end
  local function count(s) return #s.log / 16 end
  local function append(s, time, n)
    local last = count(s)
    if last > 0 then
      local latest, u = at(s, last)
      time = max(time, latest)
      if time == latest then
        s.log, n = string.sub(s.log, 1, -17), n + u
      end
    end
    s.log = s.log .. pack('<dd', time, n)
  end
  a.owe = function(p, s, now, n)
    local early, i = s.total - max(1, p.limit), 0
    s.total = s.total + n
    while n > 0 do
      i = i + 1
      local time, u = at(s, i)
      if early >= u then
        early = early - u
      else
        local part = min(n, u - early)
        early = 0
        append(s, ceil(time) + p.window - 0.5, part)
        n = n - part
      end
    end
  end
  a.pay = function(p, s, now)
    local before, owed = s.log, 0
    while count(s) > 0 do
      local time, u = at(s, count(s))
      if time <= now or time % 1 == 0 then break end
      owed = owed + u
      s.log = string.sub(s.log, 1, -17)
    end
    if owed == 0 then return false end
    s.total = s.total - owed
    local fits = max(0, min(owed, max(1, p.limit) - s.total))
    if fits > 0 then a.take(p, s, now, fits) end
    a.owe(p, s, now, owed - fits)
    return s.log ~= before
  end
  a.give = function(p, s, now, stamp, n)
    if not give(p, s, now, stamp, n) then return false end
    a.pay(p, s, now)
    return true
  end
end
`;
