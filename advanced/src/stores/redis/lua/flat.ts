import { CALENDAR_END } from "../../../algorithms/fixed_window_lua.ts";

/**
 * Short forms of the most common algorithms, for policies whose refusals are free. They have no functions, and no
 * tables but the reply: Redis creates all of a script's functions and tables in each run, which is most of a decision's
 * cost.
 *
 * They read and write the same states as the long forms, and pass states they do not recognize to `general`. They are
 * marked as pure, and have no substitutions, so that bundles without the Redis store drop them.
 */

/**
 * Wraps a short form with its constants, the loop over the keys, and the verdict.
 *
 * @param constants The constants it needs
 * @param read Reads a state and computes the available units
 * @param write Consumes the units that fit
 */
function flat(constants: string, read: string, write: string): string {
  return `
if ARGV[9] == 'free' and ARGV[10] == '0' then
  local limit, window, capacity = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  local cost = tonumber(ARGV[12])
  local g${constants}
  for i = 1, #KEYS do
    local key, times = KEYS[i], tonumber(ARGV[13 + i])
    local blob = call('GET', key)
    local fits, units, stamp, remaining, retry, next, reset = times, 0, 0, 0, 0, 0, 0${read}${FITS}${write}
    if stamp >= 0 then
      out[last + 1], out[last + 2], out[last + 3], out[last + 4] = units, fits < times and 1 or 0, remaining, retry
      out[last + 5], out[last + 6], out[last + 7], out[last + 8] = next, reset, 0, stamp
      last = last + 8
    else
      g = g or general()
      g(i, times)
    end
  end
  return out
end
`;
}

/** How often the cost fits into `room`. */
const FITS = `
    if cost > 0 and room < cost * times then fits = room < cost and 0 or floor(room / cost) end
    units = fits * cost`;

/**
 * Wraps both forms of `fixed-window`; the state is the used units and the end of the window.
 *
 * @param constants Constants that the end depends on
 * @param ending The end of a new window
 * @param isLonger Whether a window is longer than allowed
 */
function flatWindow(constants: string, ending: string, isLonger: string): string {
  return flat(
    constants,
    `
    local used, stop, shortened = 0, 0, false
    if blob and #blob == 17 and byte(blob) == 102 then
      used, stop = unpackd('<dd', blob, 2)
      if now >= stop then
        used, stop = 0, 0
      elseif ${isLonger} then
        stop, shortened = ${ending}, true
      end
    end
    local room = limit - used`,
    `
    if units > 0 then
      if stop == 0 then stop = ${ending} end
      used, stamp = used + units, stop
    end
    if units > 0 or shortened then
      call('SET', key, 'f' .. pack('<dd', used, stop), 'PX', max(stop - now, least) + 100)
    end
    if stop > 0 then reset = stop - now end
    remaining = max(0, limit - used)
    if fits < times then retry = cost > capacity and -1 or reset end
    if remaining < capacity then next = reset end`,
  );
}

/** `fixed-window` that begins with the first request, or follows the clock. */
export const FLAT_FIXED_WINDOW: string = /* @__PURE__ */ flatWindow(
  `
  local aligned = ARGV[8] == 'clock'`,
  "aligned and now - now % window + window or now + window",
  "stop - now > window",
);

/** `fixed-window` with calendar windows. */
export const FLAT_CALENDAR_WINDOW: string = /* @__PURE__ */ flatWindow(
  CALENDAR_END,
  "calendar_end(ARGV[8], now, window)",
  // a day may be longer than usual
  "stop - now > window and stop > calendar_end(ARGV[8], now, window)",
);

/** `token-bucket`: the window the debt is scaled by, when it was written, and the debt. */
export const FLAT_TOKEN_BUCKET: string = /* @__PURE__ */ flat(
  `
  local full, rate = capacity * window, max(1, limit)`,
  `
    local debt = 0
    if blob and #blob == 25 and byte(blob) == 116 then
      local w, at, d = unpackd('<ddd', blob, 2)
      if w ~= window then d = ceil(d / w * window) end
      debt = max(0, d - (now - at) * limit)
    end
    local room = limit == 0 and 0 or floor((full - debt) / window)`,
  `
    if units > 0 then
      stamp = floor(now + debt / rate)
      debt = debt + units * window
      call('SET', key, 't' .. pack('<ddd', window, now, debt), 'PX', max(ceil(debt / rate), least) + 100)
    end
    reset = ceil(debt / rate)
    remaining = max(0, room - units)
    if fits < times then
      retry = (cost > capacity or limit == 0) and -1 or max(0, ceil((debt + (cost - capacity) * window) / rate))
    end
    if remaining < capacity then next = max(0, ceil((debt + (remaining + 1 - capacity) * window) / rate)) end`,
);

/** `sliding-window`: the window, the number of the latest bucket, then the buckets as a ring. */
export const FLAT_SLIDING_WINDOW: string = /* @__PURE__ */ flat(
  `
  local buckets = tonumber(ARGV[7])
  local ring = ceil(window / ceil(window / buckets)) + 1
  local part = ceil(window / (ring - 1))
  local current = floor(now / part)
  local format = '<' .. string.rep('d', buckets + 3)
  local size = 8 * (buckets + 3) + 1`,
  `
    local s, used, first
    local known = blob and byte(blob) == 119
    if known and #blob == size then
      s = { unpackd(format, blob, 2) }
      s[buckets + 4] = nil
    end
    if known and not (s and s[1] == window) then
      stamp = -1
    else
      local latest = s and s[2] or 0
      first = max(0, max(latest, current) - ring + 1)
      used = 0
      for b = first, latest do used = used + (s and s[3 + b % ring] or 0) end
      local room = limit - used`,
  `
      if units > 0 then
        if not s then
          s = { window, current }
          for j = 3, buckets + 3 do s[j] = 0 end
        elseif current > latest then
          for b = max(latest, current - ring) + 1, current do s[3 + b % ring] = 0 end
          s[2] = current
        end
        latest = s[2]
        stamp = latest
        local at = 3 + latest % ring
        s[at] = s[at] + units
        used = used + units
        call('SET', key, 'w' .. pack(format, unpack(s)), 'PX', max((latest + ring) * part - now, least) + 100)
      end
      remaining = max(0, limit - used)
      if used > 0 then
        local newest = latest
        while s[3 + newest % ring] == 0 do newest = newest - 1 end
        reset = (newest + ring) * part - now
      end
      -- walks the oldest buckets until enough has left; what is wanted first comes first
      local more, again = remaining + 1 - (limit - used), fits < times and cost - (limit - used) or 0
      if remaining >= capacity then more = 0 end
      if cost > capacity then
        if fits < times then retry = -1 end
        again = 0
      end
      local left = max(more, again)
      if left > 0 then
        local gone = 0
        for b = first, latest do
          local units_there = s and s[3 + b % ring] or 0
          if units_there > 0 then
            gone = gone + units_there
            if next == 0 and more > 0 and gone >= more then next = (b + ring) * part - now end
            if retry == 0 and again > 0 and gone >= again then retry = (b + ring) * part - now end
            if gone >= left then break end
          end
        end
      end
    end`,
);
