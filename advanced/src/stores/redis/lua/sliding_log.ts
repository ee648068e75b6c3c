/**
 * `sliding-log` in Lua; the same rule as `algorithms/sliding_log.ts`.
 *
 * A log may be long, so it stays packed: the total first, then pairs of time and units. Only its ends are read.
 */
export const SLIDING_LOG = `
do
  local function at(s, i) return struct.unpack('<dd', s.log, 16 * (i - 1) + 1) end
  local function count(s) return #s.log / 16 end
  local function expired(p, s, now)
    local i, units, n = 1, 0, count(s)
    while i <= n do
      local time, u = at(s, i)
      if time > now - p.window then break end
      units = units + u
      i = i + 1
    end
    return i, units
  end
  local function take(p, s, now, n)
    local first, units = expired(p, s, now)
    if first > 1 then s.log = string.sub(s.log, 16 * (first - 1) + 1) end
    s.total = s.total - units + n
    local last = count(s)
    if last > 0 then
      local time, u = at(s, last)
      -- a clock that was set back must not put the log out of order
      now = math.max(now, time)
      if time == now then
        s.log = string.sub(s.log, 1, -17) .. struct.pack('<dd', now, u + n)
        return now
      end
    end
    s.log = s.log .. struct.pack('<dd', now, n)
    return now
  end
  local function room(p, s, now)
    local _, units = expired(p, s, now)
    return p.limit - s.total + units
  end
  A['sliding-log'] = {
    tag = 'l',
    load = function(blob)
      if not blob then return { total = 0, log = '' } end
      return { total = (struct.unpack('<d', blob, 2)), log = string.sub(blob, 10) }
    end,
    dump = function(s) return struct.pack('<d', s.total) .. s.log end,
    room = room,
    take = take,
    wait = function(p, s, now, n)
      local missing = n - room(p, s, now)
      if missing <= 0 then return 0 end
      for i = expired(p, s, now), count(s) do
        local time, units = at(s, i)
        missing = missing - units
        if missing <= 0 then return time + p.window - now end
      end
      return p.window
    end,
    reset = function(p, s, now)
      local last = count(s)
      if last == 0 then return 0 end
      local time = at(s, last)
      return math.max(0, time + p.window - now)
    end,
    give = function(p, s, now, stamp, n)
      for i = count(s), expired(p, s, now), -1 do
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
      local units = p.limit - room(p, s, now)
      s.total, s.log = 0, ''
      if units > 0 then take(p, s, now, units) end
      return now
    end,
  }
end
`;
