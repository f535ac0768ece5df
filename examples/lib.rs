//! Examples of servers; run one with `cargo run --example NAME`, e.g. `cargo run --example calculator`.
