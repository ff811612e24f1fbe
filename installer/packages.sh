# SPDX-License-Identifier: Apache-2.0
# Sourced by firstlight.sh and test.sh: installs the Debian packages of packages.txt that are missing.

install_missing_packages() {
    local list missing=() package
    list=$(grep -v '^#' "$1/installer/packages.txt")
    for package in $list; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "Root is needed to install them: apt-get install ${missing[*]}" >&2
            return 3
        }
        root=(sudo)
    fi
    # The list of packages may be old or empty; it is fetched only when something is missing.
    "${root[@]}" apt-get update -qq
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
