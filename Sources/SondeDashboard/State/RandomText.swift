/// Random bits as lower-case hexadecimal digits; `bits` is a multiple of 64.
func randomDigits(bits: Int) -> String {
  var generator = SystemRandomNumberGenerator()
  return (0..<bits / 64).reduce(into: "") { text, _ in
    let word = String(generator.next(), radix: 16)
    text += String(repeating: "0", count: 16 - word.count) + word
  }
}
