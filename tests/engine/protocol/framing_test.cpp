// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol/framing.h"

#include <gtest/gtest.h>

namespace fl::protocol {
namespace {

std::string errorOf(const std::string& bytes) {
    FrameReader reader;
    reader.append(bytes);
    for (;;) {
        const auto body = reader.next();
        if (!body)
            return body.error().message;
        if (!*body)
            return "";
    }
}

TEST(Framing, GivesMessagesOneByOne) {
    FrameReader reader;
    reader.append(frame("one") + frame("") + frame("three"));
    EXPECT_EQ(**reader.next(), "one");
    EXPECT_EQ(**reader.next(), "");
    EXPECT_EQ(**reader.next(), "three");
    EXPECT_FALSE(reader.next()->has_value());
    EXPECT_EQ(reader.buffered(), 0u);
}

TEST(Framing, TakesBytesOneAtATime) {
    FrameReader reader;
    const std::string wire = frame("{\"a\":1}") + frame("second");
    std::vector<std::string> bodies;
    for (const char byte : wire) {
        reader.append(std::string_view(&byte, 1));
        const auto body = reader.next();
        ASSERT_TRUE(body) << body.error().message;
        if (*body)
            bodies.push_back(**body);
    }
    EXPECT_EQ(bodies, (std::vector<std::string>{"{\"a\":1}", "second"}));
}

TEST(Framing, KeepsNothingOfALongStream) {
    FrameReader reader;
    const std::string wire = frame(std::string(1000, 'x'));
    for (int i = 0; i < 1000; ++i) {
        reader.append(wire + "C");
        ASSERT_EQ((**reader.next()).size(), 1000u);
        reader.append(wire.substr(1));
        ASSERT_EQ((**reader.next()).size(), 1000u);
    }
    EXPECT_EQ(reader.buffered(), 0u);
}

TEST(Framing, AcceptsContentTypeAndAnyCase) {
    FrameReader reader;
    reader.append("content-length:  2\r\nContent-Type: application/json\r\n\r\n{}");
    EXPECT_EQ(**reader.next(), "{}");
}

TEST(Framing, RefusesGarbageAtTheFirstByte) {
    EXPECT_EQ(errorOf("GET / HTTP/1.1\r\n"),
              "the peer does not speak the protocol: 'GET / HTTP/1.1..' is no header");
    EXPECT_NE(errorOf(std::string("\0\1", 2)), "");
}

TEST(Framing, RefusesAnEndlessHeader) {
    EXPECT_EQ(errorOf("Content-Length: 1\r\n"), "");
    EXPECT_NE(errorOf("Content-Type: " + std::string(5000, 'a')), "");
}

TEST(Framing, RefusesAClaimOfOneGigabyteWithoutReservingIt) {
    EXPECT_EQ(errorOf("Content-Length: 1000000000\r\n\r\n{}"),
              "a message of 1000000000 bytes was announced, the limit is 67108864");
    EXPECT_NE(errorOf("Content-Length: 99999999999999999999999\r\n\r\n"), "");
}

TEST(Framing, RefusesBadLengths) {
    EXPECT_EQ(errorOf("Content-Length: -1\r\n\r\n"), "Content-Length '-1' is no number");
    EXPECT_EQ(errorOf("Content-Length: \r\n\r\n"), "Content-Length '' is no number");
    EXPECT_EQ(errorOf("Content-Length: 2x\r\n\r\n"), "Content-Length '2x' is no number");
    EXPECT_EQ(errorOf("Content-Length: 1\r\nContent-Length: 1\r\n\r\n"),
              "a header gives Content-Length twice");
    EXPECT_EQ(errorOf("Content-Type: a\r\n\r\n"), "a header lacks Content-Length");
}

TEST(Framing, StaysBrokenAfterAnError) {
    FrameReader reader;
    reader.append("garbage");
    EXPECT_FALSE(reader.next());
    reader.append(frame("fine"));
    EXPECT_FALSE(reader.next());
}

}  // namespace
}  // namespace fl::protocol
