#!/usr/bin/env bash
# Installs Firn to a new prefix and builds a small program against it, as a stranger would with find_package(firn).
# usage: install_test.sh BUILD_FOLDER
set -euo pipefail

build=$1
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
[[ -x $work/prefix/bin/firn ]] || { echo "the command was not installed"; exit 1; }
[[ ! -e $work/prefix/include/firn/cli ]] || { echo "headers of the command line were installed"; exit 1; }

mkdir "$work/client"
cp "$here/client.cc" "$work/client/"
cp "$here/client.cmake" "$work/client/CMakeLists.txt"
cmake -G Ninja -S "$work/client" -B "$work/client/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/client/build"
number=$("$work/client/build/client")
[[ $number =~ ^[1-6]$ ]] || { echo "the client threw a die and got '$number'"; exit 1; }
