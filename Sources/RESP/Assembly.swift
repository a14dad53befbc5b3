import CHiredis
import Primitives

/// One answer while it is read. To hiredis a value is its place in here, so that no memory passes between the two.
final class Assembly {
  private enum Part {
    case leaf(RESPValue)
    case array(places: [Int])
  }

  private var parts: [Part] = []
  private var bytes = 0
  private let limits: RESPLimits
  private(set) var isOver = false

  init(limits: RESPLimits) { self.limits = limits }

  /// Places are counted from 1: to hiredis nil is a failure.
  static func place(_ pointer: UnsafeMutableRawPointer?) -> Int? {
    unsafe pointer.map { Int(bitPattern: $0) - 1 }
  }

  /// The answer whose outermost value is at the place. All is empty again for the next one.
  func take(_ place: Int) -> RESPValue {
    defer {
      parts.removeAll(keepingCapacity: parts.count < 1024)
      bytes = 0
    }
    return value(at: place)
  }

  private func value(at place: Int) -> RESPValue {
    switch parts[place] {
    case .leaf(let value): value
    case .array(let places): .array(places.map { value(at: $0) })
    }
  }

  /// nil where a limit is reached: hiredis ends with an error then.
  private func add(_ part: Part, _ size: Int, _ task: UnsafePointer<redisReadTask>) -> UnsafeMutableRawPointer? {
    bytes += size
    guard parts.count < limits.values, size <= limits.bulkBytes, bytes <= limits.answerBytes, unsafe depth(task) <= limits.depth else {
      isOver = true
      return nil
    }
    let place = parts.count
    parts.append(part)
    let parent = unsafe task.pointee.parent.flatMap { unsafe Self.place($0.pointee.obj) }
    if let parent, case .array(var places) = parts[parent] {
      parts[parent] = .array(places: [])
      places.append(place)
      parts[parent] = .array(places: places)
    }
    return unsafe UnsafeMutableRawPointer(bitPattern: place + 1)
  }

  private func depth(_ task: UnsafePointer<redisReadTask>) -> Int {
    var depth = 0
    var parent = unsafe task.pointee.parent
    while let above = unsafe parent {
      depth += 1
      unsafe parent = above.pointee.parent
    }
    return depth
  }

  // MARK: What hiredis calls

  private static func of(_ task: UnsafePointer<redisReadTask>) -> Assembly? {
    unsafe task.pointee.privdata.map { unsafe Unmanaged<Assembly>.fromOpaque($0).takeUnretainedValue() }
  }

  static var functions: redisReplyObjectFunctions {
    unsafe redisReplyObjectFunctions(
      createString: { task, text, count in
        guard let task = unsafe task, let assembly = unsafe Assembly.of(task) else { return nil }
        guard count <= assembly.limits.bulkBytes else {
          assembly.isOver = true
          return nil
        }
        let bytes = unsafe Bytes(UnsafeRawBufferPointer(start: text, count: count))
        let type = unsafe task.pointee.type
        let value: RESPValue = type == REDIS_REPLY_ERROR ? .error(bytes) : type == REDIS_REPLY_STATUS ? .status(bytes) : .bulk(bytes)
        return unsafe assembly.add(.leaf(value), count, task)
      },
      createArray: { task, count in
        guard let task = unsafe task, let assembly = unsafe Assembly.of(task) else { return nil }
        // Announced is not come: nothing is reserved, but what can never fit is refused at once.
        guard Int(count) <= assembly.limits.values else {
          assembly.isOver = true
          return nil
        }
        return unsafe assembly.add(.array(places: []), 0, task)
      },
      createInteger: { task, number in
        guard let task = unsafe task, let assembly = unsafe Assembly.of(task) else { return nil }
        return unsafe assembly.add(.leaf(.integer(number)), 0, task)
      },
      createNil: { task in
        guard let task = unsafe task, let assembly = unsafe Assembly.of(task) else { return nil }
        return unsafe assembly.add(.leaf(.null), 0, task)
      },
      freeObject: { _ in })
  }
}
