import CHiredis
public import Primitives

/// Reads answers from bytes that come in pieces, over the reader of hiredis.
@safe public final class RESPDecoder {
  private let reader: UnsafeMutablePointer<redisReader>
  /// The reader keeps its address.
  private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
  private let assembly: Assembly
  private let limits: RESPLimits

  public init(limits: RESPLimits = RESPLimits()) {
    self.limits = limits
    assembly = Assembly(limits: limits)
    unsafe functions = .allocate(capacity: 1)
    unsafe functions.initialize(to: Assembly.functions)
    guard let made = unsafe redisReaderCreateWithFunctions(functions) else { preconditionFailure("hiredis has no memory for a reader") }
    unsafe reader = unsafe made
    unsafe reader.pointee.privdata = Unmanaged.passUnretained(assembly).toOpaque()
  }

  deinit {
    unsafe redisReaderFree(reader)
    unsafe functions.deallocate()
  }

  /// Takes what came. The answers are got with `next`.
  public func feed(_ bytes: Slice) {
    guard !bytes.isEmpty else { return }
    // An error is kept by the reader, and told by `next`.
    _ = unsafe bytes.withUnsafeBytes { content in
      unsafe redisReaderFeed(reader, content.baseAddress?.assumingMemoryBound(to: CChar.self), content.count)
    }
  }

  /// The next whole answer, nil where it has not come yet. After an error there is nothing more to read.
  public func next() throws(RESPError) -> RESPValue? {
    var root: UnsafeMutableRawPointer? = nil
    guard unsafe redisReaderGetReply(reader, &root) == REDIS_OK else { throw assembly.isOver ? .tooLarge : .malformed }
    guard let place = unsafe Assembly.place(root) else {
      try checkUnread()
      return nil
    }
    return assembly.take(place)
  }

  /// The reader collects a bulk before it shows it.
  private func checkUnread() throws(RESPError) {
    let unread = unsafe reader.pointee.len - reader.pointee.pos
    guard unread <= limits.bulkBytes + Self.headBytes else { throw .tooLarge }
  }

  /// `$`, a number and two line ends.
  private static let headBytes = 64
}
