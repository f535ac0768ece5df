use mcp_runtime::prelude::*;

#[mcp_tool(titel = "Add", name = "add numbers", timeout = "soon")]
fn add(a: &str, #[mcp(minimum = 7, maximum = 1)] b: i64, (c, d): (i64, i64)) -> impl ToString {
    (a, b, c, d).1
}

fn main() {
    let _: Option<add> = None;
    let _ = add;
}
