import SondeCatalog
package import SondeOptions
import SondePrivacy
import SondeRecords
import SondeReport
import SondeSources
import SondeSystem

/// Opens what replaces addresses, and rejects options that would give them away.
package struct PrivacySetup {
  private let context: Context

  private var options: Options { context.options }

  package init(_ context: Context) { self.context = context }

  /// The context with an anonymizer, as `--anonymize` says.
  ///
  /// - Throws: ``UsageError`` for an unusable key; ``LibraryError`` without libcrypto.
  package func opened() throws -> Context {
    guard let anonymization = options.anonymization else {
      guard !options.isGiven("anonymize-key") else {
        throw context.usageError("--anonymize-key is for --anonymize pseudonym: add that")
      }
      return context
    }
    var context = context
    let key = try anonymization.needsKey ? key() : nil
    context.keyFingerprint = key?.fingerprint
    switch (anonymization, key) {
    case (.truncate(let truncation), _):
      context.anonymizer = try Anonymizer(.truncation(truncation), refangs: options.refang)
    case (.pseudonym, let key?):
      context.anonymizer = try Anonymizer(.pseudonyms(key), refangs: options.refang)
    case (.reveal, let key?): context.pseudonyms = try Pseudonyms(key)
    case (.pseudonym, nil), (.reveal, nil): break
    }
    return context
  }

  private func key() throws(UsageError) -> PseudonymKey {
    guard let path = options.anonymizeKey else {
      throw context.valueError(
        "anonymize",
        " \(options.anonymization?.spelling ?? "") needs --anonymize-key FILE; "
          + "make a key by: openssl rand -hex 32 > FILE"
      )
    }
    let problem: String
    do {
      let bytes = try WholeFile(path: path).read(atMost: PseudonymKey.longestFile)
      guard let status = FileStatus(path: path), status.mode & 0o077 == 0 else {
        throw context.valueError(
          "anonymize-key",
          ": \(path) can be read by others; run: chmod 600 \(path)"
        )
      }
      return try PseudonymKey(file: bytes)
    } catch let error as UsageError {
      throw error
    } catch let error as PseudonymKeyError {
      problem = "\(path) \(error)"
    } catch {
      problem = "\(path): \(error)"
    }
    var misuse = context.valueError("anonymize-key", ": \(problem)")
    misuse.isAboutSetup = true
    throw misuse
  }

  /// Rejects options that would give addresses away.
  ///
  /// - Throws: ``UsageError`` naming the option.
  package func check() throws(UsageError) {
    guard context.anonymizer != nil else { return }
    let fields = options.fields?.named ?? []
    if let field = fields.first(where: \.isHiddenByAnonymizer) {
      throw context.valueError(
        "fields",
        " \(field.name) has no value with --anonymize: host names give addresses away"
      )
    }
    if let name = options.by.joined().first(where: {
      Field(name: $0)?.isHiddenByAnonymizer ?? false
    }) {
      throw context.valueError(
        "by",
        " \(name) has no value with --anonymize: host names give addresses away"
      )
    }
    for (index, named) in options.with.enumerated() where named.source.givesAddressesAway {
      throw context.valueError(
        "with",
        at: index,
        " \(named.source.name) is not for --anonymize: its answers give addresses away"
      )
    }
    if options.missing != nil {
      throw context.valueError("missing", " lists true addresses, so it is not for --anonymize")
    }
  }
}

extension AddedSource {
  /// Whether the source's values often contain the address, or may contain anything.
  fileprivate var givesAddressesAway: Bool { name == "names" }
}
