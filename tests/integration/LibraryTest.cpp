#include <gtest/gtest.h>

#include "ChildProcess.hpp"
#include "TestHub.hpp"

/// Shared libraries with the SDK inside, loaded into one program and unloaded from it.
namespace gazellemq::client {
namespace {

using namespace test;

class SdkInLibraries : public testing::Test {
  protected:
    void expectGood(std::string const& way) {
        ChildProcess program{{.words = {GAZELLEMQ_LIBRARY_PROGRAM, way, hub.url(), GAZELLEMQ_FIRST_LIBRARY, GAZELLEMQ_SECOND_LIBRARY}}};
        EXPECT_EQ(program.waitForEnd(), "exit 0") << program.errors();
    }
    std::uint64_t arrived() { return hub.server().stats().messagesIn; }

    TestHub hub;
};

TEST_F(SdkInLibraries, two_in_one_program_work_and_can_be_unloaded_one_before_the_other_again_and_again) { expectGood("local"); }

TEST_F(SdkInLibraries, two_whose_symbols_are_global_do_not_get_into_each_others_way) { expectGood("global"); }

TEST_F(SdkInLibraries, singletons_are_closed_by_dlclose_and_send_what_was_published) {
    expectGood("singletons");
    EXPECT_EQ(arrived(), 3000U);
}

TEST_F(SdkInLibraries, unloading_while_a_name_is_resolved_for_a_client_that_is_closed_does_not_crash) { expectGood("resolving"); }

TEST_F(SdkInLibraries, unloading_while_the_callback_runs_that_destroyed_its_client_does_not_crash) { expectGood("in-callback"); }

}  // namespace
}  // namespace gazellemq::client
