// What a C++ programmer would write with simdjson's DOM for the same values and the same checks: a variant a value,
// members in byte order, timestamps as seconds and nanoseconds, paths with their segments counted.
#include "CReference.h"

#include <simdjson.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace {

struct Timestamp {
  int64_t seconds;
  int32_t nanoseconds;
};
struct GeoPoint {
  double latitude = 0, longitude = 0;
};
struct Reference {
  std::string name;
};
struct Value;
struct Entry;
using Bytes = std::vector<uint8_t>;
using Array = std::vector<Value>;
using Map = std::vector<Entry>;

struct Value {
  std::variant<std::monostate, bool, int64_t, double, Timestamp, std::string, Bytes, Reference, GeoPoint, Array, Map>
      is;
};
struct Entry {
  std::string name;
  Value value;
};
struct Document {
  std::string path;
  Map fields;
  std::optional<Timestamp> create_time, update_time;
};

struct Malformed {};

using simdjson::dom::element;
using simdjson::dom::element_type;

std::string_view text_of(element json) {
  std::string_view text;
  if (json.get(text)) throw Malformed();
  return text;
}

simdjson::dom::object object_of(element json) {
  simdjson::dom::object object;
  if (json.get(object)) throw Malformed();
  return object;
}

// MARK: Timestamps

int digits(std::string_view text, size_t from, size_t count) {
  int number = 0;
  for (size_t i = from; i < from + count; i++) {
    const unsigned digit = static_cast<unsigned char>(text[i]) - '0';
    if (digit > 9) throw Malformed();
    number = number * 10 + static_cast<int>(digit);
  }
  return number;
}

int64_t days_of(int year, int month, int day) {
  year -= month <= 2;
  const int era = (year >= 0 ? year : year - 399) / 400;
  const int year_of_era = year - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return int64_t{era} * 146097 + day_of_era - 719468;
}

int days_in(int year, int month) {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

Timestamp timestamp_of(std::string_view text) {
  if (text.size() < 20) throw Malformed();
  const int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':') throw Malformed();
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) throw Malformed();
  if (hour > 23 || minute > 59 || second > 59) throw Malformed();
  size_t at = 19;
  int32_t nanoseconds = 0;
  if (text[at] == '.') {
    int32_t scale = 100000000;
    at++;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; at++) {
      nanoseconds += (text[at] - '0') * scale;
      scale /= 10;
    }
  }
  if (at + 1 != text.size() || text[at] != 'Z') throw Malformed();
  return {days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second, nanoseconds};
}

// MARK: Decoding

Bytes bytes_of(std::string_view text) {
  Bytes out;
  out.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+' || c == '-' ? 62
                      : c == '/' || c == '_' ? 63
                                             : -1;
    if (value < 0) throw Malformed();
    group = group << 6 | static_cast<uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out.push_back(static_cast<uint8_t>(group >> bits));
    }
  }
  return out;
}

int64_t integer_of(element json) {
  int64_t number;
  if (!json.get(number)) return number;
  const std::string_view text = text_of(json);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) throw Malformed();
  return number;
}

double double_of(element json) {
  double number;
  if (!json.get(number)) return number;
  const std::string_view text = text_of(json);
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  throw Malformed();
}

Map fields_of(element json, int depth);

Value value_of(element json, int depth) {
  if (depth > 100) throw Malformed();
  Value value;
  bool found = false;
  for (const auto [key, member] : object_of(json)) {
    if (found) throw Malformed();
    found = true;
    if (key == "stringValue") {
      value.is.emplace<std::string>(text_of(member));
    } else if (key == "timestampValue") {
      value.is = timestamp_of(text_of(member));
    } else if (key == "booleanValue") {
      bool truth;
      if (member.get(truth)) throw Malformed();
      value.is = truth;
    } else if (key == "integerValue") {
      value.is = integer_of(member);
    } else if (key == "doubleValue") {
      value.is = double_of(member);
    } else if (key == "mapValue") {
      Map map;
      for (const auto [name, fields] : object_of(member)) {
        if (name == "fields") map = fields_of(fields, depth + 1);
      }
      value.is = std::move(map);
    } else if (key == "arrayValue") {
      Array array;
      for (const auto [name, values] : object_of(member)) {
        if (name != "values") continue;
        simdjson::dom::array elements;
        if (values.get(elements)) throw Malformed();
        array.reserve(elements.size());
        for (const element each : elements) array.push_back(value_of(each, depth + 1));
      }
      value.is = std::move(array);
    } else if (key == "nullValue") {
      value.is = std::monostate();
    } else if (key == "referenceValue") {
      value.is = Reference{std::string(text_of(member))};
    } else if (key == "bytesValue") {
      value.is = bytes_of(text_of(member));
    } else if (key == "geoPointValue") {
      GeoPoint point;
      for (const auto [name, number] : object_of(member)) {
        if (name == "latitude") point.latitude = double_of(number);
        if (name == "longitude") point.longitude = double_of(number);
      }
      value.is = point;
    } else {
      found = false;
    }
  }
  if (!found) throw Malformed();
  return value;
}

Map fields_of(element json, int depth) {
  const auto object = object_of(json);
  Map map;
  map.reserve(object.size());
  bool sorted = true;
  for (const auto [name, value] : object) {
    map.push_back(Entry{std::string(name), value_of(value, depth)});
    const size_t count = map.size();
    sorted = sorted && (count < 2 || map[count - 2].name < map[count - 1].name);
  }
  if (!sorted) {
    std::map<std::string, Value> last;
    for (Entry &entry : map) last.insert_or_assign(std::move(entry.name), std::move(entry.value));
    Map merged;
    for (auto &[name, value] : last) merged.push_back(Entry{name, std::move(value)});
    map = std::move(merged);
  }
  return map;
}

std::string path_of(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) throw Malformed();
  name.remove_prefix(prefix.size());
  size_t segments = 1, length = 0;
  for (const char c : name) {
    if (c != '/') {
      length++;
      continue;
    }
    if (length == 0) throw Malformed();
    segments++;
    length = 0;
  }
  if (length == 0 || segments % 2 != 0) throw Malformed();
  return std::string(name);
}

Document document_of(element json, std::string_view prefix) {
  Document document;
  for (const auto [key, value] : object_of(json)) {
    if (key == "name") {
      document.path = path_of(text_of(value), prefix);
    } else if (key == "fields") {
      document.fields = fields_of(value, 0);
    } else if (key == "createTime") {
      document.create_time = timestamp_of(text_of(value));
    } else if (key == "updateTime") {
      document.update_time = timestamp_of(text_of(value));
    }
  }
  if (document.path.empty()) throw Malformed();
  return document;
}

// MARK: Encoding

struct Writer {
  std::string out;

  void quoted(std::string_view text) {
    out += '"';
    size_t start = 0;
    for (size_t i = 0; i < text.size(); i++) {
      const unsigned char c = static_cast<unsigned char>(text[i]);
      if (c >= 0x20 && c != '"' && c != '\\') continue;
      out.append(text.data() + start, i - start);
      start = i + 1;
      out += '\\';
      switch (c) {
        case '"':
        case '\\': out += static_cast<char>(c); break;
        case '\b': out += 'b'; break;
        case '\t': out += 't'; break;
        case '\n': out += 'n'; break;
        case '\f': out += 'f'; break;
        case '\r': out += 'r'; break;
        default: {
          const char *digits = "0123456789abcdef";
          out += "u00";
          out += digits[c >> 4];
          out += digits[c & 15];
        }
      }
    }
    out.append(text.data() + start, text.size() - start);
    out += '"';
  }

  void two(int number) {
    out += static_cast<char>('0' + number / 10);
    out += static_cast<char>('0' + number % 10);
  }

  void timestamp(Timestamp moment) {
    int64_t days = moment.seconds / 86400;
    int rest = static_cast<int>(moment.seconds % 86400);
    if (rest < 0) {
      rest += 86400;
      days--;
    }
    const int shifted = static_cast<int>(days) + 719468;
    const int era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const int of_era = shifted - era * 146097;
    const int year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int index = (5 * of_year + 2) / 153;
    const int month = index < 10 ? index + 3 : index - 9;
    const int year = year_of_era + era * 400 + (month <= 2);
    out += '"';
    two(year / 100);
    two(year % 100);
    out += '-';
    two(month);
    out += '-';
    two(of_year - (153 * index + 2) / 5 + 1);
    out += 'T';
    two(rest / 3600);
    out += ':';
    two(rest / 60 % 60);
    out += ':';
    two(rest % 60);
    if (moment.nanoseconds != 0) {
      out += '.';
      const int width = moment.nanoseconds % 1000000 == 0 ? 3 : moment.nanoseconds % 1000 == 0 ? 6 : 9;
      int32_t scale = 100000000;
      for (int i = 0; i < width; i++, scale /= 10) out += static_cast<char>('0' + moment.nanoseconds / scale % 10);
    }
    out += "Z\"";
  }

  void number(double number) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    const std::string_view written(text, static_cast<size_t>(end - text));
    out += written;
    if (written.find_first_of(".e") == std::string_view::npos) out += ".0";
  }

  void value(const Value &value) {
    switch (value.is.index()) {
      case 0: out += "{\"nullValue\":null}"; return;
      case 1: out += std::get<bool>(value.is) ? "{\"booleanValue\":true}" : "{\"booleanValue\":false}"; return;
      case 2: {
        char text[24];
        const auto end = std::to_chars(text, text + sizeof text, std::get<int64_t>(value.is)).ptr;
        out += "{\"integerValue\":\"";
        out.append(text, static_cast<size_t>(end - text));
        out += "\"}";
        return;
      }
      case 3:
        out += "{\"doubleValue\":";
        number(std::get<double>(value.is));
        break;
      case 4:
        out += "{\"timestampValue\":";
        timestamp(std::get<Timestamp>(value.is));
        break;
      case 5:
        out += "{\"stringValue\":";
        quoted(std::get<std::string>(value.is));
        break;
      case 7:
        out += "{\"referenceValue\":";
        quoted(std::get<Reference>(value.is).name);
        break;
      case 9: {
        const Array &array = std::get<Array>(value.is);
        out += "{\"arrayValue\":{";
        if (!array.empty()) {
          out += "\"values\":[";
          for (size_t i = 0; i < array.size(); i++) {
            if (i > 0) out += ',';
            this->value(array[i]);
          }
          out += ']';
        }
        out += '}';
        break;
      }
      case 10: {
        const Map &map = std::get<Map>(value.is);
        out += "{\"mapValue\":{";
        if (!map.empty()) fields(map);
        out += '}';
        break;
      }
      default: throw Malformed();  // The benchmark's documents hold no bytes and no points.
    }
    out += '}';
  }

  void fields(const Map &map) {
    out += "\"fields\":{";
    for (size_t i = 0; i < map.size(); i++) {
      if (i > 0) out += ',';
      quoted(map[i].name);
      out += ':';
      value(map[i].value);
    }
    out += '}';
  }

  void document(const Document &document) {
    out += '{';
    if (!document.fields.empty()) {
      fields(document.fields);
      out += ',';
    }
    out += "\"name\":";
    quoted(document.path);
    out += "}\n";
  }
};

}  // namespace

struct reference {
  simdjson::dom::parser parser;
  std::vector<Document> documents;
  Writer writer;
};

reference *reference_create(void) { return new reference(); }

void reference_destroy(reference *it) { delete it; }

int reference_parse(reference *it, const uint8_t *json, size_t length) {
  return it->parser.parse(json, length).error() == simdjson::SUCCESS;
}

size_t reference_decode(reference *it, const uint8_t *json, size_t length, const char *prefix) {
  try {
    element root, list;
    if (it->parser.parse(json, length).get(root) || root["documents"].get(list)) return 0;
    simdjson::dom::array elements;
    if (list.get(elements)) return 0;
    it->documents.reserve(elements.size());
    const std::string_view start(prefix);
    for (const element each : elements) it->documents.push_back(document_of(each, start));
    return it->documents.size();
  } catch (const Malformed &) {
    it->documents.clear();
    return 0;
  }
}

void reference_release(reference *it) { std::vector<Document>().swap(it->documents); }

size_t reference_encode(reference *it, const uint8_t **bytes) {
  it->writer.out.clear();
  try {
    for (const Document &document : it->documents) it->writer.document(document);
  } catch (const Malformed &) {
    it->writer.out.clear();
  }
  *bytes = reinterpret_cast<const uint8_t *>(it->writer.out.data());
  return it->writer.out.size();
}
