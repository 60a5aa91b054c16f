import SondeDatabases
import SondeRecords

extension Provider {
  /// Databases on this machine.
  public static let local = Provider(
    "local",
    label: "Local databases",
    sources: [
      SourceRow(
        Source.libloc.number,
        "libloc",
        owner: "IPFire Location Database",
        terms: "CC BY-SA 4.0"
      ),
      SourceRow(Source.mmdb.number, "mmdb"),
    ]
  )
}
