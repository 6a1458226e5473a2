// NumPy's files: bytes of the format's description, there and back, and what is refused.
#include <cstring>

#include "house/process.hpp"
#include "support/random_model.hpp"
#include "support/refusal.hpp"
#include "torsor/formats/npy_reader.hpp"
#include "torsor/formats/npy_writer.hpp"

namespace torsor {
namespace {

using testing::refusal;
using testing::ScratchFolder;
using Shape = std::vector<std::int64_t>;

/// A file of version 1.0 by hand: the header as given, and as many numbers.
std::string file_of(const std::string& dictionary, std::size_t bytes = 0) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dictionary.size() & 0xff);
  out += static_cast<char>(dictionary.size() >> 8);
  return out + dictionary + std::string(bytes, '\0');
}
std::string header_of(const std::string& descr, const std::string& order,
                      const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

class Npy : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string path = (folder / "x.npy").string();

  std::string why(const std::string& bytes) {
    testing::write_text(path, bytes);
    std::string said = refusal([&] { NpyReader reader(path); });
    EXPECT_TRUE(said.starts_with(path + ": ")) << said;
    return said.substr(std::min(said.size(), path.size() + 2));
  }
};

TEST_F(Npy, header_is_that_of_the_format_byte_for_byte) {
  // Magic, version 1.0, 0x76 letters of a dictionary, filled up to 128 bytes (Kern 2007).
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";
  expected.append(127 - expected.size(), ' ');
  EXPECT_EQ(internal::npy_header({3, 2}), expected + "\n");
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{100000000, 7, 70}}) {
    const std::string header = internal::npy_header(shape);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(internal::parse_npy_header(header, "x").shape, shape);
    EXPECT_EQ(internal::parse_npy_header(header, "x").begin,
              static_cast<std::int64_t>(header.size()));
  }
}

TEST_F(Npy, what_is_written_in_blocks_is_read_in_others) {
  testing::Draw<double> draw(3);
  std::vector<double> x(3000), y(3000);
  for (double& value : x) value = draw(-1e9, 1e9);
  NpyWriter writer(path, {1000, 3});
  for (int k = 0; k < 3000; k += 600) writer.write({x.data() + k, 600});
  EXPECT_FALSE(std::filesystem::exists(path)) << "before it is whole";
  writer.commit();
  NpyReader reader(path);
  EXPECT_EQ(reader.shape(), (Shape{1000, 3}));
  for (int k = 0; k < 3000; k += 750) reader.read({y.data() + k, 750});
  EXPECT_EQ(x, y);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(Npy, single_precision_becomes_double) {
  const std::vector<float> x{0.1f, -2.5f, 1e30f};
  std::string bytes = file_of(header_of("<f4", "False", "(3,)"), 12);
  std::memcpy(bytes.data() + bytes.size() - 12, x.data(), 12);
  testing::write_text(path, bytes);
  NpyReader reader(path);
  std::vector<double> y(3);
  reader.read(y);
  EXPECT_EQ(y, std::vector<double>(x.begin(), x.end()));
}

TEST_F(Npy, headers_of_later_versions_and_other_orders_of_keys_are_read) {
  const std::string text = "{\"shape\":(2,3),'fortran_order':False,'descr':'<f8'}";
  std::string later("\x93NUMPY\x02\x00", 8);
  later += static_cast<char>(text.size());
  later += std::string(3, '\0') + text;
  const internal::NpyHeader header = internal::parse_npy_header(later, "x");
  EXPECT_EQ(header.shape, (Shape{2, 3}));
  EXPECT_FALSE(header.single);
  EXPECT_EQ(header.begin, static_cast<std::int64_t>(later.size()));
  // Of one axis both orders are the same.
  EXPECT_EQ(internal::parse_npy_header(file_of(header_of("<f8", "True", "(4,)")), "x").shape,
            Shape{4});
}

TEST_F(Npy, a_file_that_is_not_committed_leaves_nothing) {
  {
    NpyWriter writer(path, {2, 2});
    writer.write(std::vector<double>{1, 2, 3});
    EXPECT_EQ(refusal([&] { writer.commit(); }),
              path + ": 1 numbers are missing of the shape (2, 2)");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Npy, bad_files_are_refused_in_one_line_with_their_name) {
  EXPECT_EQ(why(""), "is empty, no .npy file");
  EXPECT_EQ(why("q.joint_1\n0\n"), "is no .npy file of NumPy");
  EXPECT_EQ(why("\x93NUMPY"), "the .npy file is cut short in its header");
  EXPECT_EQ(why(std::string("\x93NUMPY\x09\x00\x00\x00", 10)),
            "is of version 9 of the .npy format; 1 to 3 are read");
  const std::string good = file_of(header_of("<f8", "False", "(2, 3)"), 48);
  for (std::size_t cut : {9u, 11u, 40u})
    EXPECT_EQ(why(good.substr(0, cut)), "the .npy file is cut short in its header");
  EXPECT_EQ(why(good.substr(0, good.size() - 1)),
            "has 47 bytes of numbers, the shape (2, 3) of float64 has 48");
  EXPECT_EQ(why(good + "x"), "has 49 bytes of numbers, the shape (2, 3) of float64 has 48");
  EXPECT_EQ(why(file_of(header_of("<i8", "False", "(2,)"), 16)),
            "holds numbers of type \"<i8\"; float64 and float32 are read: numpy.save(file, "
            "x.astype(\"<f8\"))");
  EXPECT_NE(why(file_of(header_of(">f8", "False", "(2,)"), 16)).find("(big-endian)"),
            std::string::npos);
  EXPECT_EQ(why(file_of(header_of("<f8", "True", "(2, 3)"), 48)),
            "is in Fortran order; write it with numpy.ascontiguousarray(x)");
  EXPECT_NE(why(file_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }"))
                .find("records"),
            std::string::npos);
  for (const char* shape : {"(2, -3)", "(2, 3", "2", "(a,)", "(1.5,)"})
    EXPECT_TRUE(
        why(file_of(header_of("<f8", "False", shape))).starts_with("the header of the .npy"))
        << shape;
  EXPECT_NE(why(file_of(header_of("<f8", "False", "(4611686018427387904, 4, 4)")))
                .find("no file can hold"),
            std::string::npos);
  EXPECT_NE(why(file_of(header_of("<f8", "False", "(0, 4611686018427387904, 4)")))
                .find("no file can hold"),
            std::string::npos);
  EXPECT_NE(why(file_of("{'descr': '<f8', 'shape': (2,), }")).find("has no \"fortran_order\""),
            std::string::npos);
  EXPECT_NE(why(file_of("{'descr': '<f8', 'descr': '<f8'}")).find("the key \"descr\""),
            std::string::npos);
  EXPECT_EQ(refusal([&] { NpyReader((folder / "none.npy").string()); }),
            (folder / "none.npy").string() + ": no such file");
  EXPECT_EQ(refusal([&] { NpyReader(folder.path().string()); }),
            folder.path().string() + ": is a folder, not a file");
}

TEST_F(Npy, numbers_at_their_places_are_those_in_their_order) {
  std::vector<double> x(60);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(static_cast<double>(k));
  NpyWriter ordered((folder / "ordered.npy").string(), {20, 3});
  ordered.write(x);
  ordered.commit();
  {
    NpyWriter writer(path, {20, 3});
    const internal::NpyPart elsewhere(writer.part(), {20, 3});  // another process, say
    elsewhere.write_at(30, {x.data() + 30, 15});
    writer.write_at(45, {x.data() + 45, 15});
    writer.write_at(0, {x.data(), 30});
    EXPECT_NE(refusal([&] { writer.commit(); }).find("60 numbers are missing"), std::string::npos);
    writer.all_written();
    writer.commit();
  }
  EXPECT_EQ(testing::read_text(path), testing::read_text((folder / "ordered.npy").string()));
  NpyReader reader(path);
  std::vector<double> y(6);
  reader.seek(33);
  reader.read(y);
  EXPECT_EQ(y, std::vector<double>(x.begin() + 33, x.begin() + 39));
  EXPECT_NE(
      refusal([&] { internal::NpyPart((folder / "none").string(), {1}); }).find("cannot write"),
      std::string::npos);
}

TEST_F(Npy, a_file_that_is_cut_while_it_is_read_is_an_error) {
  testing::write_text(path, internal::npy_header({1000}) + std::string(8000, '\0'));
  NpyReader reader(path);
  std::vector<double> x(600);
  reader.read(x);
  std::filesystem::resize_file(path, 5000);
  EXPECT_EQ(refusal([&] {
              reader.read({x.data(), 400});
            }),
            path + ": has become shorter while it was read");
}

}  // namespace
}  // namespace torsor
