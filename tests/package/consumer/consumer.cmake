# The program of all CMake projects in this folder: two files that include every public header, with warnings as errors.
add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${CMAKE_CURRENT_LIST_DIR}/second.cpp)
target_link_libraries(consumer PRIVATE gazellemq::client gazellemq::hub)
target_compile_options(consumer PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
set_target_properties(consumer PROPERTIES NO_SYSTEM_FROM_IMPORTED ON)
