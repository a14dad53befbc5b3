/// Who takes part in the demo.
enum Party: String {
  case caller, provider, server
  /// The push service.
  case push
  case phone
}
