internal import CCares
internal import Primitives

/// Reads SRV and NAPTR records out of a name server's reply.
enum ReplyReader {
  /// nil where the reply is malformed.
  static func services(in reply: Bytes) -> [SRVRecord]? {
    var list: UnsafeMutablePointer<ares_srv_reply>?
    guard unsafe ares_parse_srv_reply(reply, Int32(reply.count), &list) == ARES_SUCCESS else { return nil }
    defer { unsafe ares_free_data(list) }
    var records: [SRVRecord] = []
    var next = unsafe list
    while let item = unsafe next?.pointee {
      let target = unsafe String(cString: item.host)
      records.append(unsafe SRVRecord(priority: item.priority, weight: item.weight, port: item.port, target: target))
      unsafe next = item.next
    }
    return records
  }

  /// By order and preference; nil where the reply is malformed.
  static func pointers(in reply: Bytes) -> [NAPTRRecord]? {
    var list: UnsafeMutablePointer<ares_naptr_reply>?
    guard unsafe ares_parse_naptr_reply(reply, Int32(reply.count), &list) == ARES_SUCCESS else { return nil }
    defer { unsafe ares_free_data(list) }
    var records: [NAPTRRecord] = []
    var next = unsafe list
    while let item = unsafe next?.pointee {
      records.append(
        unsafe NAPTRRecord(
          order: item.order, preference: item.preference, flags: String(cString: item.flags),
          service: String(cString: item.service), regexp: String(cString: item.regexp),
          replacement: String(cString: item.replacement)))
      unsafe next = item.next
    }
    return records.sorted { ($0.order, $0.preference) < ($1.order, $1.preference) }
  }

  /// The shortest TTL of the answer section, which c-ares does not hand out for these records. nil where it cannot be read.
  static func shortestTTL(in reply: Bytes) -> Duration? {
    guard reply.count >= 12 else { return nil }
    var position = 12
    for _ in 0..<number(reply, at: 4, bytes: 2) {
      guard let end = endOfName(reply, at: position) else { return nil }
      position = end + 4
    }
    var shortest: Int?
    for _ in 0..<number(reply, at: 6, bytes: 2) {
      guard let end = endOfName(reply, at: position), end + 10 <= reply.count else { return nil }
      shortest = min(shortest ?? .max, number(reply, at: end + 4, bytes: 4))
      position = end + 10 + number(reply, at: end + 8, bytes: 2)
    }
    return shortest.map { .seconds($0) }
  }

  /// RFC 1035 §4.1.4: labels until the empty one, or a pointer that ends the name here.
  private static func endOfName(_ reply: Bytes, at start: Int) -> Int? {
    var position = start
    while position < reply.count {
      let length = Int(reply[position])
      if length == 0 { return position + 1 }
      if length >= 0xC0 { return position + 2 }
      position += length + 1
    }
    return nil
  }

  private static func number(_ reply: Bytes, at start: Int, bytes: Int) -> Int {
    reply[start..<start + bytes].reduce(0) { $0 << 8 | Int($1) }
  }
}

extension NetworkError {
  init(ares status: Int32) {
    self =
      switch status {
      case ARES_ENOTFOUND, ARES_ENODATA, ARES_EBADNAME: .nameNotFound
      case ARES_ETIMEOUT: .timedOut
      case ARES_ECANCELLED, ARES_EDESTRUCTION: .closed
      default: .resolverFailed
      }
  }
}
