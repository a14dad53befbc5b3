import Primitives
import Synchronization
import Testing

@testable import Telemetry

/// Takes as much as it is told to.
private final class Recorder: Sendable {
  private let state = Mutex((taken: Bytes(), room: Int.max))

  var text: String { state.withLock { $0.taken.text } }

  func allow(_ count: Int) { state.withLock { $0.room = count } }

  func log(_ level: Log.Level = .debug, _ format: Log.Format = .text, limit: Int = 1000) -> Log {
    Log(level: level, format: format, limit: limit, now: { .ms(1_764_480_000_123) }) { bytes in
      self.state.withLock { state in
        let count = min(bytes.count, state.room)
        state.taken += bytes.prefix(count)
        state.room -= count
        return count
      }
    }
  }
}

private let tag = CallTag(random: 0x0123_ABCD)

@Test func aLineOfText() {
  let recorder = Recorder()
  recorder.log().info("call held", .call(tag), .status(180), .reason("too late"), .duration("after_ms", .microseconds(1500)))
  #expect(recorder.text == "2025-11-30T05:20:00.123Z info call held call=0123abcd status=180 reason=\"too late\" after_ms=1.5\n")
}

@Test func aLineOfJSON() throws {
  let recorder = Recorder()
  let address = try #require(SocketAddress("127.0.0.1:8443"))
  recorder.log(.debug, .json).warning("a \"quote\"", .local(address), .number("n", -1), .account(AccountTag(prefix: 1)), .word("to", "a\n"))
  let fields = #""local":"127.0.0.1:8443","n":-1,"account":"00000001","to":"a\u000a""#
  #expect(recorder.text == #"{"time":"2025-11-30T05:20:00.123Z","level":"warning","message":"a \"quote\"",\#(fields)}"# + "\n")
}

@Test func lessUrgentLinesAreLeftOut() {
  let recorder = Recorder()
  let log = recorder.log(.warning)
  log.debug("d")
  log.info("i")
  log.warning("w")
  log.error("e")
  #expect(recorder.text.split(separator: "\n").map { $0.last } == ["w", "e"])
}

@Test func whatIsNotTakenIsOfferedAgain() {
  let recorder = Recorder()
  let log = recorder.log()
  recorder.allow(10)
  log.info("one")
  #expect(recorder.text.utf8.count == 10)
  recorder.allow(.max)
  log.flush()
  #expect(recorder.text.hasSuffix(" info one\n"))
}

@Test func linesWithoutRoomAreDroppedCountedAndTold() {
  let recorder = Recorder()
  let log = recorder.log(limit: 80)
  recorder.allow(0)
  for _ in 0..<5 { log.info("line") }
  #expect(log.dropped == 3)
  recorder.allow(.max)
  log.info("again")
  #expect(
    recorder.text.split(separator: "\n").map { $0.dropFirst(25) } == [
      "info line", "info line", "warning log lines dropped lines=3", "info again",
    ])
}

@Test(arguments: [
  (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
  (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
])
func theCalendar(milliseconds: Int64, text: String) {
  #expect(UTCTime(.ms(milliseconds)).text == text)
}
