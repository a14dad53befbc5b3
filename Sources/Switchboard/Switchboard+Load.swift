public import SIP

extension Switchboard {
  /// How many accounts are in which state of registration, for the status page.
  public var registrationStates: [RegistrationStatus.State: Int] {
    accounts.values.reduce(into: [:]) { $0[$1.registration.status.state, default: 0] += 1 }
  }
}
