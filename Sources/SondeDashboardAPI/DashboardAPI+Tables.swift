import SondeDashboard
import SondeRecords
import SondePage
import SondeWeb

extension DashboardAPI {
  /// `GET /fields`: the fields of records, as people read them.
  func fields(_ request: Request, _: Access) async throws -> Response {
    try request.list(core.fields.map(\.json.bytes))
  }

  /// `GET /providers`: all providers, and what those lack that cannot be asked.
  func providers(_ request: Request, _: Access) async throws -> Response {
    try request.list(core.providers.map(\.json.bytes))
  }
}
