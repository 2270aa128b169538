// What ranks say to each other: lines of JSON. Internal to ranks.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <numjit/map/ranks.h>

namespace numjit::map {

/// The file of the output folder that says where rank 0 of a run listens.
std::string server_path(const std::string& folder, const Rank& rank);

std::string line_of(const nlohmann::json& message);
nlohmann::json task_json(const Task& task);
Task task_of(const nlohmann::json& j);
nlohmann::json times_json(const ProcessTimes& times);
ProcessTimes times_of(const nlohmann::json& j);

/// Messages go at once, and the connection ends within a minute if the other machine is gone without a word.
void set_up_connection(int fd);

/// Sends all of it; false if the other side is gone.
bool send_all(int fd, const std::string& text);

}  // namespace numjit::map
