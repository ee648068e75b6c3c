/**
 * `sliding-log` in Lua; the same rule as `sliding_log.ts`.
 *
 * A log may be long, so it stays packed: the total first, then pairs of time and units. What has expired is left out
 * when it is loaded; of the rest only the ends are read.
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
      now = math.max(now, time)
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
