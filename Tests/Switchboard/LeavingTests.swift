import Primitives
import Store
import Testing

@testable import Switchboard

/// The node gives its bindings back; the accounts stay in the store for the next one.
@Suite struct LeavingTests {
  @Test func givesEveryBindingBackAndKeepsTheAccounts() {
    var stage = Stage()
    stage.setUp("a")
    stage.lines = []
    stage.perform(stage.board.deregisterAll(now: stage.now))
    stage.settle()
    #expect(stage.lines == ["registrar < REGISTER expires=0 authorized"])
    #expect(stage.board.load.accounts == 0)
    #expect(stage.store.accountCount == 1)
  }

  @Test func doesNotWaitForARegistrarThatIsSilent() {
    var stage = Stage()
    stage.setUp("a")
    stage.registrar.mood = .silent
    stage.perform(stage.board.deregisterAll(now: stage.now))
    stage.settle()
    #expect(stage.board.load.accounts == 1)
    stage.wait(.seconds(33))
    #expect(stage.board.load.accounts == 0)
  }
}
