internal import Primitives

/// Questions of one record type: answers that still hold, and questions in flight with all who wait for them.
@LoopActor
final class ResolverTable<Record: Sendable> {
  typealias Outcome = Result<Answer<Record>, NetworkError>
  typealias Completion = @LoopActor (Outcome) -> Void

  private let limits: ResolverLimits
  private let query: @LoopActor (String, @escaping Completion) -> Void
  private var kept: [String: (outcome: Outcome, until: Instant)] = [:]
  private var waiting: [String: [Completion]] = [:]

  init(_ limits: ResolverLimits, query: @escaping @LoopActor (String, @escaping Completion) -> Void) {
    self.limits = limits
    self.query = query
  }

  /// `completion` is called once, never from within this call.
  func ask(_ name: String, _ completion: @escaping Completion) {
    let name = name.lowercased()
    if let entry = kept[name] {
      if entry.until > Loop.now() { return Loop.soon { completion(entry.outcome) } }
      kept[name] = nil
    }
    guard waiting[name] == nil else {
      waiting[name]?.append(completion)
      return
    }
    guard waiting.count < limits.questionsInFlight else { return Loop.soon { completion(.failure(.limitReached)) } }
    waiting[name] = [completion]
    let timer = Loop.after(limits.timeout) { [self] in finish(name, .failure(.timedOut)) }
    Loop.soon { [self] in
      query(name) { [self] outcome in
        timer.cancel()
        finish(name, outcome)
      }
    }
  }

  private func finish(_ name: String, _ outcome: Outcome) {
    guard let all = waiting.removeValue(forKey: name) else { return }
    keep(name, outcome)
    for completion in all { completion(outcome) }
  }

  private func keep(_ name: String, _ outcome: Outcome) {
    let now = Loop.now()
    let until: Instant
    switch outcome {
    case .success(let answer): until = min(answer.expires, now + limits.longestTTL)
    case .failure(.nameNotFound): until = now + limits.negativeTTL
    case .failure: return
    }
    guard until > now else { return }
    if kept.count >= limits.cachedAnswers { makeRoom(now) }
    kept[name] = (outcome, until)
  }

  /// What no longer holds goes; where all of it holds, any half.
  private func makeRoom(_ now: Instant) {
    kept = kept.filter { $0.value.until > now }
    guard kept.count >= limits.cachedAnswers else { return }
    for name in kept.keys.prefix(kept.count / 2) { kept[name] = nil }
  }
}
