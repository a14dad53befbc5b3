import CNghttp2
import Primitives

/// Where nghttp2 calls us: each turns pointers into values and hands them to `HTTP2Streams`.
enum HTTP2Callbacks {
  static func install(_ callbacks: OpaquePointer?) {
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
      unsafe streams(context).headBegan(header(frame).stream_id)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameLength, value, valueLength, _, context in
      unsafe streams(context).field(header(frame).stream_id, bytes(name, nameLength).text, bytes(value, valueLength))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, length, context in
      unsafe streams(context).data(id, bytes(data, length)[...])
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, context in
      unsafe received(frame, streams(context), session)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
      unsafe sent(frame, streams(context))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, context in
      // A request that could not be opened any more has no stream that would be closed.
      if unsafe header(frame).type == headersType { unsafe streams(context).closed(header(frame).stream_id, .refusedStream) }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, context in
      unsafe streams(context).closed(id, HTTP2ErrorCode(rawValue: code))
      return 0
    }
  }

  /// The source of every body: what the stream has to send. An empty answer waits for `nghttp2_session_resume_data`.
  static var body: nghttp2_data_provider {
    unsafe nghttp2_data_provider(source: nghttp2_data_source()) { _, id, buffer, length, flags, _, context in
      unsafe provide(id, UnsafeMutableRawBufferPointer(start: buffer, count: length), flags, streams(context))
    }
  }

  static func peerStreamLimit(_ session: OpaquePointer) -> Int {
    Int(unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }
}

private let headersType = UInt8(truncatingIfNeeded: NGHTTP2_HEADERS.rawValue)
private let dataType = UInt8(truncatingIfNeeded: NGHTTP2_DATA.rawValue)
private let endStream = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_END_STREAM.rawValue)
private let acknowledgement = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_ACK.rawValue)

private func streams(_ context: UnsafeMutableRawPointer?) -> HTTP2Streams {
  guard let context = unsafe context else { preconditionFailure("a callback without its context") }
  return unsafe Unmanaged<HTTP2Streams>.fromOpaque(context).takeUnretainedValue()
}

private func header(_ frame: UnsafePointer<nghttp2_frame>?) -> nghttp2_frame_hd {
  unsafe frame?.pointee.hd ?? nghttp2_frame_hd()
}

private func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Bytes {
  unsafe Bytes(UnsafeBufferPointer(start: start, count: count))
}

private func received(_ frame: UnsafePointer<nghttp2_frame>?, _ streams: HTTP2Streams, _ session: OpaquePointer?) {
  let head = unsafe header(frame)
  let isAcknowledgement = head.flags & acknowledgement != 0
  switch UInt32(head.type) {
  case NGHTTP2_HEADERS.rawValue: streams.headEnded(head.stream_id)
  case NGHTTP2_DATA.rawValue where head.length == 0 && head.flags & endStream == 0: streams.idleFrame()
  case NGHTTP2_SETTINGS.rawValue where !isAcknowledgement:
    streams.idleFrame()
    if let session = unsafe session { unsafe streams.settingsReceived(streamsAllowed: HTTP2Callbacks.peerStreamLimit(session)) }
  case NGHTTP2_PING.rawValue where isAcknowledgement: unsafe acknowledged(frame, streams)
  case NGHTTP2_PING.rawValue, NGHTTP2_RST_STREAM.rawValue, NGHTTP2_PRIORITY.rawValue: streams.idleFrame()
  case NGHTTP2_GOAWAY.rawValue: streams.emit(.goAway)
  default: break
  }
  if head.type == headersType || head.type == dataType, head.flags & endStream != 0 { streams.remoteEnded(head.stream_id) }
}

private func acknowledged(_ frame: UnsafePointer<nghttp2_frame>?, _ streams: HTTP2Streams) {
  guard let payload = unsafe frame?.pointee.ping.opaque_data else { return }
  let isDrainMark = unsafe withUnsafeBytes(of: payload) { unsafe $0.elementsEqual(HTTP2Handle.drainMark) }
  if isDrainMark { streams.chores.append(.finishDraining) } else { streams.emit(.pong) }
}

private func sent(_ frame: UnsafePointer<nghttp2_frame>?, _ streams: HTTP2Streams) {
  let head = unsafe header(frame)
  guard head.type == headersType || head.type == dataType, head.flags & endStream != 0 else { return }
  streams.all[head.stream_id]?.isSent = true
}

private func provide(
  _ id: HTTP2StreamID, _ buffer: UnsafeMutableRawBufferPointer, _ flags: UnsafeMutablePointer<UInt32>?, _ streams: HTTP2Streams
) -> Int {
  guard let part = streams.all[id]?.outgoing.take(upTo: buffer.count), let rest = streams.all[id]?.outgoing else {
    return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
  }
  if rest.isDone { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
  if part.isEmpty, !rest.isDone { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
  unsafe buffer.copyBytes(from: part)
  return part.count
}
