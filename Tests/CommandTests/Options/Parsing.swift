@testable import SondeOptions
@testable import sonde

/// A configuration file that only its owner can read.
func file(
  _ text: String,
  as kind: ConfigurationFile.Kind = .user,
  mode: UInt32 = 0o600,
  owner: UInt32 = 1000,
  user: UInt32 = 1000
) -> ConfigurationFile {
  let facts = ConfigurationFile.Facts(mode: mode, owner: owner, user: user)
  let contents = ConfigurationFile.Contents.bytes(Array(text.utf8), facts)
  return ConfigurationFile(path: "/h/config", kind: kind, contents: contents)
}

func request(
  _ arguments: [String],
  environment: [String: String] = [:],
  file: ConfigurationFile? = nil
) throws(UsageError) -> CommandRequest {
  try CommandRequest(
    arguments: arguments,
    environment: environment,
    configuration: [file].compactMap(\.self)
  )
}

/// The request of a command line whose words have single spaces between them.
func request(_ line: String) throws(UsageError) -> CommandRequest {
  try request(line.split(separator: " ").map(String.init))
}

struct NotACommand: Error {
  let request: CommandRequest
}

func invocation(
  _ arguments: [String],
  environment: [String: String] = [:],
  file: ConfigurationFile? = nil
) throws -> Invocation {
  let request = try request(arguments, environment: environment, file: file)
  guard case .run(let invocation) = request else { throw NotACommand(request: request) }
  return invocation
}

func options(
  _ line: String,
  environment: [String: String] = [:],
  file: ConfigurationFile? = nil
) throws -> Options {
  let arguments = line.split(separator: " ").map(String.init)
  return try invocation(arguments, environment: environment, file: file).options
}

/// What the user is told is wrong; `nil` when nothing is.
func complaint(
  _ arguments: [String],
  environment: [String: String] = [:],
  file: ConfigurationFile? = nil
) -> String? {
  do throws(UsageError) {
    _ = try request(arguments, environment: environment, file: file)
    return nil
  } catch {
    return error.message
  }
}

func complaint(
  _ line: String,
  environment: [String: String] = [:],
  file: ConfigurationFile? = nil
) -> String? {
  complaint(line.split(separator: " ").map(String.init), environment: environment, file: file)
}

/// The cases of a table that came out otherwise.
func differences<Value: Equatable>(
  _ table: [(String, Value)],
  _ result: (String) -> Value
) -> [String] {
  table.compactMap { input, expected in
    let actual = result(input)
    return actual == expected ? nil : "\(input): \(actual), not \(expected)"
  }
}
