import CNghttp2
import Primitives

/// The calls into nghttp2 that need memory arranged for them.
enum HTTP2Handle {
  /// Tells the ping of `drain` from others.
  static let drainMark: Bytes = Array("draining".utf8)

  /// `streams` must live as long as the session: the callbacks get it unretained.
  static func make(_ role: HTTP2Session.Role, _ streams: HTTP2Streams) -> OpaquePointer {
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
    let result =
      switch role {
      case .server: unsafe nghttp2_session_server_new2(&session, callbacks, context, options)
      case .client: unsafe nghttp2_session_client_new2(&session, callbacks, context, options)
      }
    guard result == 0, let session = unsafe session else { preconditionFailure("no memory for an HTTP/2 session") }
    return unsafe session
  }

  static func submitSettings(_ session: OpaquePointer, _ role: HTTP2Session.Role, _ limits: HTTPLimits) {
    func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
      nghttp2_settings_entry(settings_id: Int32(bitPattern: id.rawValue), value: UInt32(clamping: value))
    }
    var entries = [entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.fieldBytes + limits.startLine)]
    switch role {
    case .server: entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams))
    case .client: entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
    }
    unsafe _ = entries.withUnsafeBufferPointer { unsafe nghttp2_submit_settings(session, 0, $0.baseAddress, $0.count) }
  }

  static func peerStreamLimit(_ session: OpaquePointer) -> Int {
    Int(unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  /// Negative where it could not be queued.
  static func submitRequest(_ session: OpaquePointer, _ fields: [(String, String)], hasBody: Bool) -> HTTP2StreamID {
    var provider = unsafe HTTP2Callbacks.body
    return unsafe withNameValues(fields) { values in
      unsafe nghttp2_submit_request(session, nil, values.baseAddress, values.count, hasBody ? &provider : nil, nil)
    }
  }

  static func submitResponse(_ session: OpaquePointer, _ id: HTTP2StreamID, _ fields: [(String, String)], hasBody: Bool) {
    var provider = unsafe HTTP2Callbacks.body
    unsafe _ = withNameValues(fields) { values in
      unsafe nghttp2_submit_response(session, id, values.baseAddress, values.count, hasBody ? &provider : nil)
    }
  }

  /// nghttp2 copies names and values before the call returns.
  private static func withNameValues<Result>(
    _ fields: [(String, String)], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
  ) -> Result {
    var pool = Bytes()
    for (name, value) in fields {
      pool += name.utf8
      pool += value.utf8
    }
    return unsafe pool.withUnsafeMutableBufferPointer { pool in
      guard var next = unsafe pool.baseAddress else { return unsafe body(UnsafeBufferPointer(start: nil, count: 0)) }
      let values = unsafe fields.map { name, value in
        let (nameLength, valueLength) = (name.utf8.count, value.utf8.count)
        defer { unsafe next += nameLength + valueLength }
        return unsafe nghttp2_nv(name: next, value: next + nameLength, namelen: nameLength, valuelen: valueLength, flags: 0)
      }
      return unsafe values.withUnsafeBufferPointer { unsafe body($0) }
    }
  }
}

extension HTTP2Session {
  /// Whether there is a body is known by what `outgoing` holds already, or may still get.
  func submitHead(_ response: HTTPResponse, on id: HTTP2StreamID) {
    guard let stream = streams.all[id] else { return }
    var fields = [(":status", String(response.status))]
    for field in response.fields where field.name == "content-length" || !HTTP1Writer.ours.contains(field.name) {
      fields.append((field.name, field.value))
    }
    HTTP2Handle.submitResponse(handle, id, fields, hasBody: !stream.outgoing.isDone)
  }

  func resume(_ id: HTTP2StreamID) {
    unsafe _ = nghttp2_session_resume_data(handle, id)
  }
}
