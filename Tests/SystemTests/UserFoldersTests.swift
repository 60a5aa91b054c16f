import Testing

@testable import SondeSystem

@Suite struct UserFoldersTests {
  @Test func `the folders follow the XDG specification`() {
    let table: [(environment: [String: String], cache: String?, state: String?)] = [
      (["XDG_CACHE_HOME": "/c", "HOME": "/h"], "/c/sonde", "/h/.local/state/sonde"),
      (["XDG_STATE_HOME": "/s/", "HOME": "/h/"], "/h/.cache/sonde", "/s/sonde"),
      (
        ["XDG_CACHE_HOME": "c", "XDG_STATE_HOME": "s", "HOME": "/h"],
        "/h/.cache/sonde", "/h/.local/state/sonde"
      ),
      (["HOME": ""], nil, nil), ([:], nil, nil),
    ]
    let wrong = table.filter { row in
      let folders = UserFolders(environment: row.environment)
      return folders.cache != row.cache || folders.state != row.state
    }
    #expect(wrong.map { "\($0)" } == [])
  }
}
