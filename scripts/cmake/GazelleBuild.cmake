# How this project's own targets are compiled. Nothing here reaches a program that links them.
include(GNUInstallDirs)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)

# Programs of all folders in one place; a project that includes this one keeps its own layout.
if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
    set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE Release)
    endif()
endif()

find_library(GAZELLEMQ_ISAL_LIBRARY isal REQUIRED)

# A second build of the same files, in another directory too, takes seconds.
find_program(GAZELLEMQ_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND GAZELLEMQ_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${GAZELLEMQ_CCACHE})
endif()

function(gazelle_compile target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "LIBRARY")
        target_link_libraries(${target} PUBLIC Boost::headers)
    endif()
    set_target_properties(${target} PROPERTIES
        CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # False alarms of g++ 12 inside the standard library and Asio at -O2 (gcc PR 105651, 105329).
        target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
        if(target MATCHES "-tests$")
            # And where all sizes are constants, as in tests, of the growth of a vector.
            target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
        endif()
    endif()
    if(GAZELLEMQ_LOCALIZE_SYMBOLS)
        # For gazelle_localize: machine code even if the program is built with -flto, and no symbols that objcopy leaves global.
        target_compile_options(${target} PRIVATE -fno-lto $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    endif()
    if(GAZELLEMQ_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    target_compile_definitions(${target} PRIVATE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
    if(GAZELLEMQ_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${GAZELLEMQ_SANITIZE} -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${GAZELLEMQ_SANITIZE})
    endif()
endfunction()

# The archives are made of relocatable ELF objects by GNU ld; with anything else they keep all their symbols.
if(GAZELLEMQ_LOCALIZE_SYMBOLS)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-prog-name=ld.bfd
        OUTPUT_VARIABLE GAZELLEMQ_LD OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GAZELLEMQ_LD} --version OUTPUT_VARIABLE version ERROR_QUIET)
    if(GAZELLEMQ_SANITIZE OR NOT CMAKE_OBJCOPY OR NOT version MATCHES "GNU ld")
        set(GAZELLEMQ_LOCALIZE_SYMBOLS OFF)
    endif()
endif()

# An archive in which only the symbols matching the patterns can be seen, so that a program's own Boost (perhaps another version)
# and ours never meet. The nested classes called Impl are never public.
function(gazelle_localize target)
    if(NOT GAZELLEMQ_LOCALIZE_SYMBOLS)
        return()
    endif()
    set(keep "--keep-global-symbol=!*4Impl*")
    foreach(pattern IN LISTS ARGN)
        list(APPEND keep --keep-global-symbol=${pattern})
    endforeach()
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}-$<CONFIG>.o)
    add_custom_command(TARGET ${target} POST_BUILD
        COMMAND ${GAZELLEMQ_LD} -r --force-group-allocation --whole-archive $<TARGET_FILE:${target}> -o ${object}
        COMMAND ${CMAKE_OBJCOPY} --wildcard ${keep} ${object}
        COMMAND ${CMAKE_COMMAND} -E rm $<TARGET_FILE:${target}>
        COMMAND ${CMAKE_AR} qcs $<TARGET_FILE:${target}> ${object}
        COMMAND ${CMAKE_COMMAND} -E rm ${object}
        VERBATIM)
endfunction()
