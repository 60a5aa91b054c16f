extension Compression {
  func decoder() throws(DecoderError) -> any Decoder {
    switch self {
    case .gzip: try GzipDecoder()
    case .zstd: try ZstdDecoder()
    case .xz: try XZDecoder()
    case .bzip2: try Bzip2Decoder()
    }
  }
}
