#include "Url.hpp"

#include <gtest/gtest.h>

namespace gazellemq::transport {
namespace {

void expectUrl(std::string_view text, std::string_view host, std::uint16_t port) {
    auto const url = Url::parse(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(url->host, host) << text;
    EXPECT_EQ(url->port, port) << text;
}

TEST(Url, names_a_host_and_a_port) {
    expectUrl("tcp://localhost:1", "localhost", 1);
    expectUrl("tcp://127.0.0.1:65535", "127.0.0.1", 65535);
    expectUrl("tcp://my-hub.example_1.org:5875", "my-hub.example_1.org", 5875);
    expectUrl("tcp://0.0.0.0:0", "0.0.0.0", 0);
}

TEST(Url, has_the_default_port_without_one) {
    expectUrl("tcp://hub", "hub", kDefaultPort);
    expectUrl("tcp://[::1]", "::1", kDefaultPort);
    EXPECT_EQ(kDefaultPort, 5875);
}

TEST(Url, may_end_with_a_slash) {
    expectUrl("tcp://hub/", "hub", kDefaultPort);
    expectUrl("tcp://hub:7/", "hub", 7);
}

TEST(Url, has_an_ipv6_address_in_brackets) {
    expectUrl("tcp://[::1]:80", "::1", 80);
    expectUrl("tcp://[fe80::1%eth0]:80", "fe80::1%eth0", 80);
    expectUrl("tcp://[::ffff:1.2.3.4]", "::ffff:1.2.3.4", kDefaultPort);
}

TEST(Url, names_a_unix_socket_by_its_absolute_path) {
    auto const url = Url::parse("unix:///run/gazelle.sock");
    ASSERT_TRUE(url);
    EXPECT_TRUE(url->isUnix());
    EXPECT_EQ(url->path, "/run/gazelle.sock");
    EXPECT_FALSE(url->mode);
    EXPECT_EQ(url->toString(), "unix:///run/gazelle.sock");
    EXPECT_FALSE(Url::parse("tcp://hub")->isUnix());
}

TEST(Url, may_give_the_permissions_of_a_socket_file) {
    EXPECT_EQ(Url::parse("unix:///s?mode=0660")->mode, 0660u);
    EXPECT_EQ(Url::parse("unix:///s?mode=777")->mode, 0777u);
    EXPECT_EQ(Url::parse("unix:///s?mode=0660")->path, "/s");
    for (auto const* const text : {"unix:///s?mode=", "unix:///s?mode=0880", "unix:///s?mode=1000", "unix:///s?mode=-1", "unix:///s?mode=0660x",
                                   "unix:///s?", "unix:///s?made=0660"}) {
        EXPECT_FALSE(Url::parse(text)) << text;
    }
}

TEST(Url, has_no_socket_path_that_is_relative_or_too_long) {
    for (auto const* const text : {"unix://", "unix:///", "unix://s", "unix:s", "unix:/s"}) EXPECT_FALSE(Url::parse(text)) << text;
    EXPECT_FALSE(Url::parse(std::string_view{"unix:///a\0b", 11}));
    EXPECT_TRUE(Url::parse("unix:///" + std::string(106, 'x')));
    EXPECT_FALSE(Url::parse("unix:///" + std::string(107, 'x'))) << "sun_path has 108 bytes with the NUL";
}

TEST(Url, is_nothing_else) {
    for (auto const* const text : {"",
                                   "tcp://",
                                   "tcp:///",
                                   "tcp://:5875",
                                   "localhost:5875",
                                   "tcp:/hub",
                                   "TCP//hub",
                                   "http://hub",
                                   "tls://hub",
                                   "tcp://hub:",
                                   "tcp://hub:x",
                                   "tcp://hub:-1",
                                   "tcp://hub:+1",
                                   "tcp://hub: 1",
                                   "tcp://hub:1x",
                                   "tcp://hub:65536",
                                   "tcp://hub:99999999999999999999",
                                   "tcp://hub:1:2",
                                   "tcp://::1",
                                   "tcp://::1:80",
                                   "tcp://[]",
                                   "tcp://[]:80",
                                   "tcp://[::1",
                                   "tcp://[::1]80",
                                   "tcp://[::1]]",
                                   "tcp://[::1]:",
                                   "tcp://[a b]",
                                   "tcp://user@hub",
                                   "tcp://hub/topic",
                                   "tcp://hub//",
                                   "tcp://a b",
                                   " tcp://hub",
                                   "tcp://hub ",
                                   "tcp://hub\n",
                                   "tcp://hub?x"}) {
        EXPECT_FALSE(Url::parse(text)) << "'" << text << "'";
    }
    EXPECT_FALSE(Url::parse(std::string_view{"tcp://h\0b", 9}));
}

TEST(Url, has_a_host_of_at_most_253_bytes) {
    expectUrl("tcp://" + std::string(253, 'h'), std::string(253, 'h'), kDefaultPort);
    EXPECT_FALSE(Url::parse("tcp://" + std::string(254, 'h')));
}

TEST(Url, written_and_read_again_is_the_same) {
    for (auto const* const text :
         {"tcp://hub:1", "tcp://[::1]:5875", "tcp://1.2.3.4:0", "tcp://hub", "tcp://[fe80::1%2]"}) {
        auto const url = Url::parse(text);
        ASSERT_TRUE(url);
        auto const again = Url::parse(url->toString());
        ASSERT_TRUE(again) << url->toString();
        EXPECT_EQ(again->host, url->host);
        EXPECT_EQ(again->port, url->port);
    }
    EXPECT_EQ((Url{"::1", 80}.toString()), "tcp://[::1]:80");
    EXPECT_EQ((Url{"hub", 80}.toString()), "tcp://hub:80");
}

}  // namespace
}  // namespace gazellemq::transport
