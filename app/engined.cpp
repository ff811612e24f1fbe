// SPDX-License-Identifier: Apache-2.0
// firstlightd, the engine: one rank of a job (`--rank FILE`, started by MPI's launcher).
#include <cstdio>
#include <string_view>

#include "app/rank_program.h"

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--rank")
        return fl::app::runRankProgram(argv[2], &argc, &argv);
    std::fputs("usage: firstlightd --rank FILE\n", stderr);
    return 2;
}
