import Testing

@testable import Node

private enum Fruit: CaseIterable { case apple, pear }

@Test func rateHistoryCountsFromTheFirstSample() {
  var history = RateHistory<Fruit>(limit: 3)
  history.sample([.apple: 100, .pear: 7])
  #expect(history[.apple] == [])
  history.sample([.apple: 104, .pear: 7])
  history.sample([.apple: 104, .pear: 8])
  #expect(history[.apple] == [4, 0])
  #expect(history[.pear] == [0, 1])
}

@Test func rateHistoryForgetsTheOldest() {
  var history = RateHistory<Fruit>(limit: 3)
  for total in [0, 1, 3, 6, 10] { history.sample([.apple: total]) }
  #expect(history[.apple] == [2, 3, 4])
  #expect(history[.pear] == [0, 0, 0])
}
