extension Plan {
  /// The same with fewer faults and calls, as few as still break the same rule (delta debugging, one at a time: there are never many).
  public func shrunk() -> Plan {
    guard let rule = brokenRule else { return self }
    var smallest = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in smallest.withoutOne where candidate.brokenRule == rule {
        smallest = candidate
        isSmaller = true
        break
      }
    }
    return smallest
  }

  /// The name of the first rule that it breaks.
  private var brokenRule: Substring? {
    var world = World(self)
    return world.run().breaches.first?.prefix { $0 != ":" }
  }

  private var withoutOne: [Plan] {
    let fewerFaults = faults.indices.map { index in
      var plan = self
      plan.faults.remove(at: index)
      return plan
    }
    // A call that never comes keeps the numbers of the others.
    let fewerCalls = calls.indices.filter { calls[$0].at < .seconds(1000) }.map { index in
      var plan = self
      plan.calls[index].at = .seconds(2000)
      return plan
    }
    return fewerFaults + fewerCalls
  }
}
