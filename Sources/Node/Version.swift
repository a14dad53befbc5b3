/// The version of this program, in one place.
public enum Version {
  public static let text: StaticString = "0.1.0"
}
