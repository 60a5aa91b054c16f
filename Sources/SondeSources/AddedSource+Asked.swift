public import SondeCatalog

extension AddedSource {
  /// How it is asked; `nil` for a table.
  public var asked: AskedSource? {
    switch origin {
    case .networks: nil
    case .names: .names
    case .registries: .owner
    }
  }
}
