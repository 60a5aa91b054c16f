import SondeReachability
import SondeSystem
import SondeWeb
import SondeWebApp

/// Stores the list and its pictures, loads more, and publishes changes to pages.
actor PictureDesk {
  enum Step { case first, next }

  // Its thread also reads and writes files.
  private let executor = BlockingExecutor(label: "gallery.pictures")
  private let source: PictureSource
  private let folder: String
  private let hub: EventHub

  private var list = PictureList()
  /// Increases with each change of the list.
  private var version = 0
  /// The steps to load, in order; the first one is running.
  private var steps: [Step] = []
  /// The failed step, to be retried.
  private var failed: (step: Step, error: any Error)?

  /// Loads the stored list and pictures from `folder`.
  init(_ source: PictureSource, keptIn folder: String, hub: EventHub) {
    (self.source, self.folder, self.hub) = (source, folder, hub)
    let kept = try? WholeFile(path: folder + "/list.json").read(atMost: 1 << 20)
    if let kept = kept.flatMap({ PictureList(kept: $0) }) { list = kept }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Loads the first page, and retries failures when the network is back, until cancelled.
  func run() async {
    Task { await load(.first) }
    for await transition in source.monitor.states() {
      hub.tell(transition.serverEvent)
      if transition.verdict.isOnline, failed?.error is NetworkLost { Task { await retry() } }
    }
  }

  /// Loads a page of the list after all earlier steps.
  func load(_ step: Step) async {
    guard !steps.contains(step) else { return }
    steps.append(step)
    guard steps.count == 1 else { return }
    while let step = steps.first {
      failed = nil
      hub.tell(state)
      do {
        try await take(step)
        steps.removeFirst()
      } catch {
        failed = (step, error)
        steps = []
      }
    }
    hub.tell(state)
  }

  /// Retries the failed step.
  func retry() async { if let failed { await load(failed.step) } }

  private func take(_ step: Step) async throws {
    if step == .next, list.next == nil { return }
    let page = try await source.page(at: step == .first ? nil : list.next)
    let before = list
    if step == .first { list.begin(page) } else { list.append(page) }
    guard list != before else { return }
    version += 1
    // If it fails, the next start loads the list again.
    try? WholeFile(path: folder + "/list.json").write(list.kept)
    let kept = Set(before.origin == list.origin ? list.pictures.map(\.id) : [])
    for picture in before.pictures where !kept.contains(picture.id) { try? file(picture).remove() }
  }

  /// A picture of the list, from the disk or the source.
  ///
  /// - Throws: `Problem` if it is not listed; ``PictureError``, `NetworkLost`, `TransferError`.
  func image(_ id: String) async throws -> ImageFile {
    guard let picture = list.pictures.first(where: { $0.id == id }) else { throw Problem.notFound }
    let kept = try? file(picture).read(atMost: PictureSource.largest)
    if let image = kept.flatMap({ ImageFile($0) }) { return image }
    let image = try await source.image(of: picture)
    try? file(picture).write(image.bytes)
    return image
  }

  private func file(_ picture: Picture) -> WholeFile {
    WholeFile(path: "\(folder)/\(picture.id).picture")
  }

  // MARK: - Events for pages

  /// The first events for a page.
  var states: [ServerEvent] { [source.monitor.state?.serverEvent, state].compactMap(\.self) }

  /// The list as returned by the API.
  var json: JSON {
    ["items": .array(list.pictures.map(\.json)), "more": .bool(list.next != nil)]
  }

  private var state: ServerEvent {
    let (phase, reason) = words
    return ServerEvent(
      "list",
      ["phase": .string(phase), "reason": JSON(reason), "version": JSON(version)]
    )
  }

  private var words: (phase: String, reason: String?) {
    guard steps.isEmpty else { return ("loading", nil) }
    guard let error = failed?.error else { return ("loaded", nil) }
    // The banner reports the lost network, and the page has pictures to show.
    let isSaid = error is NetworkLost && NetworkLost(source.monitor.state) != nil
    return isSaid && !list.pictures.isEmpty ? ("loaded", nil) : ("failed", "\(error)")
  }
}
