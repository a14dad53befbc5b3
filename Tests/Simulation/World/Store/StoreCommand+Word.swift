import Store

/// For the story: what changes who has what.
extension StoreCommand {
  /// The call that it is about, and what is asked; nil for what tells nothing.
  var word: (call: CallID?, account: AccountID?, text: String)? {
    switch self {
    case .claimHeld(let account, let call, _, _, let home): (call, account, "held slot for \(home)")
    case .releaseHeld(let account, let call, let home): (call, account, "held slot free, by \(home)")
    case .endHeld(let account, let call, _, let home): (call, account, "held slot over, by \(home)")
    case .unclaimHeld(let account, let call, let isOver, let home):
      (call, account, "held slot never claimed\(isOver ? ", and it is over" : ""), by \(home)")
    case .saveCall(let account, let call, let record, _, let home): (call, account, "saved by \(home), \(record.count) bytes")
    case .adoptCall(let account, let call, let from, let to): (call, account, "adopted from \(from) by \(to)")
    case .removeCall(let account, let call, let home): (call, account, "removed by \(home)")
    case .claimOwner(let account, let holder, let epoch): (nil, account, "claimed by \(holder) after \(epoch?.number ?? 0)")
    case .claimOwners(let accounts, let holder): (nil, nil, "\(accounts.count) accounts claimed by \(holder)")
    case .releaseOwner(let account, let fence): (nil, account, "let go by \(fence.holder)")
    case .restore(let snapshot, let fence): (nil, snapshot.account.id, "restored by \(fence.holder), \(fence.epoch.number)")
    case .buryLease(let holder, let pause): (nil, nil, "bury \(holder), silent for \(pause)")
    case .leaveCluster(let holder): (nil, nil, "\(holder) leaves")
    default: nil
    }
  }
}

extension StoreReply {
  var word: String {
    switch self {
    case .owned(let epoch, let snapshot): "owned, \(epoch.number), \(snapshot.calls.count) calls"
    case .ownedBy(let fence): "owned by \(fence.holder), \(fence.epoch.number)"
    case .adopted(let record): "adopted, \(record.count) bytes"
    case .claims(let replies): replies.map(\.word).joined(separator: "; ")
    case .done: "done"
    case .fenced: "fenced"
    case .granted: "granted"
    case .busy: "busy"
    case .merged: "merged"
    case .retransmission: "a retransmission"
    case .noAccount: "no account"
    case .buried: "buried"
    case .leaseLives: "it lives"
    case .full: "full"
    default: "?"
    }
  }
}
