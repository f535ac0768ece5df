//! `calls NAME COUNT`: makes one call so many times. Two runs of different counts under
//! `valgrind --tool=callgrind` give the instructions of one call: their difference over that of the counts.

use mcp_benches::{CALLS, connection, exchange};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "add".to_owned());
    let count: u32 = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1000);
    let Some((_, call, expected)) = CALLS.into_iter().find(|(known, ..)| *known == name) else {
        eprintln!("no call `{name}`; there are {:?}", CALLS.map(|(name, ..)| name));
        std::process::exit(1);
    };
    let connection = connection();
    let mut out = Vec::new();
    exchange(&connection, call, expected, &mut out);
    for _ in 0..count {
        out.clear();
        connection.answer(call.as_bytes(), &mut out);
    }
}
