import Core
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard

/// Something on its way to the push service, and from there to a phone.
struct PushJob {
  let node: Int
  let life: Int
  let call: CallID
  let device: DeviceID
  let phone: Int
  /// nil: a stop.
  let number: Int?
  var hasLeft = false
  var isDropped = false
}

extension World {
  mutating func announce(_ call: CallID, _ device: Device, _ caller: Caller, at index: Int) {
    guard let phone = phones.firstIndex(where: { $0.device == device.id }) else { return }
    let number = caller.number.flatMap { Int($0.dropFirst("+4930".count)) }.map { $0 - 1000 } ?? -1
    callNumbers[call] = number
    push(PushJob(node: index, life: nodes[index].life, call: call, device: device.id, phone: phone, number: number))
  }

  mutating func stop(_ call: CallID, _ device: Device, _ why: StopReason, at index: Int) {
    guard let phone = phones.firstIndex(where: { $0.device == device.id }) else { return }
    push(PushJob(node: index, life: nodes[index].life, call: call, device: device.id, phone: phone, number: nil))
  }

  private mutating func push(_ job: PushJob) {
    pushes.append(job)
    let isSlow = Int.random(in: 0..<10, using: &random) == 0
    let pause: Duration = isSlow ? .milliseconds(Int64.random(in: 100...4000, using: &random)) : .microseconds(200)
    queue.add(.push(pushes.count - 1, .leaves), at: now + pause)
  }

  mutating func withdraw(_ call: CallID, _ device: DeviceID, at index: Int) {
    guard
      let job = pushes.firstIndex(where: {
        $0.call == call && $0.device == device && $0.number != nil && $0.node == index && !$0.hasLeft && !$0.isDropped
      })
    else { return }
    drop(job, after: .microseconds(10))
  }

  private mutating func drop(_ job: Int, after pause: Duration) {
    pushes[job].isDropped = true
    report(job, .notSent, after: pause)
  }

  mutating func dropPushes(of index: Int, life: Int) {
    for job in pushes.indices where pushes[job].node == index && pushes[job].life == life && !pushes[job].hasLeft {
      pushes[job].isDropped = true
    }
  }

  mutating func take(_ index: Int, _ step: PushStep) {
    let job = pushes[index]
    switch step {
    case .leaves:
      guard !job.isDropped else { return }
      // A stopped process sends nothing.
      if nodes[job.node].state == .paused { return queue.add(.push(index, .leaves), at: now + .milliseconds(200)) }
      guard nodes[job.node].core.mayAct(now: now) else { return drop(index, after: .microseconds(10)) }
      guard !network.isCut(.node(job.node), .push) else { return drop(index, after: .seconds(5)) }
      pushes[index].hasLeft = true
      if let call = job.number, !legs[call].isForgotten { ledger.pushes.leaves(call, job.phone) }
      queue.add(.push(index, .arrives), at: now + network.delay(.node(job.node), .push))
    case .arrives: arrived(index)
    }
  }

  private mutating func arrived(_ index: Int) {
    let job = pushes[index]
    let call = job.number ?? callNumbers[job.call] ?? -1
    if legs.indices.contains(call), !legs[call].isForgotten { tell(job, call) }
    story.tell(now, Party.push, "\(job.number == nil ? "stop" : "announcement") of call \(call) to \(Party.phone(job.phone).name)")
    // An answer that is lost leaves the node to suppose that it was taken.
    let way = network.delay(.node(job.node), .push)
    if job.number != nil { report(index, .announced, after: Int.random(in: 0..<20, using: &random) == 0 ? .seconds(5) : way) }
    guard Int.random(in: 0..<30, using: &random) > 0 else { return }
    let pause = network.delay(.push, .phone(job.phone)) + .milliseconds(Int64.random(in: 20...800, using: &random))
    queue.add(job.number == nil ? .silence(phone: job.phone) : .announcement(phone: job.phone, call: call), at: now + pause)
  }

  private mutating func tell(_ job: PushJob, _ call: Int) {
    if job.number == nil { ledger.pushes.stopped(call, job.phone) } else { ledger.pushes.announced(call, job.phone) }
  }

  private mutating func report(_ index: Int, _ outcome: AnnouncementOutcome, after pause: Duration) {
    let job = pushes[index]
    queue.add(.nodeTimer(job.node, life: job.life, .pushed(job.call, job.device, outcome)), at: now + pause)
  }
}
