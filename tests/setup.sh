# What the runners in tests/*/run share: to look for what they want, to install what is pinned. Sourced by bash, with
# `root` (of the repository), `dir` (the runner's own in target) and `logs` set.

# What another run writes must not be taken for this one's: it waits for its turn (where there is flock).
mkdir -p "$dir"
if command -v flock >/dev/null; then
    exec 9>"$dir/lock"
    flock -n 9 || { echo "waiting for another run in $dir" >&2; flock 9; }
fi
rm -rf "$logs"
mkdir -p "$logs"

install_seconds=600

die() {
    echo "${0#"$root"/}: $*" >&2
    exit 1
}

apt_install() {
    { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || return 1
    echo "installing $*" >&2
    DEBIAN_FRONTEND=noninteractive timeout "$install_seconds" sh -c \
        'apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"' sh "$@" </dev/null >"$logs/apt.log" 2>&1 ||
        { tail -5 "$logs/apt.log" >&2; return 1; }
}

need() { # PROGRAM PACKAGE...
    command -v "$1" >/dev/null && return
    apt_install "${@:2}" && command -v "$1" >/dev/null && return
    die "$1 is missing; install it (Debian: apt-get install ${*:2})"
}

need_node() {
    need timeout coreutils
    need node nodejs npm
    need npm npm
    node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
        die "node $(node --version) is too old; install Node.js 20 or later"
}

# Runs a command, its output in a log that is shown only when the command fails.
quietly() { # LOG COMMAND...
    local log=$logs/$1
    shift
    timeout "$install_seconds" "$@" </dev/null >"$log" 2>&1 || { tail -20 "$log" >&2; return 1; }
}

npm_pins() { # SOURCE -> package@version...
    node -p 'const { dependencies = {}, optionalDependencies = {} } = JSON.parse(require("fs").readFileSync(process.argv[1]));
        const here = ([name]) => name.endsWith(`${process.platform}-${process.arch}`);
        const pins = [...Object.entries(dependencies), ...Object.entries(optionalDependencies).filter(here)];
        pins.map((pin) => pin.join("@")).join(" ")' "$1/package.json"
}

# Installs what SOURCE/package-lock.json pins, unless TARGET has it already.
install_npm() { # SOURCE TARGET
    local source=$1 target=$2 stamp
    stamp="$(node --version)
$(cat "$source/package.json" "$source/package-lock.json")"
    if [ "$(cat "$target/stamp" 2>/dev/null)" != "$stamp" ]; then
        echo "installing $(npm_pins "$source")"
        rm -rf "$target/node_modules" "$target/stamp"
        mkdir -p "$target"
        cp "$source/package.json" "$source/package-lock.json" "$target/"
        quietly "npm-$(basename "$target").log" npm ci --prefix "$target" --ignore-scripts --no-audit --no-fund ||
            die "cannot install $(npm_pins "$source")"
        printf '%s\n' "$stamp" >"$target/stamp"
    fi
}

# Sets `node22` to a Node.js that is new enough for all (22.19): the one on PATH, or else npm's copy of it.
find_node22() {
    local recent='const [major, minor] = process.versions.node.split(".").map(Number);
        process.exit(major > 22 || (major === 22 && minor >= 19) ? 0 : 1)'
    node22=$(command -v node)
    node -e "$recent" && return
    install_npm "$root/tests/node" "$root/target/node"
    node22=$root/target/node/node_modules/.bin/node
    "$node22" -e "$recent" 2>/dev/null || die "node $(node --version) is too old; install Node.js 22.19 or later"
}
