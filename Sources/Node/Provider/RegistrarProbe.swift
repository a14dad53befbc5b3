import Cryptography
import Network
import PhoneContract
import Primitives
import SIP
import Switchboard

/// One question to a registrar: which challenges it answers a REGISTER with (phone contract, `POST /v1/probe`). The REGISTER has
/// neither Contact nor credentials: it changes nothing (RFC 3261 §10.2.3).
@LoopActor
final class RegistrarProbe {
  static let patience = Duration.seconds(10)

  let address: RegistrarAddress
  var targets: [Target] = []
  private let target: ProbeBody.Target
  private var completion: (@LoopActor (PhoneReply) -> Void)?
  private var timer: LoopTimer?
  private var tries: UInt32 = 0

  init(_ target: ProbeBody.Target, _ completion: @escaping @LoopActor (PhoneReply) -> Void) {
    self.target = target
    self.completion = completion
    address = RegistrarAddress(target)
    timer = Loop.after(Self.patience) { [weak self] in self?.finish(nil, nil) }
  }

  var isOver: Bool { completion == nil }

  /// The next server to ask.
  func next() -> Target? { targets.isEmpty ? nil : targets.removeFirst() }

  func request() -> Request {
    var random = SystemRandom()
    var seeded = SeededRandom(from: &random)
    let domain = target.domain ?? target.registrar
    let identity = "<sip:\(target.user)@\(domain)>"
    tries += 1
    return MessageBuilder.request(.register, uri: Array("sip:\(domain)".utf8), body: Bytes()) { builder in
      builder.append(.maxForwards, "70")
      builder.append(.from) { $0.append(text: identity + ";tag=" + seeded.token(12).text) }
      builder.append(.to, Array(identity.utf8))
      builder.append(.callID, seeded.token(24))
      builder.append(.cSeq, CSeq(number: tries, method: .register).bytes)
    }
  }

  /// nil: nobody answered.
  func finish(_ response: Response?, _ transport: Transport?) {
    guard let completion else { return }
    self.completion = nil
    timer?.cancel()
    guard let response, let transport else { return completion(.problem(Problem(.providerUnreachable))) }
    completion(.probed(ProbeReply(response, over: transport)))
  }
}

extension ProbeReply {
  /// What the registrar says; a 2xx asks for nothing.
  fileprivate init(_ response: Response, over transport: Transport) {
    let challenges = DigestChallenge.demands(in: response).map { ChallengeBody(realm: $0.realm.text, algorithm: $0.algorithm.text) }
    self.init(transport: TransportChoice(transport), challenges: challenges)
  }
}
