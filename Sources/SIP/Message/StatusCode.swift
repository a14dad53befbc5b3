/// The reason phrases of the statuses that this server sends (RFC 3261 §21 and the RFCs that add one).
enum StatusCode {
  /// An empty phrase (which §7.2 allows) for a status that is not in the table.
  static func phrase(_ status: Int) -> StaticString { table.first { $0.0 == status }?.1 ?? "" }

  private static let table: [(Int, StaticString)] = [
    (100, "Trying"), (180, "Ringing"), (181, "Call Is Being Forwarded"), (182, "Queued"), (183, "Session Progress"), (200, "OK"),
    (202, "Accepted"), (400, "Bad Request"), (401, "Unauthorized"), (403, "Forbidden"), (404, "Not Found"), (405, "Method Not Allowed"),
    (406, "Not Acceptable"), (407, "Proxy Authentication Required"), (408, "Request Timeout"), (413, "Request Entity Too Large"),
    (414, "Request-URI Too Long"), (415, "Unsupported Media Type"), (416, "Unsupported URI Scheme"), (420, "Bad Extension"),
    (421, "Extension Required"), (422, "Session Interval Too Small"), (423, "Interval Too Brief"), (480, "Temporarily Unavailable"),
    (481, "Call/Transaction Does Not Exist"), (482, "Loop Detected"), (483, "Too Many Hops"), (484, "Address Incomplete"),
    (486, "Busy Here"), (487, "Request Terminated"), (488, "Not Acceptable Here"), (489, "Bad Event"), (491, "Request Pending"),
    (493, "Undecipherable"), (500, "Server Internal Error"), (501, "Not Implemented"), (503, "Service Unavailable"),
    (504, "Server Time-out"), (505, "Version Not Supported"), (513, "Message Too Large"), (600, "Busy Everywhere"), (603, "Decline"),
    (604, "Does Not Exist Anywhere"), (606, "Not Acceptable"),
  ]
}
