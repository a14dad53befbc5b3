public import Primitives

extension Device: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    guard let id = DeviceID(try record.text(1)) else { throw .wrongType(field: 1) }
    self.init(
      id: id, name: try record.optionalText(2), mode: try record.choice(3), signKey: try record.value(4), sealKey: try record.optional(5),
      push: try record.value(6), pushState: try record.choice(7), lastActive: try record.instant(8))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, id.text)
    writer.write(2, name)
    writer.write(3, UInt64(mode.rawValue))
    writer.write(4, signKey)
    writer.write(5, sealKey)
    writer.write(6, push)
    writer.write(7, UInt64(pushState.rawValue))
    writer.write(8, lastActive)
  }
}

extension DeviceKey: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(kty: try record.text(1), crv: try record.text(2), x: try record.text(3), y: try record.optionalText(4))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, kty)
    writer.write(2, crv)
    writer.write(3, x)
    writer.write(4, y)
  }
}

extension PushAddress: RecordCodable {
  private enum Service: UInt8 {
    case apns = 1
    case fcm, webPush, none
  }

  public init(_ record: Record) throws(RecordError) {
    switch try record.choice(1, as: Service.self) {
    case .apns: self = .apns(token: try record.text(2), topic: try record.text(3), environment: try record.choice(4))
    case .fcm: self = .fcm(token: try record.text(2))
    case .webPush: self = .webPush(endpoint: try record.text(5), p256dh: try record.text(6), auth: try record.text(7))
    case .none: self = .none
    }
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, UInt64(service.rawValue))
    switch self {
    case .apns(let token, let topic, let environment):
      writer.write(2, token)
      writer.write(3, topic)
      writer.write(4, UInt64(environment.rawValue))
    case .fcm(let token): writer.write(2, token)
    case .webPush(let endpoint, let p256dh, let auth):
      writer.write(5, endpoint)
      writer.write(6, p256dh)
      writer.write(7, auth)
    case .none: break
    }
  }

  private var service: Service {
    switch self {
    case .apns: .apns
    case .fcm: .fcm
    case .webPush: .webPush
    case .none: .none
    }
  }
}
