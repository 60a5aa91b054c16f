import Foundation

/// The files of the project, as they lie beside this test.
enum Tree {
  /// Where the manifest lies.
  static let root = #filePath.parent.parent.parent

  /// The paths of the files below a folder, from the root, in order.
  static func files(in folder: String, endingIn ending: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.allObjects ?? []
    return names.compactMap { $0 as? String }
      .filter { $0.hasSuffix(ending) }
      .map { "\(folder)/\($0)" }
      .sorted()
  }

  /// The text of a file.
  static func text(of path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  /// The lines of a file.
  static func lines(of path: String) throws -> [String] {
    try text(of: path).components(separatedBy: "\n")
  }

  /// Whether there is a file or a folder.
  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(root)/\(path)")
  }
}

extension String {
  /// The folder that a path lies in.
  fileprivate var parent: String { split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } }
}
