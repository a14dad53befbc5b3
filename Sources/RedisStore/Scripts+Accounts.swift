/// Accounts and their owners.
enum Scripts {
  static let write = Script(
    .room,
    Layout.accountLua, Layout.ownerLua,
    """
    local id, expecting, holder, epoch, record, devices = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
    local version = get('v')
    if version then
      if holder ~= '' and isBehind(holder, epoch) then return 'fenced' end
      if version ~= expecting then return 'conflict' end
      if holder == '' then return 'fenced' end
    elseif expecting ~= '' then return 'conflict' end
    for device in string.gmatch(devices, '[^,]+') do
      local other = redis.call('GET', 'rh:d:{' .. device .. '}')
      if other and other ~= id then return {'keyInUse', device} end
    end
    local time = redis.call('TIME')
    local stamp = text(math.max(tonumber(version or 0) + 1, time[1] * 1000000 + time[2]))
    index(id, devices)
    redis.call('HSET', account, 'a', record, 'v', stamp, 'd', devices)
    if holder ~= '' then admit(id, holder, epoch) elseif not version then own(id, '', '') end
    return {'written', stamp}
    """)

  static let remove = Script(
    .noRoom,
    Layout.accountLua, Layout.ownerLua,
    """
    local id, expecting, holder, epoch = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
    local version = get('v')
    if not version then return 'conflict' end
    if isBehind(holder, epoch) then return 'fenced' end
    if version ~= expecting then return 'conflict' end
    index(id, '')
    redis.call('ZREM', listOf(get('o') or ''), id)
    local held = map('h')
    if held.home then redis.call('ZREM', 'rh:h:' .. held.home, id) end
    for _, home in pairs(map('c')) do redis.call('ZREM', 'rh:h:' .. home, id) end
    redis.call('DEL', account)
    return 'done'
    """)

  static let saveRegistration = Script(
    .room,
    Layout.accountLua, Layout.ownerLua,
    """
    local id, holder, epoch, record = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
    if not get('v') then return 'noAccount' end
    if not admit(id, holder, epoch) then return 'fenced' end
    redis.call('HSET', account, 'r', record)
    return 'done'
    """)

  /// The first epoch is the time in seconds: greater than any before, also where Redis has lost what was before.
  private static let claimLua = """
    local function claim(id, holder, expecting)
      local version, epoch, owner, record, registration = unpack(redis.call('HMGET', account, 'v', 'e', 'o', 'a', 'r'))
      if not version then return 'noAccount' end
      epoch, owner = epoch or '', owner or ''
      if owner ~= holder then
        if owner ~= '' and (epoch ~= expecting or not isDead(owner)) then return {'ownedBy', owner, epoch} end
        if epoch == '' then epoch = redis.call('TIME')[1] else epoch = text(tonumber(epoch) + 1) end
        own(id, holder, epoch)
      end
      return {'owned', epoch, record, version, registration and {registration} or {}, savedCalls()}
    end
    """

  static let claimOwner = Script(
    .room,
    Layout.accountLua, Layout.lifeLua, Layout.ownerLua, Layout.savedLua, claimLua,
    """
    return claim(ARGV[1], ARGV[2], ARGV[3])
    """)

  /// The first is the claimer; then each account's key, id and expected epoch.
  static let claimOwners = Script(
    .room,
    Layout.accountLua, Layout.lifeLua, Layout.ownerLua, Layout.savedLua, claimLua,
    """
    local outcomes = {}
    for place = 2, #ARGV, 3 do
      account = ARGV[place]
      outcomes[#outcomes + 1] = claim(ARGV[place + 1], ARGV[1], ARGV[place + 2])
    end
    return outcomes
    """)

  static let releaseOwner = Script(
    .noRoom,
    Layout.accountLua, Layout.ownerLua,
    """
    local id, holder, epoch = ARGV[1], ARGV[2], ARGV[3]
    if not get('v') then return 'done' end
    if get('e') ~= epoch or get('o') ~= holder then return 'fenced' end
    own(id, '', '')
    return 'done'
    """)

  /// One page of an index, each id with the epoch of its account.
  static let listed = Script(
    .noRoom,
    """
    local after, limit = ARGV[1], tonumber(ARGV[2])
    local from = after == '' and '-' or '(' .. after
    local ids = redis.call('ZRANGEBYLEX', KEYS[1], from, '+', 'LIMIT', 0, limit + 1)
    local page = {}
    for place = 1, math.min(#ids, limit) do
      local hex = string.gsub(ids[place], '.', function(byte) return string.format('%02x', string.byte(byte)) end)
      page[#page + 1] = ids[place]
      page[#page + 1] = redis.call('HGET', 'rh:{' .. hex .. '}', 'e') or ''
    end
    return {#ids > limit and 1 or 0, page}
    """)

  static let restore = Script(
    .room,
    Layout.accountLua, Layout.ownerLua, Layout.homeLua,
    """
    local id, holder, epoch, record, devices, version, hasRegistration, registration, limit = unpack(ARGV)
    if get('v') and isBehind(holder, epoch) then return 'fenced' end
    local outcome = 'fresh'
    if get('v') then outcome = get('o') == holder and get('e') == epoch and 'done' or 'granted' end
    index(id, devices)
    redis.call('HSET', account, 'a', record, 'v', version, 'd', devices)
    if hasRegistration == '1' then redis.call('HSET', account, 'r', registration) end
    admit(id, holder, epoch)
    for place = 10, #ARGV, 3 do
      if save(id, ARGV[place], ARGV[place + 1], ARGV[place + 2], limit) == 'done' then redis.call('HDEL', account, 'F' .. ARGV[place]) end
    end
    return outcome
    """)
}
