import CHiredis
public import Primitives

public enum RESPCommand {
  /// A command and its arguments, ready to be sent. Bytes of any value are allowed.
  public static func encode(_ words: [Bytes]) -> Bytes {
    // The words one after the other, so that one buffer holds them while hiredis reads.
    let all = words.flatMap(\.self) + [0]
    let lengths = words.map(\.count)
    return unsafe all.withUnsafeBufferPointer { unsafe format($0, lengths) }
  }

  private static func format(_ all: UnsafeBufferPointer<UInt8>, _ lengths: [Int]) -> Bytes {
    guard let base = all.baseAddress else { return [] }
    var offset = 0
    var words: [UnsafePointer<CChar>?] = unsafe []
    for length in lengths {
      unsafe words.append(UnsafeRawPointer(base + offset).assumingMemoryBound(to: CChar.self))
      offset += length
    }
    var formatted: UnsafeMutablePointer<CChar>? = nil
    let count = unsafe redisFormatCommandArgv(&formatted, Int32(words.count), &words, lengths)
    guard count >= 0, let text = unsafe formatted else { preconditionFailure("hiredis has no memory for a command") }
    defer { unsafe redisFreeCommand(text) }
    return unsafe Bytes(UnsafeRawBufferPointer(start: text, count: Int(count)))
  }
}
