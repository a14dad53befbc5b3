import Network
import Testing

@testable import Demo

@LoopActor
@Suite struct JournalTests {
  @Test func whatHappenedIsFoundAndWhatComesIsAwaited() async throws {
    let journal = Journal<Int>()
    for number in 0..<10 { journal.add(number) }
    #expect(try await journal.first("even", within: .zero) { $0 > 3 } == 4)
    #expect(try await journal.first("even", from: 7, within: .zero) { $0 > 3 } == 7)
    let waiting = Task { try await journal.first("more", from: journal.count, within: .seconds(5)) { $0 > 3 } }
    await Task.yield()
    journal.add(11)
    #expect(try await waiting.value == 11)
  }

  @Test func whatNeverComesIsSaid() async {
    let journal = Journal<Int>()
    journal.add(1)
    let error = await #expect(throws: Unexpected.self) { try await journal.first("two", within: .zero) { $0 == 2 } }
    #expect(error?.description == "expected two, came 1")
  }

  @Test func theOldestAreForgottenAndPlacesStayRight() async throws {
    let journal = Journal<Int>()
    for number in 0..<100_001 { journal.add(number) }
    #expect(journal.entries.count == 50_001)
    #expect(journal.count == 100_001)
    #expect(try await journal.first("the last", from: 100_000, within: .zero) { _ in true } == 100_000)
  }
}
