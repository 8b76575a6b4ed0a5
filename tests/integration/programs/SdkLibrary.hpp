#pragma once

/// What a library with an SDK of its own inside (SdkLibrary.cpp) gives to the program that loads it (LibraryProgram.cpp).
extern "C" {
struct SdkLibrary {
    /// Connects a publisher and a subscriber to `url`; true when the subscription to `topic` stands.
    bool (*start)(char const* url, char const* topic);
    /// Publishes `count` messages; true when the hub has them.
    bool (*publish)(int count);
    /// True when so many messages have come in all.
    bool (*receive)(int count);
    void (*stop)();
    /// Publishes by getPublisherClient(), receives by getSubscriberClient(), and leaves both as they are.
    bool (*useSingletons)(char const* url, int count);
    /// Begins to look for a hub whose name is looked up for long, and closes.
    void (*closeWhileResolving)(char const* url, void (*untilResolving)());
    /// Destroys the subscriber in its own callback, which then calls `afterwards`.
    void (*destroyInCallback)(void (*afterwards)());
};
/// The name of the only symbol that is looked up.
SdkLibrary const* sdkLibrary();
}
