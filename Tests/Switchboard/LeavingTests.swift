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
    stage.perform(stage.board.leave(now: stage.now))
    stage.settle()
    #expect(stage.lines == ["registrar < REGISTER expires=0 authorized"])
    #expect(stage.board.load.accounts == 0)
    #expect(stage.store.accountCount == 1)
  }

  @Test func endsWhatRingsAndWhatWasAnswered() throws {
    var script = Script()
    for command in ["phones a", "invite", "a fetch", "a answer", "ack", "a status", "invite 2"] { _ = try script.run(command) }
    script.stage.lines = []
    script.stage.perform(script.stage.board.leave(now: script.stage.now))
    script.stage.settle()
    #expect(
      script.stage.lines == [
        "provider < BYE 1", "a < 200 next=1 [1 ended error]", "provider(2) < 480 INVITE", "stop a refused",
        "registrar < REGISTER expires=0 authorized",
      ])
    #expect(script.stage.board.load.held == 0 && script.stage.board.load.answered == 0)
  }

  @Test func doesNotWaitForARegistrarThatIsSilent() {
    var stage = Stage()
    stage.setUp("a")
    stage.registrar.mood = .silent
    stage.perform(stage.board.leave(now: stage.now))
    stage.settle()
    #expect(stage.board.load.accounts == 1)
    stage.wait(.seconds(33))
    #expect(stage.board.load.accounts == 0)
  }
}
