import SondeAlerts
import SondeReport
import SondeSystem

extension OutageHistory {
  /// The history of this user; `nil` without a home directory, which is reported.
  package init?(_ context: Context) {
    guard let folder = UserFolders(environment: context.environment).state else {
      context.console.note("outages are not kept: neither XDG_STATE_HOME nor HOME is set")
      return nil
    }
    self.init(folder: folder, warn: context.console.note)
  }
}
