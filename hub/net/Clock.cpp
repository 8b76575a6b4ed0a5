#include "Clock.hpp"

#include <chrono>

namespace gazellemq::hub {

Now readClocks() {
    using namespace std::chrono;
    return {duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count(),
            duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count()};
}

}  // namespace gazellemq::hub
