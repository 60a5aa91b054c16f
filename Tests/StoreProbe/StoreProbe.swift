@main
struct StoreProbe {
  static func main() async {}
}
