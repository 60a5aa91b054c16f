/// Random bits as lower-case hexadecimal digits.
///
/// - Parameter bits: How many; a multiple of 64.
/// - Returns: The digits, four bits each.
func randomDigits(bits: Int) -> String {
  var generator = SystemRandomNumberGenerator()
  return (0..<bits / 64).reduce(into: "") { text, _ in
    let word = String(generator.next(), radix: 16)
    text += String(repeating: "0", count: 16 - word.count) + word
  }
}
