/**
 * What every script begins with: the time, and reading and writing of states.
 *
 * A state is a letter for its algorithm and then little-endian doubles; one of another algorithm or width counts as none. It is written with a time to live, always: as long as it can matter.
 * `ARGV[1]` is the time in ms, empty for the server's own; `ARGV[2]` the least time to live in ms.
 */
export const PROLOGUE = `
local A = {}
local now
if ARGV[1] == '' then
  local t = redis.call('TIME')
  now = t[1] * 1000 + math.floor(t[2] / 1000)
else now = tonumber(ARGV[1]) end
local least = tonumber(ARGV[2])
local function load(p)
  local blob = redis.call('GET', p.key)
  if blob and string.sub(blob, 1, 1) ~= p.a.tag then blob = false end
  if p.a.load then return p.a.load(blob) end
  local width = p.a.width(p)
  if blob and #blob == 8 * width + 1 then
    local s = { struct.unpack('<' .. string.rep('d', width), blob, 2) }
    s[#s] = nil
    return s
  end
  local s = {}
  for i = 1, width do s[i] = 0 end
  return s
end
local function save(key, blob, ms)
  redis.call('SET', key, blob, 'PX', string.format('%.0f', math.max(ms, least) + 100))
end
local function store(p, s)
  local blob = p.a.dump and p.a.dump(s) or struct.pack('<' .. string.rep('d', #s), unpack(s))
  save(p.key, p.a.tag .. blob, p.a.reset(p, s, now))
end
local function policy(at)
  return {
    algorithm = ARGV[at], limit = tonumber(ARGV[at + 1]), window = tonumber(ARGV[at + 2]),
    capacity = tonumber(ARGV[at + 3]), buckets = tonumber(ARGV[at + 4]), align = ARGV[at + 5],
    denied = ARGV[at + 6], after = tonumber(ARGV[at + 7]), blockMs = tonumber(ARGV[at + 8]),
    cost = tonumber(ARGV[at + 9]), shadow = ARGV[at + 10] == '1',
  }
end
`;

/** Decides the batch as `algorithms/decide_batch.ts` does. `ARGV[3]` says how often it is wanted. */
export const DECIDE = `
local times = tonumber(ARGV[3])
local takes, granted, k = {}, times, 0
for at = 4, #ARGV, 11 do
  local p = policy(at)
  p.a = A[p.algorithm]
  k = k + 1
  p.key = KEYS[k]
  p.s = load(p)
  if p.after > 0 then
    k = k + 1
    p.blockKey = KEYS[k]
    local blob = redis.call('GET', p.blockKey)
    p.b = blob and { struct.unpack('<ddd', blob) } or { 0, 0, 0 }
  end
  p.blocked = p.b and math.max(0, p.b[3] - now) or 0
  p.fits = times
  if p.cost > 0 then
    local room = p.blocked > 0 and 0 or p.a.room(p, p.s, now)
    if room < p.cost * times then p.fits = room < p.cost and 0 or math.floor(room / p.cost) end
  end
  if not p.shadow and p.fits < granted then granted = p.fits end
  takes[#takes + 1] = p
end
local out = {}
for _, p in ipairs(takes) do
  local s, units, stamp = p.s, math.min(granted, p.fits) * p.cost, 0
  local refusals = times - p.fits
  local changed = units > 0
  if changed then stamp = p.a.take(p, s, now, units) end
  if refusals > 0 and p.blocked == 0 then
    if p.denied == 'charge' then
      local debt = math.min(refusals * p.cost, math.max(0, p.capacity + p.a.room(p, s, now)))
      if debt > 0 then p.a.take(p, s, now, debt) changed = true end
    elseif p.denied == 'extend' then
      local moved = p.a.extend(p, s, now)
      if units > 0 then stamp = moved end
      changed = true
    end
    if p.b then
      if p.b[2] <= now then p.b[1] = 0 p.b[2] = now + p.window end
      p.b[1] = p.b[1] + refusals
      if p.b[1] >= p.after then p.b[1] = 0 p.b[2] = 0 p.b[3] = now + p.blockMs end
      save(p.blockKey, struct.pack('<ddd', p.b[1], p.b[2], p.b[3]), math.max(p.b[2], p.b[3]) - now)
      p.blocked = math.max(0, p.b[3] - now)
    end
  end
  if changed then store(p, s) end
  local remaining = p.blocked > 0 and 0 or math.max(0, p.a.room(p, s, now))
  local retry, next = 0, 0
  if refusals > 0 then retry = p.cost > p.capacity and -1 or math.max(p.blocked, p.a.wait(p, s, now, p.cost)) end
  if remaining < p.capacity then next = math.max(p.blocked, p.a.wait(p, s, now, remaining + 1)) end
  local n = #out
  out[n + 1], out[n + 2], out[n + 3], out[n + 4] = units, refusals > 0 and 1 or 0, remaining, retry
  out[n + 5], out[n + 6] = next, math.max(p.blocked, p.a.reset(p, s, now))
  out[n + 7], out[n + 8] = p.blocked > 0 and 1 or 0, stamp
end
return out
`;

/** Gives units back: the amount stands where a cost would, the stamp behind it in `ARGV[14]`. */
export const GIVE = `
local p = policy(3)
p.a = A[p.algorithm]
p.key = KEYS[1]
local s = load(p)
if not p.a.give(p, s, now, tonumber(ARGV[14]), p.cost) then return 0 end
store(p, s)
return 1
`;

/** Forgets keys. */
export const FORGET = `return redis.call('DEL', unpack(KEYS))`;
