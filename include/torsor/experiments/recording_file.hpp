#pragma once
/// Recordings of simulations in files: CSV for other programs, a compact binary for everything.
///
///   run.csv   t, q.<joint>, qd.<joint>, ..., V, V.rate, V.balance, energy.kinetic, ...: the series
///             alone
///   run.trec  the whole recording: series as doubles, conditions, predictions, why it ended
///
/// Binary layout (little-endian): "TORSOR REC 4\n", then strings (64-bit length, bytes), 64-bit
/// counts and doubles in the order of Recording's members, then sixteen digits: the checksum (FNV-1a)
/// of all bytes before it. A file with another one is refused.
#include <string>
#include <string_view>

#include "torsor/formats/csv.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor {

/// Larger .trec files are refused; a .csv file is held to text_file_limit.
inline constexpr std::size_t recording_file_limit = std::size_t{1} << 30;  // bytes

/// By the extension: .csv or .trec. Throws Error for another one or a file that cannot be written.
void save_recording(const Recording& recording, const std::string& path);
/// Throws Error with the file and the line (CSV) or byte (binary) at fault, and for what no recording
/// has: times that go back, series of other joints than the rest, a prediction of a joint that is
/// not there.
Recording load_recording(const std::string& path);

CsvTable recording_table(const Recording& recording);
Recording recording_of(const CsvTable& table, const std::string& file_name);

std::string recording_bytes(const Recording& recording);
Recording recording_from_bytes(std::string_view bytes, const std::string& file_name);

/// t, q, qd, qdd and tau: what identification and `torsor eval` take.
StateTable recorded_states(const Recording& recording);

}  // namespace torsor
