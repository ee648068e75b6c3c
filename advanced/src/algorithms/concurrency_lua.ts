/** `concurrency` in Lua; the same rule as `concurrency.ts`. The next lease number, then the leases. */
export const CONCURRENCY = `
do
  local function held(s, now)
    local sum = 0
    for _, lease in ipairs(s.leases) do if lease[2] > now then sum = sum + lease[3] end end
    return sum
  end
  A['concurrency'] = {
    tag = 'c',
    load = function(blob)
      local s = { next = 0, leases = {} }
      if not blob then return s end
      s.next = (struct.unpack('<d', blob, 2))
      for i = 10, #blob, 24 do
        local number, expiry, units = struct.unpack('<ddd', blob, i)
        s.leases[#s.leases + 1] = { number, expiry, units }
      end
      return s
    end,
    dump = function(s)
      local parts = { struct.pack('<d', s.next) }
      for _, lease in ipairs(s.leases) do parts[#parts + 1] = struct.pack('<ddd', lease[1], lease[2], lease[3]) end
      return table.concat(parts)
    end,
    room = function(p, s, now) return p.limit - held(s, now) end,
    take = function(p, s, now, n)
      local kept = {}
      for _, lease in ipairs(s.leases) do if lease[2] > now then kept[#kept + 1] = lease end end
      -- by the microsecond: a lease of a key that was forgotten in this ms must not be mistaken for a new one
      local number = math.max(s.next, now * 1000 + call('TIME')[2] % 1000)
      kept[#kept + 1] = { number, now + p.window, n }
      s.leases, s.next = kept, number + 1
      return number
    end,
    wait = function(p, s, now, n)
      local missing = held(s, now) + n - p.limit
      if missing <= 0 then return 0 end
      local live = {}
      for _, lease in ipairs(s.leases) do if lease[2] > now then live[#live + 1] = lease end end
      table.sort(live, function(a, b) return a[2] < b[2] end)
      for _, lease in ipairs(live) do
        missing = missing - lease[3]
        if missing <= 0 then return lease[2] - now end
      end
      return 0
    end,
    reset = function(p, s, now)
      local latest = now
      for _, lease in ipairs(s.leases) do latest = math.max(latest, lease[2]) end
      return latest - now
    end,
    give = function(p, s, now, stamp, n)
      for i, lease in ipairs(s.leases) do
        if lease[1] == stamp and lease[2] > now then
          lease[3] = lease[3] - n
          if lease[3] <= 0 then table.remove(s.leases, i) end
          return true
        end
      end
      return false
    end,
    shorten = function(p, s, now)
      local changed = false
      for _, lease in ipairs(s.leases) do
        if lease[2] - now > p.window then
          lease[2] = now + p.window
          changed = true
        end
      end
      return changed
    end,
    extend = function() return 0 end,
  }
end
`;
