/** The head of every script: the time, the minimum time to live in ms, and the reply. `ARGV[1]` is a test's time. */
const HEAD = `
local call, pack, unpackd, byte = redis.call, struct.pack, struct.unpack, string.byte
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local now
if ARGV[1] == '' then
  local t = call('TIME')
  now = t[1] * 1000 + floor(t[2] / 1000)
else now = tonumber(ARGV[1]) end
local least = tonumber(ARGV[2])
local out, last = {}, 0
`;

/**
 * Reads and writes states, for the scripts that support every policy.
 *
 * A state is a letter for its algorithm, followed by little-endian doubles. Anything else is read as if there were no
 * state. A state is always written with a time to live: as long as it can matter.
 */
const TOOLS = `
local A = {}
local function load(p, key)
  local blob = call('GET', key)
  local a = p.a
  if blob and string.sub(blob, 1, 1) ~= a.tag then blob = false end
  if a.load then return a.load(blob, p) end
  local width = a.width(p)
  if blob and #blob == 8 * width + 1 then
    local s = { unpackd('<' .. string.rep('d', width), blob, 2) }
    s[#s] = nil
    return s
  end
  local s = {}
  for i = 1, width do s[i] = 0 end
  return s
end
local function save(key, blob, ms)
  call('SET', key, blob, 'PX', max(ms, least) + 100)
end
local function store(p, key, s)
  local blob = p.a.dump and p.a.dump(s) or pack('<' .. string.rep('d', #s), unpack(s))
  save(key, p.a.tag .. blob, p.a.reset(p, s, now))
end
local function policy(at)
  local denied = ARGV[at + 6]
  return {
    algorithm = ARGV[at], limit = tonumber(ARGV[at + 1]), window = tonumber(ARGV[at + 2]),
    capacity = tonumber(ARGV[at + 3]), buckets = tonumber(ARGV[at + 4]), align = ARGV[at + 5],
    denied = denied, after = tonumber(ARGV[at + 7]), blockMs = tonumber(ARGV[at + 8]),
    -- in place of a word, for refusals are free then
    debt = tonumber(denied),
  }
end
`;

/** Number of `ARGV` entries that describe a policy. */
const POLICY_LENGTH = 9;
/** Number of reply entries that describe a verdict. */
export const VERDICT_LENGTH = 8;

/** The rule from `algorithms/decide_batch.ts`. */
const RULE = `
local k = 0
local function take(p, cost, shadow)
  k = k + 1
  local t = { p = p, key = KEYS[k], cost = cost, shadow = shadow, blocked = 0 }
  p.a = A[p.algorithm]
  t.s = load(p, t.key)
  t.changed = p.debt and p.a.pay and p.a.pay(p, t.s, now) or false
  if p.a.shorten and p.a.shorten(p, t.s, now) then t.changed = true end
  if p.after > 0 then
    k = k + 1
    t.blockKey = KEYS[k]
    local blob = call('GET', t.blockKey)
    t.b = blob and { unpackd('<ddd', blob) } or { 0, 0, 0 }
    if t.b[2] - now > p.window or t.b[3] - now > p.blockMs then
      t.b[2], t.b[3] = min(t.b[2], now + p.window), min(t.b[3], now + p.blockMs)
      save(t.blockKey, pack('<ddd', t.b[1], t.b[2], t.b[3]), max(t.b[2], t.b[3]) - now)
    end
    t.blocked = max(0, t.b[3] - now)
  end
  return t
end
local function fits(t, times)
  if t.cost == 0 then return times end
  if t.blocked > 0 then return 0 end
  local room = t.p.a.room(t.p, t.s, now)
  if room >= t.cost * times then return times end
  return room < t.cost and 0 or floor(room / t.cost)
end
local function refuse(t, refusals, units, stamp)
  local p, s, changed = t.p, t.s, false
  local b = t.b
  if b then
    if b[2] <= now then b[1], b[2] = 0, now + p.window end
    refusals = min(refusals, max(1, p.after - b[1]))
  end
  if p.denied == 'charge' then
    local debt = min(refusals * t.cost, max(0, p.capacity + p.a.room(p, s, now)))
    if debt > 0 then
      p.a.take(p, s, now, debt)
      changed = true
    end
  elseif p.denied == 'extend' then
    local moved = p.a.extend(p, s, now)
    if units > 0 then stamp = moved end
    changed = true
  end
  if b then
    b[1] = b[1] + refusals
    if b[1] >= p.after then b[1], b[2], b[3] = 0, 0, now + p.blockMs end
    save(t.blockKey, pack('<ddd', b[1], b[2], b[3]), max(b[2], b[3]) - now)
    t.blocked = max(0, b[3] - now)
  end
  return stamp, changed
end
local function conclude(t, granted, refusals)
  local p, s = t.p, t.s
  local units, stamp, changed = granted * t.cost, 0, t.changed
  if units > 0 then
    stamp = p.a.take(p, s, now, units)
    changed = true
  end
  if refusals > 0 and t.blocked == 0 then
    local more
    stamp, more = refuse(t, refusals, units, stamp)
    changed = changed or more
  end
  if changed then store(p, t.key, s) end
  local blocked = t.blocked
  local remaining = blocked > 0 and 0 or max(0, p.a.room(p, s, now))
  local retry, next = 0, 0
  if refusals > 0 then retry = t.cost > p.capacity and -1 or max(blocked, p.a.wait(p, s, now, t.cost)) end
  if remaining < p.capacity then next = max(blocked, p.a.wait(p, s, now, remaining + 1)) end
  out[last + 1], out[last + 2], out[last + 3], out[last + 4] = units, refusals > 0 and 1 or 0, remaining, retry
  out[last + 5], out[last + 6] = next, max(blocked, p.a.reset(p, s, now))
  out[last + 7], out[last + 8] = blocked > 0 and 1 or 0, stamp
  last = last + ${VERDICT_LENGTH}
end
local function decide(takes, times)
  local granted = times
  for i = 1, #takes do
    local t = takes[i]
    t.fits = fits(t, times)
    if not t.shadow and t.fits < granted then granted = t.fits end
  end
  for i = 1, #takes do
    local t = takes[i]
    conclude(t, min(granted, t.fits), t.fits > granted and 0 or times - t.fits)
  end
end
`;

/**
 * Decides one batch. `ARGV[3]` is how often it is requested; each take's policy, cost and shadow follow.
 *
 * @param algorithms The algorithms in Lua that it may need
 */
export function decideText(algorithms: string): string {
  return HEAD + TOOLS + algorithms + RULE + `
local takes = {}
for at = 4, #ARGV, ${POLICY_LENGTH + 2} do
  takes[#takes + 1] = take(policy(at), tonumber(ARGV[at + ${POLICY_LENGTH}]), ARGV[at + ${POLICY_LENGTH + 1}] == '1')
end
decide(takes, tonumber(ARGV[3]))
return out
`;
}

/**
 * Decides keys under one policy one after the other, each separately. Cost and shadow follow the policy, then each
 * key's request count.
 *
 * @param algorithm The algorithm in Lua
 * @param flat Its short form, which is four times as fast; empty if it has none
 */
export function decideEachText(algorithm: string, flat: string): string {
  // functions are created anew in every script run, so rarely needed ones are created only on demand
  const general = `
local function general()
${TOOLS}${algorithm}${RULE}
  local p = policy(3)
  local cost, shadow = tonumber(ARGV[${3 + POLICY_LENGTH}]), ARGV[${4 + POLICY_LENGTH}] == '1'
  local takes = {}
  return function(key, times)
    k = key - 1
    takes[1] = take(p, cost, shadow)
    decide(takes, times)
    return k
  end
end
`;
  return HEAD + general + flat + `
local g, k = general(), 0
for at = ${5 + POLICY_LENGTH}, #ARGV do k = g(k + 1, tonumber(ARGV[at])) end
return out
`;
}

/**
 * Reads a key under a policy without changing it, whatever policy it was written under.
 *
 * @param algorithm The algorithm in Lua
 */
export function lookText(algorithm: string): string {
  return HEAD + TOOLS + algorithm + RULE + `
save = function() end
decide({ take(policy(3), 0, false) }, 1)
return out
`;
}

/**
 * Refunds units. The amount and the stamp follow the policy.
 *
 * @param algorithm The algorithm in Lua
 */
export function giveText(algorithm: string): string {
  return HEAD + TOOLS + algorithm + `
local p = policy(3)
p.a = A[p.algorithm]
local s = load(p, KEYS[1])
if not p.a.give(p, s, now, tonumber(ARGV[${4 + POLICY_LENGTH}]), tonumber(ARGV[${3 + POLICY_LENGTH}])) then return 0 end
store(p, KEYS[1], s)
return 1
`;
}

/**
 * Corrects a grant to its actual cost. The change and the stamp follow the policy. The same rule as `settleTake` in
 * `algorithms/decide_batch.ts`.
 *
 * @param algorithm The algorithm in Lua
 */
export function settleText(algorithm: string): string {
  return HEAD + TOOLS + algorithm + RULE + `
local t = take(policy(3), 0, false)
local p, s, moved = t.p, t.s, 0
local change, stamp = tonumber(ARGV[${3 + POLICY_LENGTH}]), tonumber(ARGV[${4 + POLICY_LENGTH}])
if change > 0 and p.limit > 0 then
  local room = p.a.room(p, s, now)
  moved = max(0, min(change, room + p.debt))
  local fits = p.a.owe and min(moved, max(0, room)) or moved
  if fits > 0 then p.a.take(p, s, now, fits) end
  if moved > fits then p.a.owe(p, s, now, moved - fits) end
elseif change < 0 and p.a.give(p, s, now, stamp, -change) then
  moved = change
end
t.changed = t.changed or moved ~= 0
conclude(t, 0, 0)
out[1] = moved
return out
`;
}

export const FORGET = `return redis.call('DEL', unpack(KEYS))`;
