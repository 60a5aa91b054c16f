import SondeReachability
import SondeSystem
import SondeWeb
import SondeWebApp

/// Keeps the list and its pictures, loads more, and publishes changes to pages.
actor PictureDesk {
  enum Step { case first, next }

  // Files are read and written on its thread.
  private let executor = BlockingExecutor(label: "gallery.pictures")
  private let source: PictureSource
  private let folder: String
  private let hub: EventHub

  private var list = PictureList()
  /// Rises with each change of the list.
  private var version = 0
  /// What is to be loaded, in order; the first of them is under way.
  private var steps: [Step] = []
  /// What failed, to be tried again.
  private var failed: (step: Step, error: any Error)?

  /// Takes what is kept.
  ///
  /// - Parameters:
  ///   - source: Who is asked.
  ///   - folder: Where the list and the pictures are kept.
  ///   - hub: Publishes events to pages.
  init(_ source: PictureSource, keptIn folder: String, hub: EventHub) {
    (self.source, self.folder, self.hub) = (source, folder, hub)
    let kept = try? WholeFile(path: folder + "/list.json").read(atMost: 1 << 20)
    if let kept = kept.flatMap({ PictureList(kept: $0) }) { list = kept }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Loads the first page, and what failed once the network is back, until the task is cancelled.
  func run() async {
    Task { await load(.first) }
    for await transition in source.monitor.states() {
      hub.tell(transition.serverEvent)
      if transition.verdict.isOnline, failed?.error is NetworkLost { Task { await retry() } }
    }
  }

  /// Loads a page of the list; where something is under way, after that.
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

  /// Tries again what failed.
  func retry() async { if let failed { await load(failed.step) } }

  private func take(_ step: Step) async throws {
    if step == .next, list.next == nil { return }
    let page = try await source.page(at: step == .first ? nil : list.next)
    let before = list
    if step == .first { list.begin(page) } else { list.append(page) }
    guard list != before else { return }
    version += 1
    // Without it the list is loaded anew at the next start.
    try? WholeFile(path: folder + "/list.json").write(list.kept)
    let kept = Set(before.origin == list.origin ? list.pictures.map(\.id) : [])
    for picture in before.pictures where !kept.contains(picture.id) { file(picture).remove() }
  }

  /// A picture of the list, kept or asked for.
  ///
  /// - Throws: `Problem` where there is none; ``PictureError``, `NetworkLost`, `TransferError`.
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

  /// The first event for a page.
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
    // The banner says that the network is lost, and there is something to show.
    let isSaid = error is NetworkLost && NetworkLost(source.monitor.state) != nil
    return isSaid && !list.pictures.isEmpty ? ("loaded", nil) : ("failed", "\(error)")
  }
}
