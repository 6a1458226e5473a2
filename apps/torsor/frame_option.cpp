#include "frame_option.hpp"

#include "torsor/formats/text.hpp"

namespace torsor::command {

std::vector<const Frame*> listed_frames(const Model<double>& model) {
  std::vector<const Frame*> frames;
  for (const Link& link : model.description().links) frames.push_back(&model.frame(link.name));
  for (const FrameOnLink& f : model.description().frames) frames.push_back(&model.frame(f.name));
  return frames;
}

const Frame& frame_of_option(const Model<double>& model, const std::string& name) {
  if (!name.empty()) return model.frame(name);
  constexpr std::size_t most = 8;
  const std::vector<const Frame*> frames = listed_frames(model);
  std::string names;  // the last ones: tools and tips
  for (std::size_t k = frames.size() > most ? frames.size() - most : 0; k < frames.size(); ++k)
    (names += names.empty() ? "" : ", ") += frames[k]->name;
  throw Error("--frame is missing; \"" + model.name() + "\" has " +
              (frames.size() > most ? "..., " : "") + names);
}

Reference parse_reference(const std::string& name, const std::vector<std::string>& others) {
  if (name == "body") return Reference::body;
  if (name == "world") return Reference::world;
  if (name == "world-aligned") return Reference::world_aligned;
  std::vector<std::string> known{"body", "world", "world-aligned"};
  known.insert(known.end(), others.begin(), others.end());
  std::string list;
  for (const std::string& word : known) (list += list.empty() ? "" : ", ") += word;
  throw Error("--reference: unknown " + in_quotes(name) + did_you_mean(name, known) + " (" + list +
              ")");
}

const char* explained(Reference reference) {
  switch (reference) {
    case Reference::body:
      return "of the frame's origin, in the frame's axes";
    case Reference::world:
      return "of the point at the world's origin, in the world's axes";
    default:
      return "of the frame's origin, in the world's axes";
  }
}

}  // namespace torsor::command
