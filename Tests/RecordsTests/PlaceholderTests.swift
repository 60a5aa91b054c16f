import Testing

@testable import Records
