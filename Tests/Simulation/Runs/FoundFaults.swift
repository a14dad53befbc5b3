import Testing

/// Seeds that once broke a rule, and what was wrong then. A seed tells the same story only as long as the world draws its chances in
/// the same order; each keeps its worth as one more story all the same.
enum FoundFaults {
  struct Seed: Sendable, CustomTestStringConvertible {
    let seed: UInt64
    let why: String
    var testDescription: String { "\(seed): \(why)" }
  }

  static let seeds: [Seed] = [
    Seed(seed: 2, why: "a call that rings, which the store came back without, was dropped by its home in its next life and got no answer"),
    Seed(seed: 17, why: "an account was claimed from a node that lived, since a call of it had its home at one that was dead"),
    Seed(seed: 1010, why: "a node in its next life dropped its own ringing call: it spoke of it before the store had moved it"),
    Seed(seed: 1051, why: "487 was sent while the store was away, and the call went on as if it had not ended"),
    Seed(seed: 1052, why: "a call that had ended here was adopted again from a store that had lost its end"),
    Seed(seed: 1176, why: "the same after the death of the home that had ended it"),
    Seed(seed: 2037, why: "a process that was stopped went on: it knew no other node, and one had come meanwhile"),
    Seed(seed: 3250, why: "the same with calls"),
    Seed(seed: 5200, why: "an answered call that a store came back without was dropped by the node that had been stopped"),
    Seed(seed: 5256, why: "a node that the store did not answer went on beside one that had come unseen"),
    Seed(seed: 6329, why: "a call that rang went on after another node had refused it, since the store did not know it any more"),
    Seed(seed: 7047, why: "an announcement left for the device that had answered"),
    Seed(seed: 20114, why: "a TOKEN of another node's account rang at whoever was called like the To"),
  ]
}
