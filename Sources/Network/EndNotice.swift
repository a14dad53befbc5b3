/// Tells the end of a connection once, also to somebody who comes to ask after it.
@LoopActor
final class EndNotice {
  var handler: (@LoopActor (StreamEnd) -> Void)? {
    didSet {
      guard why != nil, handler != nil else { return }
      Loop.soon { [self] in tell() }
    }
  }

  private var why: StreamEnd?

  /// The connection is gone; the first reason counts.
  func came(_ reason: StreamEnd) {
    why = why ?? reason
    tell()
  }

  private func tell() {
    guard let why, let handler else { return }
    self.handler = nil
    handler(why)
  }
}
