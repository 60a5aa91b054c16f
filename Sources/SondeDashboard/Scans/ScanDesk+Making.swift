import Glibc
import SondeInputs
import SondeRecords
import SondeSystem

/// What a scan is to be.
public struct NewScan: Sendable, Equatable {
  /// What a person calls it: at most 200 characters, none of them a control.
  public var name: String

  /// How its input is to be read.
  public var form = InputForm.guess

  /// The providers' names, with commas between them; `nil` for the usual ones.
  public var provider: String?

  /// Whether it begins at once.
  public var isStarted = true

  /// What the client calls this request, which is done once however often it comes.
  public var idempotencyKey: String?

  /// Names a scan.
  public init(name: String) { self.name = name }
}

extension ScanDesk {
  /// The longest name, in characters.
  private static let longestName = 200

  /// Makes room for an input.
  ///
  /// - Parameters:
  ///   - user: Whose scan it will be.
  ///   - key: What the client calls its request: one that has made a scan already is let in.
  /// - Returns: The path of a file that is not there yet, to be written and given to
  ///   ``create(_:from:of:)``, or else removed.
  /// - Throws: ``DashboardError`` where there may be no more.
  public func admitUpload(
    of user: String = "",
    for key: String? = nil
  ) throws(DashboardError) -> String {
    if key.flatMap({ scan(of: user, made: $0) }) == nil { try checkRoom(user) }
    return "\(state.uploadsFolder)/\(randomDigits(bits: 128))"
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

  /// Makes a scan of an upload.
  ///
  /// - Parameters:
  ///   - new: What it is to be.
  ///   - upload: The input, whole, which is taken over or removed.
  ///   - user: Whose scan it is.
  /// - Returns: The scan, and whether it is new; not where an equal request has made it before.
  /// - Throws: ``DashboardError``.
  public func create(
    _ new: NewScan,
    from upload: String,
    of user: String = ""
  ) async throws(DashboardError) -> (scan: ScanInfo, isNew: Bool) {
    var isTaken = false
    defer { if !isTaken { unsafe unlink(upload) } }
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
    // Before the first wait, so that an equal request finds it.
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

  private func discard(_ id: String) {
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

// MARK: - Looking into the input

extension ScanDesk {
  /// Begins to look into an input, once those before it have been looked into.
  func plan(_ id: String) {
    let (end, ended) = AsyncStream.makeStream(of: Never.self)
    let task = Task { [lastPlanning] in
      // Unlike waiting for a task's value this ends where it is cancelled: what is deleted does not
      // wait until all of another's input is read.
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
    // One at work leaves by itself.
    if entries[id]?.task == nil { queue.leave(id) }
  }
}

/// The checksum of a file's bytes, and how many there are.
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
