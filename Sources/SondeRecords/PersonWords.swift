/// A number with its noun: `1 request`, `1200 requests`.
package func count(_ number: Int, _ one: String, _ many: String) -> String {
  "\(number) \(number == 1 ? one : many)"
}
