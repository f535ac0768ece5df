//! The house as ARCHITECTURE.md draws it: who may import whom, and what must not be anywhere.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The floor of each room of the runtime crate; imports go down only.
const FLOORS: [(&str, u8); 17] = [
    ("lib", 5),
    ("__private", 5),
    ("fuzzing", 5),
    ("config", 4),
    ("serve", 4),
    ("telemetry", 4),
    ("testing", 4),
    ("transport/http", 3),
    ("transport/stdio", 3),
    ("transport/memory", 3),
    ("server", 2),
    ("auth", 1),
    ("session", 1),
    ("protocol", 0),
    ("limits", 0),
    ("principal", 0),
    ("secret", 0),
];

/// Rooms of one floor that may know each other: `serve` runs what `config` says and `testing` is `serve` for tests.
const NEIGHBOURS: [(&str, &str); 4] =
    [("serve", "config"), ("serve", "telemetry"), ("testing", "serve"), ("lib", "__private")];

struct Source {
    /// Its path below `src`, e.g. `server/dispatch.rs`.
    path: String,
    room: &'static str,
    floor: u8,
    /// Its code, without tests and comments.
    code: String,
    /// All of it.
    text: String,
}

#[test]
fn imports_go_down_only() {
    let sources = sources();
    assert!(sources.len() > 40, "the tree was found");
    for source in &sources {
        let depth = source.path.matches('/').count();
        let up = source.code.matches("super::super").count();
        // `super::super` in a file two folders deep stays in its room; in one it would leave it unseen.
        assert!(up == 0 || depth >= 2, "{} leaves its room by `super::super`", source.path);
        for import in imports(&source.code) {
            // A name that `lib` re-exports belongs to the room that defines it; those of the facade count as its floor.
            let Some((room, floor)) = room_of(&import) else {
                assert!(
                    source.floor >= 4 || !import.starts_with(|c: char| c.is_uppercase()),
                    "{} imports `crate::{import}` through the facade",
                    source.path
                );
                continue;
            };
            let neighbours = NEIGHBOURS.contains(&(source.room, room));
            assert!(
                room == source.room || floor < source.floor || neighbours,
                "{} (floor {}) imports `crate::{import}` (floor {floor})",
                source.path,
                source.floor
            );
        }
    }
}

#[test]
fn names_stay_in_their_rooms() {
    let check = |needle: &str, rooms: &[&str]| {
        let found = sources()
            .into_iter()
            .filter(|source| source.code.contains(needle) && !rooms.iter().any(|room| source.path.starts_with(room)));
        let paths: Vec<_> = found.map(|source| source.path).collect();
        assert!(paths.is_empty(), "`{needle}` belongs to {rooms:?}, and stands in {paths:?}");
    };
    // A version is compared nowhere else, neither as a value nor as a text.
    check("ProtocolVersion::V2", &["protocol/version.rs", "protocol/adapt.rs"]);
    for date in ["\"2024-11-05\"", "\"2025-03-26\"", "\"2025-06-18\"", "\"2025-11-25\"", "\"2026-07-28\""] {
        check(date, &["protocol/version.rs"]);
    }
    // Upwards there are names from the root only, so that the floors above see every import.
    check("super::super::super", &[]);
    // Only the dispatcher calls handlers, by its room for calls.
    check("function.call(", &["server/calls.rs", "server/registry/admission.rs"]);
    // Only stdio writes to standard output, and there only by its descriptor.
    check("println!", &[]);
    check("io::stdout", &["transport/stdio/descriptor.rs"]);
    // HTTP's types are the listener's affair, bytes on their way the transports'.
    check("http::", &["auth/", "transport/http/", "serve.rs", "serve/bound.rs"]);
    check("tokio::io", &["auth/fetch.rs", "transport/", "serve.rs"]);
    check("unsafe", &[]);
}

#[test]
fn every_file_says_its_duty_first() {
    for source in sources() {
        assert!(source.text.starts_with("//! "), "{} begins without a line on its duty", source.path);
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp-runtime/src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files
        .into_iter()
        .filter(|file| !file.ends_with("tests.rs") && !is_below_tests(file.strip_prefix(&root).expect("below src")))
        .map(|file| {
            let path = file.strip_prefix(&root).expect("below src").to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&file).expect("a source file");
            let (room, floor) = room_of(&path.replace('/', "::").replace(".rs", ""))
                .or_else(|| (path == "transport/mod.rs").then_some(("transport/mod", 3)))
                .unwrap_or_else(|| panic!("{path} has no floor"));
            let code = text.split("#[cfg(test)]\nmod tests {").next().expect("a part");
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
            Source { path, room, floor, code, text }
        })
        .collect()
}

fn is_below_tests(path: &Path) -> bool {
    path.iter().any(|part| part == "tests")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

fn room_of(path: &str) -> Option<(&'static str, u8)> {
    FLOORS.into_iter().find(|(room, _)| {
        let room = room.replace('/', "::");
        path == room || path.starts_with(&format!("{room}::"))
    })
}

/// What follows each `crate::` of a file, groups taken apart: `crate::{a::b, c}` gives `a::b` and `c`.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, marker) in code.match_indices("crate::") {
        // `$crate::` and longer names that end so are none.
        if code[..index].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[index + marker.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut item = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 || (depth == 1 && c == ',') {
                    found.push(std::mem::take(&mut item).trim().to_owned());
                    if depth == 0 {
                        break;
                    }
                } else {
                    item.push(c);
                }
            }
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
        }
    }
    // `transport::{http, stdio}` names rooms below a folder.
    let expanded = found.into_iter().flat_map(|import| match import.split_once("::{") {
        Some(("transport", group)) => {
            group.trim_end_matches('}').split(',').map(|item| format!("transport::{}", item.trim())).collect()
        }
        _ => vec![import],
    });
    expanded.filter(|import| !import.is_empty()).collect()
}
