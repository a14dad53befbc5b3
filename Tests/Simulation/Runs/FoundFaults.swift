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
    Seed(seed: 517, why: "the other way of a forked INVITE had the slot before its home could say again that it had it"),
    Seed(seed: 948, why: "a final response was forgotten before its ACK: when its node died the caller heard nothing more"),
    Seed(seed: 1010, why: "a node in its next life dropped its own ringing call: it spoke of it before the store had moved it"),
    Seed(seed: 1051, why: "487 was sent while the store was away, and the call went on as if it had not ended"),
    Seed(seed: 1052, why: "a call that had ended here was adopted again from a store that had lost its end"),
    Seed(seed: 1176, why: "the same after the death of the home that had ended it"),
    Seed(seed: 1334, why: "an account that a store took back, and lost again before anybody had claimed it, was nobody's"),
    Seed(seed: 2037, why: "a process that was stopped went on: it knew no other node, and one had come meanwhile"),
    Seed(seed: 2574, why: "a copy of an INVITE that had ended rang, since an empty store knew nothing of the first one"),
    Seed(seed: 2822, why: "a call that had to be refused while its home was stopped was dropped without a word"),
    Seed(seed: 2904, why: "a node went on since the peer that it reached had no store, and the one that it did not reach had"),
    Seed(seed: 3250, why: "the same with calls"),
    Seed(seed: 3340, why: "an account was lost with the store between its former owner and the next one"),
    Seed(seed: 4410, why: "a process that was stopped judged as soon as it went on, as if the store had answered it all the time"),
    Seed(seed: 5200, why: "an answered call that a store came back without was dropped by the node that had been stopped"),
    Seed(seed: 5256, why: "a node that the store did not answer went on beside one that had come unseen"),
    Seed(seed: 5284, why: "a node that had been stopped filled an empty store with what it knew, before the adopter of its call could"),
    Seed(seed: 6329, why: "a call that rang went on after another node had refused it, since the store did not know it any more"),
    Seed(seed: 6399, why: "a node with a slow store, alone, never heard of the one that came and buried it"),
    Seed(seed: 6723, why: "a call was yielded to a home that was dead, since the store had lost its burial"),
    Seed(seed: 7047, why: "an announcement left for the device that had answered"),
    Seed(seed: 7677, why: "a home took up its call again with older numbers than the home in between had used"),
    Seed(seed: 9296, why: "a home that came back spoke of a call before the one that had it meanwhile could"),
    Seed(seed: 13241, why: "a process that was stopped took an old word about the store for a new one, and gave a slot away"),
    Seed(seed: 20114, why: "a TOKEN of another node's account rang at whoever was called like the To"),
    Seed(seed: 51957, why: "a process that had just begun adopted a call that its home had not said again yet"),
    Seed(seed: 201628, why: "a dialog was denied, since its home could not be reached"),
    Seed(seed: 300128, why: "a process that was stopped went on with an announcement of before"),
    Seed(seed: 300853, why: "a node without a store went on beside one that it had buried, and that had come back"),
    Seed(seed: 303216, why: "an INVITE that had never had its slot was remembered as one that had rung"),
    Seed(seed: 309517, why: "an owner that was cut off never heard that another one had removed its binding"),
    Seed(seed: 312171, why: "an adopted call whose ACK had not come was dropped with the store's memory of it"),
    Seed(seed: 315563, why: "a node in its next life did not say which calls had ended in the one before"),
    Seed(seed: 317127, why: "an ended call that the store had lost was not said to have ended until its node had it again"),
    Seed(seed: 318554, why: "a call that had been hung up was dropped by a node that came back, and its BYE with it"),
    Seed(seed: 320981, why: "peers that had not noticed a fail-over yet said that the store had answered them all the time"),
    Seed(seed: 402886, why: "an INVITE that another home had refused was rung for by a node that came back"),
    Seed(seed: 403471, why: "a REGISTER of the owner before came through after the next one's"),
    Seed(seed: 908512, why: "a registrar knew a higher CSeq than the store, and refused to remove a binding for as long as that lasted"),
    Seed(seed: 511186, why: "a home of before spoke of a call before the one that had adopted it, and was back too, could"),
    Seed(seed: 2002927, why: "an end that waited for the store which came back empty was not said to it once more"),
    Seed(seed: 2106631, why: "a call that had ended here was taken up from a home before, which the store had gone back to"),
    Seed(seed: 2211110, why: "a call was given up while the owner of its account was cut off from the store, which had lost it"),
    Seed(seed: 2400212, why: "a process that had just begun took a slot before the home that came back beside it could say its own"),
    Seed(seed: 2615190, why: "an owner never heard that another one had removed its binding, since the answer that said so was lost"),
    Seed(seed: 2405863, why: "a home whose word the store could not take was not waited for"),
    Seed(seed: 2716723, why: "a waiting copy of an INVITE got the slot of the call that its node was still asking for"),
    Seed(seed: 2719102, why: "an account that a node said it had had, in the name of a life that was over, was claimed by nobody"),
    Seed(seed: 2821801, why: "a final response left with the record of what was before it"),
    Seed(
      seed: 3100931, why: "of two homes that had adopted a call from the same one, the one that had been stopped overwrote the other's word"
    ),
    Seed(seed: 4108935, why: "a node that had never met the one it buried went on without the store beside its next life"),
    Seed(
      seed: 6010653,
      why: "a slot was given away in an account that the store had just learnt of again, before another home could say its call"),
    Seed(seed: 6075882, why: "the same as 6010653 where the home that waited was the account's owner"),
    Seed(seed: 6055237, why: "an INVITE that came once more to the next life had an answer, and another one as the call that this took up"),
    Seed(seed: 11001113, why: "an owner never heard that another one had had the account since, and had let it go"),
    Seed(seed: 12052417, why: "an ACK to a 200 that was sent again stood for a caller who had hung up at the home before"),
    Seed(seed: 9051653, why: "a home of before took up a call that had ended at a later one, of which the memory of its lines was left"),
    Seed(
      seed: 13007434,
      why: "a slot was given away beside a home that had gone on a moment ago, and could not have asked yet whose its call was"),
    Seed(seed: 40511374, why: "a node that came back asked for the slot of a call that waited before it said that another one had rung"),
    Seed(
      seed: 70029036, why: "an INVITE that came once more to the next life was refused as a copy of the call that rang with it elsewhere"),
    Seed(
      seed: 80061773,
      why: "a home of before spoke of a call whose end the one that had adopted it had not said yet to a store that came back"),
    Seed(seed: 84038814, why: "a home of before went on with a call that the one which had adopted it had ended and removed"),
    Seed(seed: 13008404, why: "of two homes of one forked INVITE the one that waited for the slot spoke before the one that had rung"),
  ]
}
