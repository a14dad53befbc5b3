/// Leases, by the clock of Redis: the clocks of the nodes may differ by more than a lease can bear.
///
/// The embedded store's `Membership` says what a lease and a burial mean, and why a fail-over may lose both.
///
/// A primary that is cut off from its replicas does not know that Sentinel has chosen another one, and goes on taking writes that will be
/// lost. A node that is cut off with it would live on, and take everybody else for dead. So there no lease is granted and nobody is
/// buried once no replica that is connected has said a word for longer than they ever are silent (they speak every second): then nodes
/// there are passive before the nodes on the other side, which wait for the fail-over and one lease time more, judge them. A primary
/// without any replica is alone, not cut off: it is all there is.
extension Scripts {
  /// The first argument is added to the time: tests let it pass.
  private static let leaseLua = """
    local time = redis.call('TIME')
    local seconds = tonumber(time[1])
    local now = seconds * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
    local function isCutOff(seconds)
      local replicas, speaking = 0, 0
      for lag in string.gmatch(redis.call('INFO', 'replication'), 'state=online,offset=%d+,lag=(%d+)') do
        replicas = replicas + 1
        if tonumber(lag) <= seconds then speaking = speaking + 1 end
      end
      return replicas > 0 and speaking == 0
    end
    local function know(node, life) redis.call('HSET', 'rh:nodes', node, cmsgpack.pack(life)) end
    local function hasRoom(node, limit)
      return redis.call('HEXISTS', 'rh:nodes', node) == 1 or redis.call('HLEN', 'rh:nodes') < tonumber(limit)
    end
    local function grant(life, incarnation, address, length)
      life.newest, life.lease, life.address, life.upto = incarnation, incarnation, address, now + length
    end
    """

  static let join = Script(
    .noRoom,
    Layout.lifeLua, leaseLua,
    """
    local node, address, last, length, limit, mark = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]
    if isCutOff(2) then return 'cutOff' end
    if not hasRoom(node, limit) then return 'full' end
    local known = redis.call('GET', 'rh:key')
    if known and known ~= mark then return 'otherKey' end
    local life = lifeOf(node)
    if life.address and life.address ~= address and life.upto > now then return 'nameTaken' end
    redis.call('SET', 'rh:key', mark)
    grant(life, math.max(life.newest + 1, life.buried + 1, last + 1, seconds), address, length)
    know(node, life)
    return {'joined', string.format('%.0f', life.newest)}
    """)

  static let renew = Script(
    .noRoom,
    Layout.lifeLua, leaseLua, Layout.bornLua,
    """
    local node, incarnation, address, length, limit = ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6]
    if not hasRoom(node, limit) then return 'full' end
    local life = lifeOf(node)
    if isOver(life, incarnation) then return 'leaseLost' end
    if isCutOff(2) then return 'cutOff' end
    if address == '' then address = life.lease == incarnation and life.address or nil end
    grant(life, incarnation, address, length)
    know(node, life)
    return {'renewed', born()}
    """)

  static let bury = Script(
    .noRoom,
    Layout.lifeLua, leaseLua,
    """
    local node, incarnation, pause, length = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
    local life = lifeOf(node)
    if isOver(life, incarnation) then return 'buried' end
    if isCutOff(1) then return 'cutOff' end
    if life.lease ~= incarnation then grant(life, incarnation, nil, length) end
    if math.max(now - life.upto + length, 0) < pause then
      know(node, life)
      return 'leaseLives'
    end
    know(node, {newest = life.newest, buried = incarnation})
    return 'buried'
    """)

  static let members = Script(
    .noRoom,
    Layout.lifeLua, leaseLua,
    """
    local members = {}
    for _, node in ipairs(redis.call('HKEYS', 'rh:nodes')) do
      local life = lifeOf(node)
      if life.address then
        members[#members + 1] = {node, string.format('%.0f', life.lease), life.address, math.max(life.upto - now, 0)}
      end
    end
    return members
    """)

  /// Who has nothing any more is forgotten on the way, unless it lives and may soon have something again.
  static let strays = Script(
    .noRoom,
    Layout.lifeLua, leaseLua,
    """
    local asking, most = ARGV[2], tonumber(ARGV[3])
    local dead, silent = {}, {}
    for _, holder in ipairs(redis.call('SMEMBERS', 'rh:w')) do
      local node, incarnation = string.match(holder, '^(.*):(%d+)$')
      local life = lifeOf(node)
      incarnation = tonumber(incarnation)
      if life.lease ~= incarnation or life.upto <= now then
        if redis.call('ZCARD', 'rh:o:' .. holder) + redis.call('ZCARD', 'rh:h:' .. holder) == 0 then
          redis.call('SREM', 'rh:w', holder)
        else
          local list = isOver(life, incarnation) and dead or silent
          list[#list + 1] = holder
        end
      end
    end
    table.sort(dead)
    table.sort(silent)
    local function some(list) return {unpack(list, 1, math.min(#list, most))} end
    return {redis.call('ZCARD', 'rh:u'), redis.call('ZCARD', 'rh:o:' .. asking), some(dead), some(silent)}
    """)
}

/// What is only read. By scripts too: a replica answers a command that reads with what it had a moment ago, but no script that might
/// write.
extension Scripts {
  static let fields = Script(
    .noRoom,
    """
    return redis.call('HMGET', KEYS[1], unpack(ARGV))
    """)

  /// A device that nobody has set up, or one whose account was lost with everything else: in the first seconds of an empty Redis, in
  /// which the nodes fill it again from their memory, nobody can tell.
  static let accountOf = Script(
    .noRoom,
    Layout.bornLua,
    """
    local account = redis.call('GET', KEYS[1])
    if account then return account end
    if milliseconds() - born() < 5000 then return {'young'} end
    return false
    """)
}

/// Nonces and remembered answers. The nodes say what time it is; that of Redis only clears away.
extension Scripts {
  static let useNonce = Script(
    .room,
    """
    local key, nonce, upto, now, limit = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    if redis.call('ZSCORE', key, nonce) then return 'replayed' end
    if redis.call('ZCARD', key) >= limit then return 'full' end
    redis.call('ZADD', key, upto, nonce)
    local rest = upto - now + 5000
    if redis.call('PTTL', key) < rest then redis.call('PEXPIRE', key, rest) end
    return 'fresh'
    """)

  static let remember = Script(
    .room,
    """
    local key, name, record, upto, now, limit = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
    local known = redis.call('HGET', key, 't' .. name)
    if known and tonumber(known) > now then return 'done' end
    local count = 0
    for _, field in ipairs(redis.call('HKEYS', key)) do
      if string.sub(field, 1, 1) == 't' then
        if tonumber(redis.call('HGET', key, field)) > now then count = count + 1
        else redis.call('HDEL', key, field, 'r' .. string.sub(field, 2)) end
      end
    end
    if count >= limit then return 'full' end
    redis.call('HSET', key, 't' .. name, ARGV[3], 'r' .. name, record)
    local rest = upto - now + 5000
    if redis.call('PTTL', key) < rest then redis.call('PEXPIRE', key, rest) end
    return 'done'
    """)

  static let all = [
    write, remove, saveRegistration, claimOwner, claimOwners, releaseOwner, listed, restore, claimHeld, releaseHeld, endHeld, unclaimHeld,
    claimLine, releaseLine, saveCall, adoptCall, removeCall, calls, whereabouts, join, renew, bury, members, strays, fields, accountOf,
    useNonce,
    remember,
  ]
}
