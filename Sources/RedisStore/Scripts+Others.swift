/// Leases, by the clock of Redis: the clocks of the nodes may differ by more than a lease can bear.
extension Scripts {
  /// The first argument is added to the time: tests let it pass.
  private static let leaseLua = """
    local nodes = KEYS[1]
    local time = redis.call('TIME')
    local seconds = tonumber(time[1])
    local now = seconds * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
    local function lease(node)
      local packed = redis.call('HGET', nodes, 'l:' .. node)
      return packed and cmsgpack.unpack(packed) or {}
    end
    local function keep(node, content) redis.call('HSET', nodes, 'l:' .. node, cmsgpack.pack(content)) end
    """

  static let join = Script(
    .noRoom,
    leaseLua,
    """
    local node, address, length, limit = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
    local before = redis.call('HGET', nodes, 'n:' .. node)
    if not before and redis.call('HLEN', nodes) >= limit * 2 then return 'full' end
    local incarnation = string.format('%.0f', math.max(tonumber(before or 0) + 1, seconds))
    redis.call('HSET', nodes, 'n:' .. node, incarnation)
    keep(node, {incarnation = incarnation, address = address, upto = now + length})
    return {'joined', incarnation}
    """)

  static let renew = Script(
    .noRoom,
    leaseLua,
    """
    local node, incarnation, length = ARGV[2], ARGV[3], tonumber(ARGV[4])
    local known = lease(node)
    if known.incarnation ~= incarnation or known.upto <= now then return 'leaseLost' end
    known.upto = now + length
    keep(node, known)
    return 'renewed'
    """)

  static let endLease = Script(
    .noRoom,
    leaseLua,
    """
    local node, incarnation = ARGV[2], ARGV[3]
    if lease(node).incarnation == incarnation then redis.call('HDEL', nodes, 'l:' .. node) end
    return 'done'
    """)

  static let members = Script(
    .noRoom,
    leaseLua,
    """
    local members = {}
    for _, field in ipairs(redis.call('HKEYS', nodes)) do
      local node = string.match(field, '^l:(.*)')
      if node then
        local known = lease(node)
        if known.upto > now then members[#members + 1] = {node, known.incarnation, known.address, known.upto - now} end
      end
    end
    return members
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
    write, remove, saveRegistration, claimOwner, releaseOwner, listed, restore, claimHeld, releaseHeld, claimLine, releaseLine, saveCall,
    adoptCall, removeCall, calls, whereabouts, join, renew, endLease, members, useNonce, remember,
  ]
}
