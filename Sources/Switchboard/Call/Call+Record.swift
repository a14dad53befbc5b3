import Primitives
import SIP
import Store

/// A call as its next home needs it. What the INVITE says (transaction, caller, offer) is read from the INVITE again. Not in it: the
/// open requests of phones, which are one process's; where announcements went, since no word about them comes to another node.
extension Call: RecordCodable {
  init(_ record: Record) throws(RecordError) {
    let invite = try record.value(3, as: Request.self)
    guard let account = AccountID(bytes: try record.owned(2)) else { throw .wrongType(field: 2) }
    let (transaction, offer) = try Self.read(invite)
    self.init(
      id: CallID(number: try record.number(1)), account: account, invite: invite, transaction: transaction, flow: try record.value(4),
      localTag: try record.owned(5), caller: Caller(of: invite), offer: offer, began: try record.instant(6))
    slot = try record.optionalChoice(7)
    held = try record.optional(8)
    talk = try record.optional(9)
    if talk?.heard == nil { talk?.heard = offer }
    answeredOn = try record.optional(10) ?? talk?.line
    aftermath = try record.optional(11)
    refused = try record.optionalNumber(12, in: 400...699)
    homes = try record.optionalNumber(14, in: 0...Int(Int32.max)) ?? 0
    neverRang = try record.optionalNumber(15, in: 0...1) == 1
    missedOn = try Array(record.list(13, of: DeviceLine.self).prefix(LineMemory.most))
  }

  private static func read(_ invite: Request) throws(RecordError) -> (ServerTransactionID, offer: Bytes?) {
    do {
      guard invite.method == .invite else { throw RecordError.malformed }
      return (try ServerTransactionID(invite), try invite.sessionDescription.map { Array($0) })
    } catch {
      throw .malformed
    }
  }

  func write(to writer: inout RecordWriter) {
    writeWhatStays(to: &writer)
    writer.write(7, choice: slot)
    writer.write(8, held)
    writer.write(9, talkBesideOffer)
    writer.write(10, answeredOn == talk?.line ? nil : answeredOn)
    writer.write(11, aftermath)
    writer.write(12, number: refused)
    writer.write(13, list: missedOn)
    writer.write(14, number: homes > 0 ? homes : nil)
    writer.write(15, number: neverRang ? 1 : nil)
  }

  private func writeWhatStays(to writer: inout RecordWriter) {
    writer.write(1, id.number)
    writer.write(2, account.bytes)
    writer.write(3, invite)
    writer.write(4, flow)
    writer.write(5, localTag)
    writer.write(6, began)
  }

  /// How many bytes at the begin of the record never change.
  var fixedLength: Int {
    var writer = RecordWriter()
    writeWhatStays(to: &writer)
    return writer.bytes.count
  }

  /// What was heard first is the INVITE's.
  private var talkBesideOffer: Talk? {
    var talk = talk
    if talk?.heard == offer { talk?.heard = nil }
    return talk
  }
}
