import CNghttp2
import Primitives

/// Owns one nghttp2 session: the calls that go in. Those that come out are in `HTTP2Callbacks`.
@safe final class HTTP2Handle {
  /// Tells the ping of a drain from others; eight bytes.
  static let drainMark: Bytes = Array("draining".utf8)

  private let session: OpaquePointer
  /// The callbacks get it unretained, so it lives as long as the session.
  private let streams: HTTP2Streams

  init(_ role: HTTP2Session.Role, _ streams: HTTP2Streams) {
    self.streams = streams
    unsafe session = Self.open(role, streams)
    submitSettings(role, streams.limits)
  }

  deinit { unsafe nghttp2_session_del(session) }

  private static func open(_ role: HTTP2Session.Role, _ streams: HTTP2Streams) -> OpaquePointer {
    var callbacks: OpaquePointer?
    var options: OpaquePointer?
    var session: OpaquePointer?
    unsafe nghttp2_session_callbacks_new(&callbacks)
    unsafe nghttp2_option_new(&options)
    defer {
      unsafe nghttp2_session_callbacks_del(callbacks)
      unsafe nghttp2_option_del(options)
    }
    unsafe HTTP2Callbacks.install(callbacks)
    // Streams that are done are forgotten at once, and unanswered acknowledgements stay few.
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    unsafe nghttp2_option_set_max_outbound_ack(options, 100)
    let context = unsafe Unmanaged.passUnretained(streams).toOpaque()
    switch role {
    case .server: unsafe nghttp2_session_server_new2(&session, callbacks, context, options)
    case .client: unsafe nghttp2_session_client_new2(&session, callbacks, context, options)
    }
    guard let session = unsafe session else { preconditionFailure("no memory for an HTTP/2 session") }
    return unsafe session
  }

  private func submitSettings(_ role: HTTP2Session.Role, _ limits: HTTPLimits) {
    func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
      nghttp2_settings_entry(settings_id: Int32(bitPattern: id.rawValue), value: UInt32(clamping: value))
    }
    var entries = [entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.fieldBytes + limits.startLine)]
    switch role {
    case .server: entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams))
    case .client: entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
    }
    unsafe entries.withUnsafeBufferPointer { entries in
      unsafe _ = nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries.baseAddress, entries.count)
    }
  }

  /// Whether anything is still to be read or sent.
  var isAlive: Bool {
    if unsafe nghttp2_session_want_read(session) != 0 { return true }
    return unsafe nghttp2_session_want_write(session) != 0
  }

  var allowsRequests: Bool { unsafe nghttp2_session_check_request_allowed(session) != 0 }

  var peerStreamLimit: Int { unsafe HTTP2Callbacks.peerStreamLimit(session) }

  /// false where the session is beyond use.
  func receive(_ bytes: Slice) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { unsafe nghttp2_session_mem_recv(session, $0.baseAddress, $0.count) } >= 0
  }

  enum Output { case bytes(Bytes), nothing, broken }

  func output() -> Output {
    var data: UnsafePointer<UInt8>?
    let count = unsafe nghttp2_session_mem_send(session, &data)
    guard count != 0, let data = unsafe data else { return count < 0 ? .broken : .nothing }
    return count < 0 ? .broken : .bytes(unsafe Bytes(UnsafeBufferPointer(start: data, count: count)))
  }

  // MARK: Frames to send

  func ping() { unsafe _ = nghttp2_submit_ping(session, 0, nil) }

  func announceEnd() {
    unsafe nghttp2_submit_shutdown_notice(session)
    unsafe Self.drainMark.withUnsafeBufferPointer { unsafe _ = nghttp2_submit_ping(session, 0, $0.baseAddress) }
  }

  func finishDraining() {
    let last = unsafe nghttp2_session_get_last_proc_stream_id(session)
    unsafe _ = nghttp2_submit_goaway(session, 0, last, HTTP2ErrorCode.noError.rawValue, nil, 0)
  }

  func end(_ code: HTTP2ErrorCode) { unsafe _ = nghttp2_session_terminate_session(session, code.rawValue) }

  func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) { unsafe _ = nghttp2_submit_rst_stream(session, 0, id, code.rawValue) }

  func resume(_ id: HTTP2StreamID) { unsafe _ = nghttp2_session_resume_data(session, id) }

  /// Negative where it could not be queued.
  func submitRequest(_ fields: [(String, String)], hasBody: Bool) -> HTTP2StreamID {
    unsafe withNameValues(fields) { values in
      guard hasBody else { return unsafe nghttp2_submit_request(session, nil, values.baseAddress, values.count, nil, nil) }
      return unsafe withUnsafePointer(to: HTTP2Callbacks.body) { body in
        unsafe nghttp2_submit_request(session, nil, values.baseAddress, values.count, body, nil)
      }
    }
  }

  func submitResponse(_ id: HTTP2StreamID, _ fields: [(String, String)], hasBody: Bool) {
    unsafe _ = withNameValues(fields) { values in
      guard hasBody else { return unsafe nghttp2_submit_response(session, id, values.baseAddress, values.count, nil) }
      return unsafe withUnsafePointer(to: HTTP2Callbacks.body) { body in
        unsafe nghttp2_submit_response(session, id, values.baseAddress, values.count, body)
      }
    }
  }

  /// nghttp2 copies names and values before the call returns.
  private func withNameValues(_ fields: [(String, String)], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Int32) -> Int32 {
    var pool = Bytes()
    for (name, value) in fields {
      pool += name.utf8
      pool += value.utf8
    }
    return unsafe pool.withUnsafeMutableBufferPointer { pool in
      guard var next = pool.baseAddress else { return -1 }
      let values = unsafe fields.map { name, value in
        let (nameLength, valueLength) = (name.utf8.count, value.utf8.count)
        defer { unsafe next += nameLength + valueLength }
        return unsafe nghttp2_nv(name: next, value: next + nameLength, namelen: nameLength, valuelen: valueLength, flags: 0)
      }
      return unsafe values.withUnsafeBufferPointer { unsafe body($0) }
    }
  }
}
