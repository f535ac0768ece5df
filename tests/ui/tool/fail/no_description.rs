use mcp_runtime::prelude::*;

#[mcp_tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    let _: Option<add> = None;
    assert_eq!(add(1, 2), 3);
}
