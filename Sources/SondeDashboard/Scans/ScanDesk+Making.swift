import Glibc
import SondeInputs
import SondeRecords
import SondeSystem

/// A request to create a scan.
public struct NewScan: Sendable, Equatable {
  /// The displayed name: at most 200 characters, without control characters.
  public var name: String

  /// The format of the input.
  public var form = InputForm.guess

  /// The providers' names, separated by commas; `nil` for the default ones.
  public var provider: String?

  /// Whether it starts immediately.
  public var isStarted = true

  /// The client's key for this request; repeated requests with it create only one scan.
  public var idempotencyKey: String?

  /// Creates a request with the default options.
  public init(name: String) { self.name = name }
}

/// An upload that may be received.
public struct AdmittedUpload: Sendable, Equatable {
  /// The path of the new file.
  public let path: String

  let user: String

  /// The maximum bytes, which are reserved until the scan is created.
  public let limit: Int
}

extension ScanDesk {
  /// In characters.
  private static let longestName = 200

  /// Admits an upload, and reserves its share of the user's disk space.
  ///
  /// The file is passed to ``create(_:from:of:)`` or ``abandon(_:)``. A request whose key has
  /// already created a scan is always admitted.
  /// - Parameters:
  ///   - user: The sender.
  ///   - key: The client's key for the request.
  ///   - announced: The bytes that it will have; `nil` if that is unknown.
  ///   - most: The maximum bytes of any upload.
  /// - Returns: Where it may be written, and how long it may be.
  /// - Throws: ``DashboardError`` if the limits are reached.
  public func admitUpload(
    of user: String = "",
    for key: String? = nil,
    announced: Int? = nil,
    atMost most: Int = .max
  ) throws(DashboardError) -> AdmittedUpload {
    let path = "\(state.uploadsFolder)/\(randomDigits(bits: 128))"
    guard key.flatMap({ scan(of: user, made: $0) }) == nil else {
      return AdmittedUpload(path: path, user: user, limit: most)
    }
    try checkRoom(user)
    let room = limits.disk - bytes(of: user)
    // A larger one is refused for that.
    guard room > 0, announced ?? 0 <= room || announced ?? 0 > most else {
      let reason = "scans and uploads may take \(limits.disk) bytes (--limit-disk)"
      throw DashboardError(.tooLarge, reason)
    }
    let upload = AdmittedUpload(path: path, user: user, limit: min(announced ?? most, most, room))
    uploads[path] = upload
    return upload
  }

  /// Removes an upload that is not used.
  public func abandon(_ upload: AdmittedUpload) {
    uploads[upload.path] = nil
    unsafe unlink(upload.path)
  }

  /// The bytes of a user's scans, and those reserved for uploads.
  private func bytes(of user: String) -> Int {
    let reserved = uploads.values.filter { $0.user == user }.map(\.limit)
    let own = entries.values.map(\.stored.birth).filter { $0.user == user }
    return (reserved + own.map { state.scanFolder($0.id).size }).reduce(0) { sum, size in
      let (next, isTooMuch) = sum.addingReportingOverflow(size)
      return isTooMuch ? .max : next
    }
  }

  private func checkRoom(_ user: String) throws(DashboardError) {
    if let shortage = state.shortage(below: limits.freeSpace) {
      throw DashboardError(.disk, shortage)
    }
    let count = entries.values.count { $0.stored.birth.user == user }
    guard count < limits.scans else {
      throw DashboardError(.tooLarge, "there are \(limits.scans) scans (--limit-scans)")
    }
  }

  /// Creates a scan from a complete upload, which is moved or removed.
  ///
  /// - Returns: The scan, and whether it is new rather than the result of an earlier equal request.
  public func create(
    _ new: NewScan,
    from upload: String,
    of user: String = ""
  ) async throws(DashboardError) -> (scan: ScanInfo, isNew: Bool) {
    var isTaken = false
    defer {
      uploads[upload] = nil
      if !isTaken { unsafe unlink(upload) }
    }
    try check(new)
    let idempotency = try await idempotency(of: new, upload)
    if let idempotency, let earlier = scan(of: user, made: idempotency.key) {
      guard earlier.stored.birth.idempotency == idempotency else {
        throw DashboardError(.conflict, "this Idempotency-Key was given with another request")
      }
      return (info(earlier), false)
    }
    try checkRoom(user)
    let birth = StoredScan.Birth(
      id: randomDigits(bits: 128),
      user: user,
      name: new.name,
      form: new.form,
      provider: new.provider,
      createdAt: .now,
      bytes: FileStatus(path: upload)?.size ?? 0,
      idempotency: idempotency
    )
    try takeOver(upload, birth.id)
    isTaken = true
    // Before the first suspension, so that an equal request finds it.
    entries[birth.id] = Entry(stored: StoredScan(birth))
    order.append(birth.id)
    do throws(StateError) {
      try await state.insert(birth)
    } catch {
      discard(birth.id)
      throw DashboardError(error)
    }
    plan(birth.id)
    guard new.isStarted else { return (try scan(birth.id, of: user), true) }
    return (try await perform(.start, on: birth.id, of: user), true)
  }

  private func check(_ new: NewScan) throws(DashboardError) {
    guard new.name.count <= Self.longestName,
      !new.name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw DashboardError(
        .invalid,
        "a name has at most \(Self.longestName) characters, and no controls"
      )
    }
    do {
      _ = try services.list(new.provider)
    } catch {
      throw DashboardError(.invalid, "\(error)")
    }
  }

  private func scan(of user: String, made key: String) -> Entry? {
    entries.values.first {
      $0.stored.birth.user == user && $0.stored.birth.idempotency?.key == key
    }
  }

  private func takeOver(_ upload: String, _ id: String) throws(DashboardError) {
    let folder = state.scanFolder(id)
    do throws(SystemError) {
      try folder.make()
      guard unsafe rename(upload, folder.input) == 0 else { throw SystemError() }
    } catch {
      folder.remove()
      throw DashboardError(.disk, "the upload cannot be kept: \(error)")
    }
  }

  func discard(_ id: String) {
    entries[id] = nil
    order.removeAll { $0 == id }
    state.scanFolder(id).remove()
  }

  private nonisolated func idempotency(
    of new: NewScan,
    _ upload: String
  ) async throws(DashboardError) -> StoredScan.Idempotency? {
    guard let key = new.idempotencyKey else { return nil }
    let sum = await checksum(of: upload)
    let parts = [new.name, new.form.rawValue, new.provider ?? "", "\(new.isStarted)", "\(sum)"]
    return StoredScan.Idempotency(key: key, request: parts.joined(separator: "\u{1f}"))
  }
}

// MARK: - Planning

extension ScanDesk {
  /// Starts planning a scan after earlier plans are finished.
  func plan(_ id: String) {
    let (end, ended) = AsyncStream.makeStream(of: Never.self)
    let task = Task { [lastPlanning] in
      // Unlike waiting for a task's value, this ends on cancellation: deleting a scan does not wait
      // until another's input has been read.
      if let lastPlanning { for await _ in lastPlanning {} }
      await self.makePlan(id)
      ended.finish()
    }
    lastPlanning = end
    entries[id]?.planning = task
  }

  private func makePlan(_ id: String) async {
    guard !isClosed, !Task.isCancelled, let birth = entries[id]?.stored.birth,
      entries[id]?.life.isOver == false
    else { return }
    entries[id]?.isRead = true
    await keep(id)
    await read(birth)
    entries[id]?.planning = nil
    entries[id]?.isRead = false
    await keep(id)
    tell(id)
  }

  private func read(_ birth: StoredScan.Birth) async {
    let id = birth.id
    do {
      let plan = try await ScanPlan(
        reading: state.scanFolder(id).input,
        as: birth.form,
        services.list(birth.provider),
        limits
      )
      entries[id]?.stored.mode = plan.mode
      entries[id]?.stored.total = plan.total
      entries[id]?.stored.plan = plan.json
    } catch is CancellationError {
      return
    } catch let error as InputError {
      fail(id, "the input: \(error.reason)")
    } catch {
      fail(id, "\(error)")
    }
  }

  private func fail(_ id: String, _ reason: String) {
    guard entries[id]?.life.isOver == false else { return }
    _ = entries[id]?.life.take(.ended(.failed(reason)))
    // A running scan leaves by itself.
    if entries[id]?.task == nil { queue.leave(id) }
  }
}

/// The checksum of a file, and its size.
@concurrent private func checksum(of path: String) async -> String {
  var sum = Checksum()
  guard let file = try? Descriptor(opening: path, O_RDONLY) else { return "" }
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = unsafe read(file.number, &buffer, buffer.count)
    guard count > 0 else { return "\(sum.count) \(sum.value)" }
    sum.update(buffer.span.extracting(0..<count))
  }
}
