import Testing

@testable import sonde
