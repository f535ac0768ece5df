# What benches/run and benches/instructions share. Sourced by bash after tests/setup.sh, at the root.

# Sets `BENCH_VALGRIND`: the one on PATH, or else Debian's package, unpacked into target.
need_valgrind() {
    export BENCH_VALGRIND=valgrind
    if command -v valgrind >/dev/null; then
        return
    fi
    local there=$dir/valgrind
    if [ ! -x "$there/usr/bin/valgrind" ]; then
        command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
            die "valgrind is missing; install it (Debian: apt-get install valgrind)"
        echo "unpacking valgrind into target"
        rm -rf "$there"
        mkdir -p "$there"
        (cd "$there" && quietly valgrind.log apt-get download valgrind && dpkg -x valgrind_*.deb .) ||
            die "valgrind is missing and cannot be fetched; install it (Debian: apt-get install valgrind)"
    fi
    export BENCH_VALGRIND=$there/usr/bin/valgrind VALGRIND_LIB=$there/usr/libexec/valgrind
}

# Builds the servers and what measures them, and sets `programs`: where they are.
build_benches() {
    cargo build --release -p mcp-benches --bins
    programs=$(cd "${CARGO_TARGET_DIR:-target}/release" && pwd)
}
