/// A value that is changed where it is: taken out of an enum it would be copied, with all that it has collected.
final class InPlace<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}
