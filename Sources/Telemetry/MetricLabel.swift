/// The values that one label can have, all known when the program is compiled: so the number of series is bounded, and
/// nothing that a peer sends can become a label.
public protocol MetricLabel: CaseIterable, Hashable, Sendable, RawRepresentable<String> {
  /// The label's name, such as `outcome`.
  static var labelName: StaticString { get }
}

/// One instrument for each value of a label.
public struct Labelled<Label: MetricLabel, Instrument: Sendable>: Sendable {
  private let instruments: [Label: Instrument]

  init(make: () -> Instrument) {
    var instruments: [Label: Instrument] = [:]
    for label in Label.allCases { instruments[label] = make() }
    self.instruments = instruments
  }

  /// In the order of the label's cases.
  var all: [(label: Label, instrument: Instrument)] {
    Label.allCases.compactMap { label in instruments[label].map { (label, $0) } }
  }

  public subscript(label: Label) -> Instrument {
    guard let instrument = instruments[label] else { preconditionFailure("a label value outside its allCases") }
    return instrument
  }
}
