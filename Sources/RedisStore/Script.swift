import Cryptography
import Primitives
import Store

/// A decision that Redis makes, in one step that no other command comes between.
struct Script: Sendable {
  let source: Bytes
  /// What Redis calls it.
  let digest: Bytes

  /// Whether it is done also where the memory is full.
  enum Need { case room, noRoom }

  /// The first line makes Redis (7 or newer) refuse the whole script at its begin, not in its middle: on a replica, also where it would
  /// only read what is behind; where the memory is full; where too few replicas are there.
  init(_ need: Need, _ parts: String...) {
    let first = need == .room ? "#!lua" : "#!lua flags=allow-oom"
    source = Array(([first] + parts).joined(separator: "\n").utf8)
    digest = Array(Hex.encode(Hash.sha1(source)).utf8)
  }
}

/// What is stored, and under which names. `HEX` is an account's id, `DEVICE` a device's, `NODE` a node's name; none of them tells
/// who somebody is. Records are sealed: Redis holds nothing that it could read.
///
/// - `rh:{HEX}` is a hash, all of one account: `a` its record, `v` its version, `d` its devices, `e` the epoch, `o` the owner
///   (`NODE:INCARNATION`, missing where nobody owns it), `r` the registration, `c` the homes of its calls, `C…` the record of each, `F…` where it
///   is kept apart its fixed part, behind eight bytes that name it,
///   `h` the held slot, `m` the merge keys of a moment ago, `l` the lines (`c`, `h`, `m` and `l` in MessagePack).
/// - `rh:d:{DEVICE}` names the account of a device.
/// - `rh:n:{DEVICE}` its nonces, by the end of their time. `rh:i:{DEVICE}` the answers under its idempotency keys.
/// - `rh:o:HOLDER` the accounts that a holder (`NODE:INCARNATION`) owns, `rh:u` those that nobody owns, `rh:h:HOLDER` those with a call
///   at home there. `rh:w` names the holders that have one of these lists.
/// - `rh:born` when all of this began, in milliseconds: another time says that Redis has forgotten everything meanwhile.
/// - `rh:nodes` what is known of each node, in MessagePack: `newest`, the incarnation of its last life; `buried`, up to which they are
///   dead; `lease`, the incarnation that has one, its `address`, and `upto` when, in milliseconds.
enum Layout {
  static func account(_ hex: String) -> Bytes { Array("rh:{\(hex)}".utf8) }
  static func device(_ id: String) -> Bytes { Array("rh:d:{\(id)}".utf8) }
  static func nonces(_ id: String) -> Bytes { Array("rh:n:{\(id)}".utf8) }
  static func answers(_ id: String) -> Bytes { Array("rh:i:{\(id)}".utf8) }
  static func owned(_ holder: Holder?) -> Bytes { Array((holder.map { "rh:o:\($0)" } ?? "rh:u").utf8) }
  static func homes(_ holder: Holder) -> Bytes { Array("rh:h:\(holder)".utf8) }
  static let nodes = Array("rh:nodes".utf8)

  /// What stands in a script before all that concerns an account.
  static let accountLua = """
    local account = KEYS[1]
    local function get(field) return redis.call('HGET', account, field) end
    local function map(field)
      local packed = get(field)
      return packed and cmsgpack.unpack(packed) or {}
    end
    local function keep(field, content)
      if next(content) == nil then redis.call('HDEL', account, field)
      else redis.call('HSET', account, field, cmsgpack.pack(content)) end
    end
    local function text(number) return string.format('%.0f', number) end
    """

  static let bornLua = """
    local function milliseconds()
      local time = redis.call('TIME')
      return time[1] * 1000 + math.floor(time[2] / 1000)
    end
    local function born()
      redis.call('SET', 'rh:born', string.format('%.0f', milliseconds()), 'NX')
      return redis.call('GET', 'rh:born')
    end
    """

  /// Who is dead: buried, or of a node that lives again. That a lease has run out says nothing alone.
  static let lifeLua = """
    local function lifeOf(node)
      local packed = redis.call('HGET', 'rh:nodes', node)
      return packed and cmsgpack.unpack(packed) or {newest = 0, buried = 0}
    end
    local function isOver(life, incarnation) return incarnation < life.newest or incarnation <= life.buried end
    local function isDead(holder)
      local node, incarnation = string.match(holder, '^(.*):(%d+)$')
      return isOver(lifeOf(node), tonumber(incarnation))
    end
    """

  /// The owner. An account that nobody owns has '' for one.
  static let ownerLua = """
    local function listOf(holder)
      if holder == '' then return 'rh:u' end
      return 'rh:o:' .. holder
    end
    local function isBehind(holder, epoch)
      local stored = get('e')
      if not stored then return false end
      stored = tonumber(stored)
      return stored > tonumber(epoch) or (stored == tonumber(epoch) and get('o') ~= holder)
    end
    local function own(id, holder, epoch)
      local before = listOf(get('o') or '')
      if before ~= listOf(holder) then redis.call('ZREM', before, id) end
      redis.call('ZADD', listOf(holder), 0, id)
      if holder == '' then redis.call('HDEL', account, 'o')
      else
        redis.call('HSET', account, 'o', holder)
        redis.call('SADD', 'rh:w', holder)
      end
      if epoch ~= '' then redis.call('HSET', account, 'e', epoch) end
    end
    local function admit(id, holder, epoch)
      if isBehind(holder, epoch) then return false end
      if get('e') ~= epoch or get('o') ~= holder then own(id, holder, epoch) end
      return true
    end
    local function index(id, devices)
      local before = get('d') or ''
      if before ~= devices then
        for device in string.gmatch(before, '[^,]+') do
          local key = 'rh:d:{' .. device .. '}'
          if redis.call('GET', key) == id then redis.call('DEL', key) end
        end
      end
      for device in string.gmatch(devices, '[^,]+') do redis.call('SET', 'rh:d:{' .. device .. '}', id, 'NX') end
    end
    """

  /// Calls as their homes know them; one that has claimed the held slot and saved nothing has an empty record.
  static let savedLua = """
    local function savedCalls()
      local saved, held = {}, map('h')
      for call, home in pairs(map('c')) do
        saved[#saved + 1] = {call, home, get('C' .. call), get('F' .. call) or ''}
        if held.call == call then held = {} end
      end
      if held.call then saved[#saved + 1] = {held.call, held.home, '', ''} end
      return saved
    end
    """

  /// Where calls are at home.
  static let homeLua = """
    local calls, held = map('c'), map('h')
    local function homeOf(call)
      if calls[call] then return calls[call] end
      if held.call == call then return held.home end
    end
    local function isElsewhere(call, home)
      local known = homeOf(call)
      return known ~= nil and known ~= home
    end
    local function list(id, holder)
      local isHere = held.home == holder
      for _, home in pairs(calls) do isHere = isHere or home == holder end
      if isHere then
        redis.call('ZADD', 'rh:h:' .. holder, 0, id)
        redis.call('SADD', 'rh:w', holder)
      else redis.call('ZREM', 'rh:h:' .. holder, id) end
    end
    local function save(id, call, home, record, limit)
      if isElsewhere(call, home) then return 'fenced' end
      if not calls[call] then
        for _, one in ipairs(map('m')) do
          if one[1] == call then return 'merged' end
        end
        local count = 0
        for _ in pairs(calls) do count = count + 1 end
        if count >= tonumber(limit) then return 'full' end
        calls[call] = home
        keep('c', calls)
        list(id, home)
      end
      redis.call('HSET', account, 'C' .. call, record)
      return 'done'
    end
    local function freeHeld(id)
      local home = held.home
      held = {}
      keep('h', held)
      list(id, home)
    end
    local function remember(merge, branch, now)
      local past = map('m')
      for _, one in ipairs(past) do
        if one[1] == merge and one[3] == branch then return end
      end
      if #past == 16 then table.remove(past, 1) end
      past[#past + 1] = {merge, now + 32000, branch}
      keep('m', past)
    end
    local function endHeld(id, now)
      remember(held.merge, held.branch, now)
      freeHeld(id)
    end
    """
}
