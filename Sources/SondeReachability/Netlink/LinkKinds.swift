internal import CSondeNetlink
internal import Glibc

/// Reads the kind of each interface from rtnetlink (`IFLA_LINKINFO`).
///
/// Unlike `/sys`, which shows the network namespace in which it was mounted, it always shows the
/// process's own. `nil` if rtnetlink gives no complete answer.
func linkKinds() -> [String: Interface.Kind]? {
  guard var socket = NetlinkSocket() else { return nil }
  // ifinfomsg, all zero: every interface of every family.
  let fixed = [UInt8](repeating: 0, count: 16)
  var request = NetlinkRequest(
    type: Int(RTM_GETLINK),
    flags: NLM_F_DUMP,
    sequence: 1,
    fixedPart: fixed
  )
  request.add(Int(IFLA_EXT_MASK), UInt32(RTEXT_FILTER_SKIP_STATS).nativeBytes)
  return socket.list(request, sequence: 1)?.reduce(into: [:]) { kinds, message in
    if let link = DescribedLink(message) { kinds[link.name] = link.kind }
  }
}

/// The interface described by an `RTM_NEWLINK`.
struct DescribedLink: Equatable {
  var name: String
  var kind: Interface.Kind

  init?(_ message: NetlinkMessage) {
    let attributes = message.attributes(after: 16)
    guard message.type == Int(RTM_NEWLINK), let name = attributes[Int(IFLA_IFNAME)]?.text,
      let flags = message.payload.value(at: 8, as: UInt32.self)
    else { return nil }
    self.name = name
    let information = attributes[Int(IFLA_LINKINFO)].map(attributesOf) ?? [:]
    kind =
      flags & UInt32(IFF_LOOPBACK) != 0
      ? .loopback
      : Interface.Kind(
        driver: information[Int(IFLA_INFO_KIND)]?.text ?? "",
        port: information[Int(IFLA_INFO_SLAVE_KIND)]?.text ?? ""
      )
  }
}

/// The kind of an interface by `/sys/class/net`, for systems that refuse rtnetlink.
func kindFromSystemFiles(_ name: String) -> Interface.Kind {
  let folder = "/sys/class/net/\(name)/"
  func has(_ file: String) -> Bool { unsafe access(folder + file, F_OK) == 0 }
  if has("brport") { return .bridgePort }
  if has("bridge") { return .bridge }
  if has("tun_flags") { return .tunnel }
  let description = smallFile(folder + "uevent")
  let driver = description.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }
  let kind = Interface.Kind(driver: String(driver?.dropFirst(8) ?? ""), port: "")
  // A dummy interface is recognisable there only by its usual name.
  return kind == .ordinary && name.hasPrefix("dummy") ? .dummy : kind
}

/// The first 4 kB of a file; empty if it cannot be read.
func smallFile(_ path: String) -> String {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return "" }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = unsafe read(descriptor, &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}
