import Network
import Primitives
import SIP

/// One call to a phone, as a telephone makes it that keeps to RFC 3261 in every moment: it takes a new address of the other side at any
/// time, and a BYE that cannot be delivered ends the call too.
@LoopActor
final class LabCall {
  let name: String
  let kind: CallKind
  let callID: Bytes
  private let line: CallerLine
  private let ledger: Ledger
  private let invite: Request
  private var inviteID: ClientTransactionID?
  private var byeID: ClientTransactionID?
  private var dialog: Dialog?
  private var timer: LoopTimer?
  private var wantsCancel = false
  private var isOver = false
  private let ended: @LoopActor () -> Void

  /// 64·T1: without a final response until then the INVITE counts as cancelled (RFC 3261 §9.1).
  private static let longestCancel = Duration.seconds(32)
  /// For so long after its end the other side may still say something: 64·T1 and a bit.
  private static let aftermath = Duration.seconds(40)

  init(
    _ name: String, _ kind: CallKind, invite: Request, over line: CallerLine, ledger: Ledger, ended: @escaping @LoopActor () -> Void
  ) {
    (self.name, self.kind, self.invite, self.line, self.ledger, self.ended) = (name, kind, invite, line, ledger, ended)
    callID = (try? invite.callID).map { Array($0) } ?? []
  }

  func begin() {
    line.open(self)
    timer = Loop.after(kind.patience) { [weak self] in self?.giveUp() }
    inviteID = line.send(invite, of: self)
  }

  var transactions: [ClientTransactionID] { [inviteID, byeID].compactMap(\.self) }

  // MARK: Acting

  private func giveUp() {
    wantsCancel = true
    tryCancel()
  }

  private func tryCancel() {
    guard wantsCancel, dialog == nil, !isOver, let inviteID, line.cancel(inviteID, of: self) else { return }
    wantsCancel = false
    ledger.change(name) { $0.cancelled = Ledger.now }
    timer = Loop.after(Self.longestCancel) { [weak self] in self?.end() }
  }

  private func hangUp() {
    guard byeID == nil, !isOver, let bye = dialog?.request(.bye) else { return }
    ledger.change(name) { $0.bye = .init(at: Ledger.now, isByCaller: true) }
    byeID = line.send(bye, of: self)
  }

  private func end() {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    ledger.change(name) { $0.over = Ledger.now }
    ended()
    Loop.after(Self.aftermath) { self.line.close(self) }
  }

  // MARK: What comes

  func received(_ response: Response, in id: ClientTransactionID) {
    if id == byeID { return byeAnswered(response.status) }
    guard id == inviteID else { return }
    switch response.status {
    case ...100: tryCancel()
    case ..<200:
      ledger.change(name) { $0.rang = $0.rang ?? Ledger.now }
      tryCancel()
    case ..<300: answered(response)
    default:
      ledger.change(name) { $0.final = .init(at: Ledger.now, status: response.status) }
      end()
    }
  }

  /// Nothing came, or nothing could be sent.
  func failed(_ id: ClientTransactionID) {
    if id == byeID || id == inviteID { end() }
  }

  private func byeAnswered(_ status: Int) {
    guard status >= 200 else { return }
    ledger.change(name) { $0.bye?.status = status }
    end()
  }

  /// The 2xx, or one again because its ACK was lost.
  private func answered(_ response: Response) {
    let isFirst = dialog == nil
    if isFirst { dialog = try? Dialog(of: invite, answeredBy: response) }
    guard let dialog, let number = try? invite.cseq.number else { return }
    line.send(dialog.ack(cseq: number), of: self)
    guard isFirst else { return }
    ledger.change(name) { $0.final = .init(at: Ledger.now, status: response.status) }
    timer?.cancel()
    // A call that was given up and answered in the same moment (§9.1).
    timer = Loop.after(wantsCancel ? .zero : kind.talk) { [weak self] in self?.hangUp() }
  }

  /// After its own BYE the caller knows of no dialog any more (RFC 3261 §15.1.1).
  func received(_ request: Request) -> Response? {
    guard !isOver, byeID == nil, let known = dialog, (try? Dialog.ID(of: request)) == known.id else { return nil }
    guard (try? dialog?.received(request)) == .accept else { return .make(to: request, status: 500, toTag: nil) }
    switch request.method {
    case .bye:
      ledger.change(name) { $0.bye = .init(at: Ledger.now, isByCaller: false, status: 200) }
      end()
      return .make(to: request, status: 200, toTag: nil)
    case .invite, .update: return refreshed(request)
    case .info, .options: return .make(to: request, status: 200, toTag: nil)
    default: return .make(to: request, status: 405, toTag: nil)
    }
  }

  /// The other side has a new address, and gets the description that we have always had.
  private func refreshed(_ request: Request) -> Response {
    dialog?.refreshTarget(from: request)
    ledger.change(name) { $0.refreshes += 1 }
    let sdp = request.method == .update && request.message.body.isEmpty ? [] : Array(invite.message.body)
    return .make(to: request, status: 200, toTag: nil, body: sdp) { builder in
      builder.copy(.contact, from: invite.message)
      if !sdp.isEmpty { builder.append(.contentType, "application/sdp") }
    }
  }
}
