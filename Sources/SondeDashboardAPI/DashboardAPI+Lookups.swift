import SondeAccounts
import SondeAddresses
import SondeDashboard
import SondeRecords
import SondeWeb

extension DashboardAPI {
  /// `POST /check`: the state of the address field.
  func check(_ request: Request, _ session: Session) async throws -> Response {
    try request.query.allow()
    let text = try await request.members("text").string("text")
    return .json(CheckedText(text).json.bytes)
  }

  /// `POST /lookups`: an address, or this machine's own.
  func lookUp(_ request: Request, _ access: Access) async throws -> Response {
    try request.query.allow()
    let members = try await request.members("ip", "me")
    let (ip, me) = (try members.optionalString("ip"), try members.optionalBoolean("me"))
    switch (ip, me) {
    case (let ip?, nil): return .json(try await core.lookups.lookUp(ip, of: access.owner).json)
    case (nil, true?): return .json(try await lookUpMe(request, access))
    default: throw Problem.invalid("the body must have “ip”, or “me” that is true")
    }
  }

  /// The client's own address with several users; this machine's with one user, or if the client's
  /// is not public.
  private func lookUpMe(_ request: Request, _ access: Access) async throws -> [UInt8] {
    guard access.user != nil else { return try await core.lookups.lookUpMe(of: access.owner).json }
    if let address = CheckedText(request.client).address, address.specialPurpose == nil {
      return try await core.lookups.lookUp(request.client, of: access.owner).json
    }
    let answer = try await core.lookups.lookUpMe(of: access.owner)
    // Records of another status already have a message.
    return answer.status == .ok ? answer.json.saying("This server's address") : answer.json
  }

  /// `GET /lookups`: the newest first.
  func lookups(_ request: Request, _ access: Access) async throws -> Response {
    let (before, limit) = try request.query.page()
    let (items, next) = try await core.state.lookups(of: access.owner, before: before, limit: limit)
    return .list(items.map(\.record), next: next.map { "\($0)" })
  }

  /// `DELETE /lookups`.
  func deleteLookups(_ request: Request, _ access: Access) async throws -> Response {
    try await request.withoutContent()
    try await core.state.deleteLookups(of: access.owner)
    core.hub.publish(.deleted(.lookup, nil, of: access.owner))
    return .empty
  }

  /// `DELETE /lookups/{ip}`.
  func deleteLookup(_ request: Request, _ access: Access) async throws -> Response {
    try await request.withoutContent()
    let address = try request.address()
    guard try await core.state.deleteLookups(of: access.owner, address) > 0 else {
      throw Problem.notFound
    }
    core.hub.publish(.deleted(.lookup, "\(address)", of: access.owner))
    return .empty
  }

  /// `POST /lookups/{ip}/refresh`: asks the providers even if an answer is cached.
  func refreshLookup(_ request: Request, _ access: Access) async throws -> Response {
    try await request.withoutContent()
    let text: String = try request.parameter("ip")
    return .json(try await core.lookups.lookUp(text, of: access.owner, isFresh: true).json)
  }
}

extension [UInt8] {
  /// Adds a message to the object.
  fileprivate func saying(_ message: String) -> [UInt8] {
    var object = JSONObject()
    object.add("message", message)
    guard last == UInt8(ascii: "}") else { return self }
    return dropLast() + [UInt8(ascii: ",")] + object.bytes.dropFirst()
  }
}

extension Request {
  /// The address in the path, in any spelling.
  ///
  /// - Throws: ``DashboardError`` for anything else.
  func address() throws -> Address { try CheckedText(parameter("ip", as: String.self)).found() }
}
