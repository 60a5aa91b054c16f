/// Whether captures of packets are inputs.
public enum CaptureRule: Sendable {
  /// They are named as what they are, and not read.
  case refused
  /// They are read where the content shows that they are some.
  case recognized
  /// Every file is one.
  case insisted
}
