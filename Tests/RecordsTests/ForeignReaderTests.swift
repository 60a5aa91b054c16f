import Foundation
import SondeAddresses
import SondeSystem
import TestSupport
import Testing

@testable import SondeRecords

/// The output is read by Python's own `csv` and `json`, which know nothing of Sonde.
@Suite struct ForeignReaderTests {
  private static let fields = Field.allCases
  private static let inputs = ["list.txt", "a,\"b\"\n\u{1b}=日本"]

  @Test(arguments: [Format.csv, .tsv, .ndjson, .json, .geojson])
  func `Python reads back what hostile texts say`(format: Format) throws {
    let samples = Self.samples(2000)
    let encoder = RecordEncoder.sample(format, fields: Self.fields, inputs: Self.inputs)
    let expected = samples.map { Self.expected($0, format) }.joined(separator: "\n")
    let answer = try python(
      Self.reader,
      arguments: [format.name],
      files: [encoder.document(samples), Array(expected.utf8)]
    )
    #expect(answer == "2000 records, 0 differences\n")
  }

  @Test func `the widths of characters are those of Unicode`() throws {
    let answer = try python(Self.widths)
    var differences: [String] = []
    var characters = 0
    for line in answer.split(separator: "\n") {
      let numbers = line.split(separator: " ").compactMap { UInt32($0) }
      for value in numbers[0]...numbers[1] {
        guard let scalar = Unicode.Scalar(value) else { continue }
        characters += 1
        if scalar.columns != Int(numbers[2]) { differences.append(String(value, radix: 16)) }
      }
    }
    #expect(characters > 130_000)
    #expect(differences == [])
  }

  /// Compares cells: texts as hexadecimal UTF-8, numbers by the bits of the double.
  private static let reader = """
    import csv, json, re, struct, sys
    form, output, expected = sys.argv[1:]
    fields = None
    with open(output, encoding="utf-8", newline="") as file:
        if form == "csv":
            csv.field_size_limit(1 << 30)
            rows = list(csv.reader(file, strict=True))
            header = rows.pop(0)
            rows = [dict(zip(header, row, strict=True)) for row in rows]
        elif form == "tsv":
            escapes = {"\\\\\\\\": "\\\\", "\\\\t": "\\t", "\\\\n": "\\n", "\\\\r": "\\r"}
            plain = lambda cell: re.sub(r"\\\\.", lambda found: escapes[found[0]], cell)
            rows = [[plain(cell) for cell in line.split("\\t")] for line in file.read().split("\\n")[:-1]]
            header = rows.pop(0)
            rows = [dict(zip(header, row, strict=True)) for row in rows]
        elif form == "geojson":
            whole = json.load(file)
            assert list(whole) == ["type", "features"] and whole["type"] == "FeatureCollection"
            for feature in whole["features"]:
                assert list(feature) == ["type", "geometry", "properties"], feature
                assert feature["type"] == "Feature"
                place = [feature["properties"].get(name) for name in ("longitude", "latitude")]
                point = {"type": "Point", "coordinates": place}
                assert feature["geometry"] == (None if None in place else point), feature
            rows = [feature["properties"] for feature in whole["features"]]
        elif form == "ndjson":
            rows = [json.loads(line) for line in file.read().split("\\n")[:-1]]
        else:
            rows = json.load(file)
    def cell(value):
        if isinstance(value, bool): return "b" + str(value)
        if isinstance(value, (int, float)): return "n" + struct.pack(">d", value).hex()
        return "s" + value.encode().hex()
    differences = 0
    wanted = open(expected).read().split("\\n")
    for row, line in zip(rows, wanted, strict=True):
        got = [name + ":" + cell(value) for name, value in row.items()]
        if got != line.split(" "):
            differences += 1
            print(got, line.split(" "), file=sys.stderr)
    print(f"{len(rows)} records, {differences} differences")
    """

  /// Prints runs of characters with their width; Python's Unicode may be older than Swift's, so
  /// what it does not know is left out, and the one character whose category changed since.
  private static let widths = """
    import unicodedata as u
    def width(c):
        if u.category(c) in ("Mn", "Me", "Cf") and c != "\\u00ad": return 0
        if "\\u1160" <= c <= "\\u11ff" or "\\ud7b0" <= c <= "\\ud7ff": return 0
        return 2 if u.east_asian_width(c) in "WF" else 1
    for value in range(0xa0, 0x110000):
        if u.category(chr(value)) in ("Cn", "Cs", "Co") or value == 0x1171e: continue
        print(value, value, width(chr(value)))
    """

  private func python(
    _ script: String,
    arguments: [String] = [],
    files: [[UInt8]] = []
  ) throws -> String {
    let scratch = try files.map { try ScratchFile($0) }
    defer { withExtendedLifetime(scratch) {} }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + arguments + scratch.map(\.path)
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: answer, as: UTF8.self)
  }
}

extension ForeignReaderTests {
  /// Records whose texts are made of what could break a format.
  private static func samples(_ count: Int) -> [Sample] {
    var random = SplitMix(seed: 7)
    return (0..<count).map { _ in
      let address = Address(ipv4: UInt32.random(in: 0x0100_0000...0x0200_0000, using: &random))
      let status = Status.allCases.randomElement(using: &random) ?? .ok
      var sample = Sample(status == .invalid ? nil : address, status)
      for field in TextField.allCases where Bool.random(using: &random) {
        sample.texts[field] = hostileText(&random)
      }
      sample.record.source = Source(number: Int.random(in: 0..<sourceNames.count, using: &random))
      if Bool.random(using: &random) {
        sample.record.latitude = Double.random(in: -90...90, using: &random)
        sample.record.longitude = (sample.record.latitude * 20_000).rounded() / 10_000
      }
      sample.record.asn = UInt32.random(in: 0...2, using: &random) &* 0x7fff_ffff
      sample.record.place.line = UInt64.random(in: 0...1 << 50, using: &random)
      sample.record.place.input = UInt32.random(in: 0...2, using: &random)
      if Bool.random(using: &random) {
        sample.record.place.offset = UInt64.random(in: 0...1 << 50, using: &random)
      }
      sample.record.isMobile = [nil, true, false].randomElement(using: &random) ?? nil
      sample.record.isHosting = [nil, true, false].randomElement(using: &random) ?? nil
      return sample
    }
  }

  private static func hostileText(_ random: inout SplitMix) -> String {
    let pieces = [
      "\"", "\"\"", ",", "\n", "\r", "\r\n", "\\", "/", "'", "=", "\t", " ", "\u{0}", "\u{1}",
      "\u{1f}", "\u{7f}", "\u{85}", "\u{2028}", "\u{202e}", "\u{feff}", "é", "日本", "🇨🇭", "e\u{301}",
      "abc", "a longer piece of text", "12345678", "</script>", "{", "]", "\u{10ffff}",
    ]
    let count = Int.random(in: 1...12, using: &random)
    return (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  /// What a reader should find of a sample, written without the encoders.
  private static func expected(_ sample: Sample, _ format: Format) -> String {
    fields.compactMap { field in
      let value = value(field, sample)
      let isText = format.delimiter != nil
      if let value, !isText { return "\(field.name):\(value)" }
      guard isText else { return nil }
      return "\(field.name):s" + (value.map(csvCell) ?? "")
    }.joined(separator: " ")
  }

  /// CSV and TSV know texts only: numbers are compared as the text that Swift makes of them.
  private static func csvCell(_ value: String) -> String {
    switch value.first {
    case "n":
      let number = Double(bitPattern: UInt64(value.dropFirst(), radix: 16) ?? 0)
      let text = number.description
      return hexadecimal(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    case "b": return hexadecimal(value.dropFirst().lowercased())
    default: return String(value.dropFirst())
    }
  }

  private static func value(_ field: Field, _ sample: Sample) -> String? {
    let record = sample.record
    if case .text(let text) = field.row.value {
      return sample.texts[text].map { "s" + hexadecimal($0) }
    }
    switch field {
    case .ip:
      guard let ipv4 = record.address?.ipv4 else {
        return sample.texts[.item].map { "s" + hexadecimal($0) }
      }
      let octets = [24, 16, 8, 0].map { String(ipv4 >> UInt32($0) & 255) }
      return "s" + hexadecimal(octets.joined(separator: "."))
    case .status: return "s" + hexadecimal(record.status.name)
    case .source: return record.source.map { "s" + hexadecimal(sourceNames[Int($0.number)]) }
    case .latitude: return record.latitude.isNaN ? nil : number(record.latitude)
    case .longitude: return record.longitude.isNaN ? nil : number(record.longitude)
    case .asn: return record.asn == 0 ? nil : number(Double(record.asn))
    case .line: return record.place.line == 0 ? nil : number(Double(record.place.line))
    case .offset: return record.place.offset.map { number(Double($0)) }
    case .cached: return record.source != nil || record.status == .unknown ? "bFalse" : nil
    case .mobile: return record.isMobile.map { $0 ? "bTrue" : "bFalse" }
    case .hosting: return record.isHosting.map { $0 ? "bTrue" : "bFalse" }
    case .input:
      let input = Int(record.place.input)
      return input < inputs.count ? "s" + hexadecimal(inputs[input]) : nil
    default: return nil
    }
  }

  private static func number(_ value: Double) -> String {
    let digits = String(value.bitPattern, radix: 16)
    return "n" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func hexadecimal(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
