#include "firn/train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firn/base/safetensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CheckpointTest : public testing::Test {
 protected:
  static Encoder encoder() {
    EncoderParts parts;
    parts.encoding = "passthrough";
    parts.values = "bytes";
    parts.input_shape = {4, 1, 1};
    parts.thresholds = Matrix<float>(1, 1);
    return Encoder::from_parts(std::move(parts));
  }

  Checkpoint saved_and_read(const CheckpointHeader& header) {
    save_checkpoint(file_, header, encoder(),
                    [this](StateVisitor& visitor) { visitor.visit("state", std::span(state_)); });
    return Checkpoint::read(file_);
  }

  // A safetensors file that says of itself what it is.
  SafetensorsFile foreign(const std::string& format) {
    SafetensorsWriter writer;
    if (!format.empty()) writer.set_metadata("format", format);
    writer.write(file_);
    return SafetensorsFile::read(file_);
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "a.safetensors";
  std::vector<float> state_ = {1, 2, 3};
};

TEST_F(CheckpointTest, HeaderAndStateComeBack) {
  const CheckpointHeader header{"seed = 3\n", 17, 2, {"task", "resample"}, {"no", "ankle boot"}};
  const Checkpoint back = saved_and_read(header);
  EXPECT_EQ(back.header().config, header.config);
  EXPECT_EQ(back.header().step, 17u);
  EXPECT_EQ(back.header().outputs, 2u);
  EXPECT_THAT(back.header().hooks, ElementsAre("task", "resample"));
  EXPECT_THAT(back.header().class_names, ElementsAre("no", "ankle boot"));
  state_ = {0, 0, 0};
  back.restore([this](StateVisitor& visitor) { visitor.visit("state", std::span(state_)); });
  EXPECT_THAT(state_, ElementsAre(1, 2, 3));
}

TEST_F(CheckpointTest, TheSchemaComesBackAndMayBeMissing) {
  const std::vector<std::string> names = {"a", "b"};
  CheckpointHeader header{"", 1, 2, {}, {}};
  EXPECT_FALSE(saved_and_read(header).header().schema);
  header.schema = schema_of_names(names, CellValues::kReals);
  EXPECT_EQ(saved_and_read(header).header().schema, header.schema);
}

TEST_F(CheckpointTest, AnEncoderOfImpossibleSizeIsRefused) {
  saved_and_read({"", 1, 2, {}, {}});
  for (const char* shape : {"1 20000000000 1", "999 4727093576446091307 1", "4 1 18446744073709551615"}) {
    const SafetensorsFile whole = SafetensorsFile::read(file_);
    SafetensorsWriter writer;
    for (const auto& [key, value] : whole.metadata()) writer.set_metadata(key, value);
    writer.set_metadata("encoder.shape", shape);
    for (const Tensor& tensor : whole.tensors()) writer.add(tensor);
    writer.write(folder_ / "b.safetensors");
    const Checkpoint damaged = Checkpoint::read(folder_ / "b.safetensors");
    EXPECT_THAT(error_of([&] { damaged.encoder(); }),
                AllOf(HasSubstr("b.safetensors: "), HasSubstr("there must be 1 to 67108864")))
        << shape;
  }
}

TEST_F(CheckpointTest, ClassesNeedNoNames) {
  EXPECT_THAT(saved_and_read({"", 1, 10, {}, {}}).header().class_names, IsEmpty());
}

TEST_F(CheckpointTest, OneOutputNamesTwoClasses) {
  EXPECT_THAT(saved_and_read({"", 1, 1, {}, {"0", "1"}}).header().class_names, ElementsAre("0", "1"));
}

TEST_F(CheckpointTest, NamesThatDoNotFitTheClassesAreRefused) {
  EXPECT_THAT(error_of([&] { saved_and_read({"", 1, 3, {}, {"a", "b"}}); }), HasSubstr("2 names for 3 classes"));
}

TEST_F(CheckpointTest, StateOfAnotherModelIsRefused) {
  const Checkpoint back = saved_and_read({"", 1, 2, {}, {}});
  std::vector<float> longer(4);
  const auto restore = [&](const char* name) {
    back.restore([&](StateVisitor& visitor) { visitor.visit(name, std::span(longer)); });
  };
  EXPECT_THAT(error_of([&] { restore("state"); }), HasSubstr("state"));
  EXPECT_THAT(error_of([&] { restore("other"); }), HasSubstr("other"));
}

TEST_F(CheckpointTest, KnowsCheckpointsOfAnyVersionAndReadsItsOwn) {
  EXPECT_TRUE(Checkpoint::recognizes(foreign("firn checkpoint 2")));
  EXPECT_FALSE(Checkpoint::recognizes(foreign("firn model 1")));
  EXPECT_FALSE(Checkpoint::recognizes(foreign("")));
  for (const char* format : {"firn checkpoint 2", "firn model 1", ""})
    EXPECT_THAT(error_of([&] { Checkpoint::parse(foreign(format)); }),
                AllOf(HasSubstr("a.safetensors"), HasSubstr("not a Firn checkpoint")));
}

}  // namespace
}  // namespace firn
