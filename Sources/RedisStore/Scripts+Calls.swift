/// Calls, the held slot, lines.
extension Scripts {
  static let claimHeld = Script(
    .room,
    Layout.accountLua, Layout.lifeLua, Layout.homeLua,
    """
    local id, call, merge, branch, upto, home, now = unpack(ARGV)
    upto, now = tonumber(upto), tonumber(now)
    if not get('v') then return 'noAccount' end
    if isElsewhere(call, home) then return 'fenced' end
    if held.call and held.upto <= now then endHeld(id, now) end
    if held.call == call then
      held.upto = upto
      keep('h', held)
      return 'granted'
    end
    if held.call and held.merge == merge and held.branch == branch and not calls[held.call] and isDead(held.home) then
      freeHeld(id)
    end
    local past, copy = {}, nil
    local function compare(other, its)
      if other == merge and copy ~= 'retransmission' then copy = its == branch and 'retransmission' or 'merged' end
    end
    for _, one in ipairs(map('m')) do
      if one[2] > now then
        if one[1] == call then return 'fenced' end
        compare(one[1], one[3])
        past[#past + 1] = one
      end
    end
    compare(held.merge, held.branch)
    if copy or held.call then return copy or 'busy' end
    held = {call = call, merge = merge, branch = branch, upto = upto, home = home}
    keep('h', held)
    keep('m', past)
    list(id, home)
    return 'granted'
    """)

  static let releaseHeld = Script(
    .noRoom,
    Layout.accountLua, Layout.homeLua,
    """
    local id, call, home, now = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
    if isElsewhere(call, home) then return 'fenced' end
    if held.call == call then endHeld(id, now) end
    return 'done'
    """)

  static let endHeld = Script(
    .noRoom,
    Layout.accountLua, Layout.homeLua,
    """
    local id, call, home, merge, branch, now = unpack(ARGV)
    now = tonumber(now)
    if not get('v') then return 'noAccount' end
    if isElsewhere(call, home) then return 'fenced' end
    if held.call == call then endHeld(id, now) else remember(merge, branch, now) end
    return 'done'
    """)

  static let unclaimHeld = Script(
    .noRoom,
    Layout.accountLua, Layout.homeLua,
    """
    local id, call, home, isOver, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
    if isElsewhere(call, home) then return 'fenced' end
    if held.call == call then freeHeld(id) end
    if isOver == '1' and get('v') then remember(call, '', now) end
    return 'done'
    """)

  static let claimLine = Script(
    .room,
    Layout.accountLua, Layout.homeLua,
    """
    local call, home, device, number = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
    if not get('v') then return 'noAccount' end
    if isElsewhere(call, home) then return 'fenced' end
    if number ~= '1' and number ~= '2' then return 'busy' end
    if not string.find(',' .. get('d') .. ',', ',' .. device .. ',', 1, true) then return 'busy' end
    local lines = map('l')
    local line = device .. ',' .. number
    if lines[line] and lines[line] ~= call then return 'busy' end
    if lines[line] == nil then
      lines[line] = call
      keep('l', lines)
    end
    return 'granted'
    """)

  static let releaseLine = Script(
    .noRoom,
    Layout.accountLua, Layout.homeLua,
    """
    local call, home, line = ARGV[1], ARGV[2], ARGV[3] .. ',' .. ARGV[4]
    if isElsewhere(call, home) then return 'fenced' end
    local lines = map('l')
    if lines[line] == call then
      lines[line] = nil
      keep('l', lines)
    end
    return 'done'
    """)

  /// Without a name the record has no fixed part; with a name and without the part it has to be the one that is there.
  static let saveCall = Script(
    .room,
    Layout.accountLua, Layout.homeLua,
    """
    local id, call, home, record, limit, name, fixed = unpack(ARGV)
    if not get('v') then return 'noAccount' end
    if isElsewhere(call, home) then return 'fenced' end
    local field = 'F' .. call
    if name ~= '' and fixed == '' and string.sub(get(field) or '', 1, 8) ~= name then return 'incomplete' end
    local outcome = save(id, call, home, record, limit)
    if outcome ~= 'done' then return outcome end
    if name == '' then redis.call('HDEL', account, field)
    elseif fixed ~= '' then redis.call('HSET', account, field, name .. fixed) end
    return 'done'
    """)

  static let adoptCall = Script(
    .room,
    Layout.accountLua, Layout.lifeLua, Layout.homeLua,
    """
    local id, call, from, to = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
    if not get('v') then return 'noAccount' end
    local home = homeOf(call)
    if home ~= to and (home ~= from or not isDead(from)) then return 'fenced' end
    local record, fixed = calls[call] and get('C' .. call), get('F' .. call) or ''
    if home ~= to then
      if calls[call] then
        calls[call] = to
        keep('c', calls)
      end
      if held.call == call then
        held.home = to
        keep('h', held)
      end
      list(id, from)
      list(id, to)
    end
    return {'adopted', record and {record, fixed} or {}}
    """)

  static let removeCall = Script(
    .noRoom,
    Layout.accountLua, Layout.homeLua,
    """
    local id, call, home, now = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
    if isElsewhere(call, home) then return 'fenced' end
    if calls[call] then
      if get('v') then remember(call, '', now) end
      calls[call] = nil
      keep('c', calls)
      redis.call('HDEL', account, 'C' .. call, 'F' .. call)
      list(id, home)
    end
    local lines, isChanged = map('l'), false
    for line, other in pairs(lines) do
      if other == call then lines[line], isChanged = nil, true end
    end
    if isChanged then keep('l', lines) end
    return 'done'
    """)

  static let calls = Script(
    .noRoom,
    Layout.accountLua, Layout.savedLua,
    """
    return savedCalls()
    """)

  static let whereabouts = Script(
    .noRoom,
    Layout.accountLua, Layout.homeLua,
    """
    if not get('v') then return 'noAccount' end
    local homes, lines = {}, {}
    for call, home in pairs(calls) do homes[#homes + 1] = {call, home} end
    if held.call and not calls[held.call] then homes[#homes + 1] = {held.call, held.home} end
    for line, call in pairs(map('l')) do lines[#lines + 1] = {call, line} end
    return {'whereabouts', get('o') or '', get('e') or '', held.call or '', homes, lines}
    """)
}
